package spare

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/platform"
)

// load is a machine on which others are busy, and this process while it is not held up.
type load struct {
	cores, others  float64
	quota          float64 // 0: there is none
	unknown        bool
	idle, own, all float64
	last           time.Time
	working        bool
}

func (l *load) read() reading {
	passed := time.Since(l.last).Seconds()
	l.last = time.Now()
	own := 0.0
	if l.working {
		own = 1
	}
	l.own += own * passed
	l.all += (own + l.others) * passed
	l.idle += (l.cores - own - l.others) * passed
	seconds := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	r := reading{idle: seconds(l.idle), own: seconds(l.own), known: !l.unknown}
	if l.quota > 0 {
		r.quotas = []platform.Quota{{Cores: l.quota, Used: seconds(l.all)}}
	}
	return r
}

// Work continues while a core is idle or taken by the work itself, and waits while others need all of them.
func TestGate(t *testing.T) {
	for name, test := range map[string]struct {
		load   load
		closed bool
		free   bool
	}{
		"a core is idle":                {load{cores: 2, others: 1}, true, true},
		"less than a core is idle":      {load{cores: 2, others: 1.1}, true, false},
		"nobody trains":                 {load{cores: 2, others: 2}, false, true},
		"the quota is used up":          {load{cores: 16, others: 2, quota: 2}, true, false},
		"the quota leaves a core":       {load{cores: 16, others: 2, quota: 3}, true, true},
		"nobody knows what is idle":     {load{cores: 2, others: 2, unknown: true}, true, true},
		"others have what quotas leave": {load{cores: 2, others: 2, quota: 16}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &test.load
				l.last = time.Now()
				g := &Gate{Closed: func() bool { return test.closed }, machine: l}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				for range 100 { // pieces of work of a third of a second
					err := g.Wait(ctx)
					if !test.free {
						require.ErrorIs(t, err, context.DeadlineExceeded)
						return
					}
					require.NoError(t, err)
					l.working = true
					time.Sleep(time.Second / 3)
				}
				require.LessOrEqual(t, time.Since(g.at), time.Minute)
			})
		})
	}
}

// Work that runs already is held up when others come.
func TestGateCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &load{cores: 2, last: time.Now(), working: true}
		g := &Gate{Closed: func() bool { return true }, machine: l}
		for range 10 {
			require.NoError(t, g.Wait(t.Context()))
			time.Sleep(time.Second / 2)
		}
		l.others = 1.9
		time.Sleep(2 * time.Second)
		l.working = false
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		for {
			if err := g.Wait(ctx); err != nil {
				require.ErrorIs(t, err, context.DeadlineExceeded)
				return
			}
			time.Sleep(time.Second / 2)
		}
	})
}
