package web

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"croupier/engine"
	"croupier/messages"
	"croupier/messages/bus"
)

// Times of the feed.
const (
	tickEvery   = time.Second     // connection check, lag, forgetting of gone roles
	retryAfter  = time.Second     // after a read or watch could not be opened
	infoTimeout = 2 * time.Second // for the broker's answer about the stream
)

// Feed follows one run through its bus and keeps what pages and the terminal show,
// in bounded memory. Its methods may be called from any goroutine.
type Feed struct {
	bus bus.Bus
	run string
	log *slog.Logger

	mu          sync.Mutex
	model       *model
	cached      *Snapshot       // of the model's present version, or nil
	next        uint64          // first Curves sequence not yet applied
	published   uint64          // newest Curves sequence when the broker was last asked
	reread      func()          // ends the running read of Curves, which then starts again
	unread      map[string]bool // what has not been read to its present end
	subscribers map[chan struct{}]struct{}
}

const readCurves = "read curves" // the name of that work

// NewFeed returns a feed of the bus's run; it is empty until Run works. Amounts are shown in the coin of the run's
// game, whose description is nil where it is not known.
func NewFeed(b bus.Bus, run string, spec *engine.Spec, log *slog.Logger) *Feed {
	return newFeed(b, run, spec, log, defaultLimits)
}

func newFeed(b bus.Bus, run string, spec *engine.Spec, log *slog.Logger, limits limits) *Feed {
	return &Feed{
		bus:         b,
		run:         run,
		log:         log.With("run", run),
		model:       newModel(newEpoch(), spec, limits),
		next:        1,
		reread:      func() {},
		unread:      map[string]bool{},
		subscribers: map[chan struct{}]struct{}{},
	}
}

// newEpoch names a sequence of versions, so that a reader's place in another one
// (before a restart) is not taken for a place in this one.
func newEpoch() string { return rand.Text()[:12] }

// Run follows the run until ctx ends, which is no error. It returns early only when
// the bus was closed; a lost connection is waited out.
func (f *Feed) Run(ctx context.Context) error {
	works := map[string]func(context.Context) error{readCurves: f.readCurves}
	for _, key := range []string{
		messages.ConfigKey, learnerKey, messages.MemberPrefix, messages.LadderKey,
		messages.MatchmakingKey(messages.LearningAgent),
	} {
		w := &watcher{feed: f, name: "watch state " + key, kv: f.bus.State(), prefix: key, apply: (*model).applyState}
		works[w.name] = w.watch
	}
	w := &watcher{feed: f, name: "watch roles", kv: f.bus.Roles(), apply: func(m *model, e bus.Entry) error {
		return m.applyRole(e, time.Now())
	}}
	works[w.name] = w.watch
	f.mu.Lock()
	for name := range works {
		f.unread[name] = true
	}
	f.mu.Unlock()
	group, ctx := errgroup.WithContext(ctx)
	for name, work := range works {
		group.Go(func() error { return f.persist(ctx, name, work) })
	}
	group.Go(func() error { return f.tick(ctx) })
	if err := group.Wait(); err != nil {
		return fmt.Errorf("feed of run %s: %w", f.run, err)
	}
	return nil
}

// read notes that what has the name was read to its present end; the caller holds the lock. What is shown is complete
// once everything was.
func (f *Feed) read(name string, m *model) {
	delete(f.unread, name)
	if len(f.unread) == 0 {
		m.setCaughtUp()
	}
}

// persist repeats the work until ctx ends or the bus is closed.
func (f *Feed) persist(ctx context.Context, what string, work func(context.Context) error) error {
	for {
		err := work(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, bus.ErrClosed):
			return fmt.Errorf("%s: %w", what, err)
		case err != nil:
			f.log.Warn("Cannot follow the run, trying again", "operation", what, "error", err)
		}
		sleep(ctx, retryAfter)
	}
}

