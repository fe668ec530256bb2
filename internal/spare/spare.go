// Package spare is for work that takes only what others leave of the processors.
package spare

import (
	"context"
	"runtime"
	"time"

	"croupier/internal/platform"
)

// Times of looks at the load.
const (
	look   = time.Second // between looks, and the time over which the load is measured
	enough = 0.95        // cores that are idle, so that one can be taken: times are counted in hundredths
)

// Begin has this process work at the lowest priority, on one core.
func Begin() error {
	runtime.GOMAXPROCS(1)
	return platform.LowestPriority()
}

// Gate holds work up while no core is idle.
type Gate struct {
	// Closed reports whether work has to be held up while no core is idle. It is asked once a second.
	Closed func() bool

	machine machine
	at      time.Time // when the load was measured last
	before  reading
}

// machine is what a Gate measures.
type machine interface {
	read() reading
}

// reading is what has been used of the machine so far.
type reading struct {
	idle   time.Duration // of all cores
	own    time.Duration // used by this process
	known  bool          // whether idle is
	quotas []platform.Quota
}

// NewGate returns the gate of this machine.
func NewGate(closed func() bool) *Gate { return &Gate{Closed: closed, machine: present{}} }

// present is the machine on which this process works.
type present struct{}

func (present) read() reading {
	idle, known := platform.IdleTime()
	return reading{idle: idle, own: platform.ProcessorTime(), known: known, quotas: platform.Quotas()}
}

// Wait returns when there is a core for the work, at once where there was one a moment ago, or with ctx's error.
// Where the load cannot be measured there always is one.
func (g *Gate) Wait(ctx context.Context) error {
	for {
		passed := time.Since(g.at)
		if !g.at.IsZero() && passed < look {
			return ctx.Err()
		}
		now := g.machine.read()
		free := !now.known || !g.at.IsZero() && now.since(g.before, passed) >= enough
		g.at, g.before = time.Now(), now
		if free || !g.Closed() {
			return ctx.Err()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(look):
		}
	}
}

// since returns how many cores were idle on average since an earlier reading, or busy with this process, within what
// the limits of this process leave.
func (r reading) since(before reading, passed time.Duration) float64 {
	own := (r.own - before.own).Seconds()
	cores := ((r.idle - before.idle).Seconds() + own) / passed.Seconds()
	for i, q := range r.quotas {
		if i < len(before.quotas) {
			others := (q.Used - before.quotas[i].Used).Seconds() - own
			cores = min(cores, q.Cores-others/passed.Seconds())
		}
	}
	return cores
}
