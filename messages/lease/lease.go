// Package lease sees to it that a role which may exist only once in a run, its learner or its
// league, does exist only once.
//
// A holder has the key messages.LeaseKey in the bucket of roles, created under a random name
// of its process and renewed once in a [Period]. The key goes away by itself when it has not
// been renewed for a presence.Lifetime: after that a process that was killed, frozen or cut
// off is no longer in its successor's way.
//
//   - A process that finds the key renewed under its eyes is refused: the holder is alive.
//   - A process that finds a key which no process renews waits for it to go away. Brokers let it go by
//     their wall clocks, and one whose clock is behind that of the one before it keeps the key for
//     years: what was not renewed for a presence.Lifetime by the newcomer's own clock, it takes
//     over by compare-and-set.
//   - A holder that finds somebody else's name under the key has lost the lease, and its role
//     ends. It does not try to win it back, so two processes never take turns.
//
// The broker keeps the bucket in memory. After it was started again, a holder puts its key
// back; should a newcomer have been faster, the holder ends.
//
// A lease does not replace the compare-and-set of what the role writes: between the moment
// at which a frozen process wakes and its next renewal it believes what was true before.
package lease

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/presence"
)

// Period is the time between two renewals.
const Period = presence.Period

const (
	// lookEvery is how often a newcomer looks whether the key was renewed.
	lookEvery = Period / 4
	// releaseTimeout bounds the goodbye. Without an answer the key expires.
	releaseTimeout = 2 * time.Second
)

var (
	// ErrHeld: a living process has the role.
	ErrHeld = errors.New("only one is possible")
	// ErrLost: another process has taken the role over.
	ErrLost = errors.New("another process has taken over")
)

// Holder reports who has a role (the key's value, JSON).
type Holder struct {
	Owner    string `json:"owner"` // random, for each call of Acquire
	ID       string `json:"id"`    // of the process, as in its heartbeats
	Host     string `json:"host"`
	PID      int    `json:"pid"`
	Released bool   `json:"released,omitempty"` // it has ended; the role is free
}

func (h Holder) String() string { return fmt.Sprintf("%s, process %d on host %s", h.ID, h.PID, h.Host) }

// Lease is the right to a role. It renews itself until it is released or lost.
type Lease struct {
	roles  bus.KV
	role   string
	holder Holder
	log    *slog.Logger
	stop   context.CancelFunc
	done   chan struct{} // closed when the renewals have ended

	mutex    sync.Mutex
	revision uint64 // of the key, as far as known
	err      error  // why the renewals ended; nil: by Release
}

// Acquire takes a role for the process with the given id. While there is a lease that
// no process renews, it waits for its end, at most a presence.Lifetime, and says so; a lease
// that is renewed gives an error that wraps [ErrHeld] and names its holder.
func Acquire(ctx context.Context, roles bus.KV, role, id string, log *slog.Logger) (*Lease, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	l := &Lease{
		roles: roles, role: role, log: log.With("lease", role), done: make(chan struct{}),
		holder: Holder{Owner: rand.Text(), ID: id, Host: host, PID: os.Getpid()},
	}
	if err := l.acquire(ctx); err != nil {
		return nil, err
	}
	ctx, l.stop = context.WithCancel(context.WithoutCancel(ctx))
	go l.renew(ctx)
	return l, nil
}

// acquire waits until the key is this process's.
func (l *Lease) acquire(ctx context.Context) error {
	var first bus.Entry // the lease that was there at the beginning
	began := time.Now()
	for {
		there, err := l.look(ctx)
		if err != nil {
			return err
		}
		holder := parse(there.Value)
		silent := there.Revision == first.Revision && time.Since(began) > presence.Lifetime
		if there.Value == nil || holder.Released || silent {
			if err := l.take(ctx, there.Revision); !errors.Is(err, bus.ErrTaken) {
				return err
			}
		}
		switch {
		case there.Value == nil || holder.Released:
		case first.Value == nil:
			first = there
			l.log.Info("there is a lease already; looking whether its holder is alive",
				"holder", holder.String(), "seconds", presence.Lifetime.Seconds())
		case there.Revision != first.Revision:
			return fmt.Errorf("this run has a %s already: %s; stop it first, and do not run a copy of the directory "+
				"next to it: %w", l.role, holder, ErrHeld)
		}
		if err := pause(ctx, lookEvery); err != nil {
			return err
		}
	}
}