func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// update changes the model under the lock and tells the subscribers if that began a
// new version. Each is notified at most once until it looks.
func (f *Feed) update(change func(*model) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	before := f.model.version
	if err := change(f.model); err != nil {
		f.log.Warn("Refused what cannot be shown", "error", err)
	}
	if f.model.version == before {
		return
	}
	f.cached = nil
	for changed := range f.subscribers {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
}

// readCurves applies the stream from the first message not yet applied.
func (f *Feed) readCurves(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f.mu.Lock()
	from := f.next
	f.reread = cancel
	f.mu.Unlock()
	stream, err := f.bus.Read(ctx, bus.Curves, from)
	if err != nil {
		return err
	}
	for msg := range stream {
		f.update(func(m *model) error {
			switch {
			case ctx.Err() != nil:
				return nil
			case msg == nil:
				f.read(readCurves, m)
				return nil
			}
			f.next = msg.Sequence() + 1
			return m.applyPoints(msg.Data())
		})
	}
	return nil
}

// watcher applies a bucket's entries to the model, across reopened watches.
type watcher struct {
	feed    *Feed
	name    string // says what it does
	kv      bus.KV
	prefix  string
	apply   func(*model, bus.Entry) error
	present map[string]bool // keys that the model holds because of this watcher
}

// watch applies entries until the channel closes. Keys that vanished while nobody
// watched are deleted once all present values have come.
func (w *watcher) watch(ctx context.Context) error {
	entries, err := w.kv.Watch(ctx, w.prefix)
	if err != nil {
		return err
	}
	vanished := w.present
	w.present = map[string]bool{}
	for entry := range entries {
		if entry.Key == "" {
			for key := range vanished {
				w.feed.update(func(m *model) error { return w.apply(m, bus.Entry{Key: key}) })
			}
			vanished = nil
			w.feed.update(func(m *model) error { w.feed.read(w.name, m); return nil })
			continue
		}
		delete(vanished, entry.Key)
		if entry.Value == nil {
			delete(w.present, entry.Key)
		} else {
			w.present[entry.Key] = true
		}
		w.feed.update(func(m *model) error { return w.apply(m, entry) })
	}
	for key := range vanished {
		w.present[key] = true
	}
	return nil
}

// tick looks after what no message announces.
func (f *Feed) tick(ctx context.Context) error {
	ticker := time.NewTicker(tickEvery)
	defer ticker.Stop()
	for {
		connected := f.bus.Connected()
		f.update(func(m *model) error {
			m.setConnected(connected)
			m.prune(time.Now())
			return nil
		})
		if connected {
			f.checkStream(ctx)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// checkStream measures the lag. A stream that ends before what was already read is
// another one, or lost its end with the broker: it is read again from the beginning.
func (f *Feed) checkStream(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, infoTimeout)
	defer cancel()
	f.mu.Lock()
	applied := f.next - 1 // before asking: the stream's end is at least this
	f.mu.Unlock()
	info, err := f.bus.Info(ctx, bus.Curves)
	if err != nil {
		return // the next tick asks again; a lost connection is shown by Connected
	}
	f.update(func(m *model) error {
		if info.Last < applied {
			f.log.Warn("The stream of curves went back, reading it again", "read", applied, "last", info.Last)
			m.forgetCurves(newEpoch())
			f.unread[readCurves] = true
			f.next = 1
			f.reread()
		}
		f.published = info.Last
		return nil
	})
}

// End has the run shown as one that has ended.
func (f *Feed) End(e Ending) {
	f.update(func(m *model) error {
		m.end(e)
		return nil
	})
}

// Expect has the run shown as one that ends at goals that are so far off, each in words.
func (f *Feed) Expect(goals []string) {
	f.update(func(m *model) error {
		m.expect(goals)
		return nil
	})
}

// Plan has the run shown as one with a course.
func (f *Feed) Plan(c Course) {
	f.update(func(m *model) error {
		m.setCourse(&c)
		return nil
	})
}

// Lag is the number of Curves messages that were published when the broker was last
// asked, a second ago at most, and are not yet applied.
func (f *Feed) Lag() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.published - min(f.published, f.next-1)
}

// Refused counts what could not be taken in, by reason.
func (f *Feed) Refused() map[string]uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.model.refused)
}

// Snapshot returns the present state. It is cheap: the same value is returned until
// something changes, and curves are shared, not copied.
func (f *Feed) Snapshot() *Snapshot {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cached == nil {
		f.cached = f.model.snapshot(f.run)
	}
	return f.cached
}

// Subscribe returns a channel that receives after something changed. Changes that
// come faster than the receiver looks are one notification. Call cancel when done.
func (f *Feed) Subscribe() (changed <-chan struct{}, cancel func()) {
	c := make(chan struct{}, 1)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.subscribers[c] = struct{}{}
	return c, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.subscribers, c)
	}
}