// take puts this process's name under the key if that is as it was seen, or gone: the copy of a broker
// that is behind may still show what the others have let go.
func (l *Lease) take(ctx context.Context, revision uint64) error {
	err := l.write(ctx, l.holder, revision)
	if errors.Is(err, bus.ErrTaken) && revision != 0 {
		err = l.write(ctx, l.holder, 0)
	}
	return err
}

// look returns the entry of the key; without a value and of revision 0 if there is none.
func (l *Lease) look(ctx context.Context) (bus.Entry, error) {
	e, err := l.roles.Get(ctx, messages.LeaseKey(l.role))
	if errors.Is(err, bus.ErrNotFound) {
		return bus.Entry{}, nil
	}
	if err != nil {
		return e, fmt.Errorf("lease of the %s: %w", l.role, err)
	}
	return e, nil
}

// write puts the holder under the key, whose revision must be the given one.
func (l *Lease) write(ctx context.Context, h Holder, revision uint64) error {
	value, err := json.Marshal(h)
	if err == nil {
		revision, err = l.roles.Update(ctx, messages.LeaseKey(l.role), value, revision)
	}
	if err != nil {
		return fmt.Errorf("lease of the %s: %w", l.role, err)
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.revision = revision
	return nil
}

// renew renews the lease until ctx ends, or it is lost, or the bus is closed.
func (l *Lease) renew(ctx context.Context) {
	defer close(l.done)
	ticker := time.NewTicker(Period)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		err := l.once(ctx)
		if ctx.Err() != nil {
			return
		}
		if errors.Is(err, ErrLost) || errors.Is(err, bus.ErrClosed) {
			l.mutex.Lock()
			l.err = err
			l.mutex.Unlock()
			return
		}
		if err != nil {
			l.log.Debug("lease not renewed, trying again", "error", err)
		}
	}
}

// once renews the lease. If the key is not as this process left it, the answer of an earlier
// renewal was lost, or the broker has begun again, or somebody else has the role.
func (l *Lease) once(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, presence.Lifetime)
	defer cancel()
	l.mutex.Lock()
	revision := l.revision
	l.mutex.Unlock()
	err := l.write(ctx, l.holder, revision)
	if !errors.Is(err, bus.ErrTaken) {
		return err
	}
	there, err := l.look(ctx)
	if err != nil {
		return err
	}
	if other := parse(there.Value); there.Value != nil && other.Owner != l.holder.Owner {
		return fmt.Errorf("this process is no longer the run's %s, which is now %s: %w", l.role, other, ErrLost)
	}
	return l.write(ctx, l.holder, there.Revision)
}

// Wait returns when the lease is lost, with an error that wraps [ErrLost] and names the new
// holder, or when the bus was closed, or with nil when ctx ends.
func (l *Lease) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-l.done:
		l.mutex.Lock()
		defer l.mutex.Unlock()
		return l.err
	}
}

// Release ends the lease, so that a successor need not wait for it to expire.
func (l *Lease) Release() {
	l.stop()
	<-l.done
	if l.err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), releaseTimeout)
	defer cancel()
	goodbye := l.holder
	goodbye.Released = true
	if err := l.write(ctx, goodbye, l.revision); err != nil {
		l.log.Debug("lease not given back; it expires", "error", err)
	}
}

// parse reads a key's value. What is no holder is one without a name.
func parse(value []byte) Holder {
	var h Holder
	if json.Unmarshal(value, &h) != nil {
		return Holder{ID: "unknown", Host: "unknown"}
	}
	return h
}

// pause waits, or returns the error of ctx.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
