// Package memory is a transport of package bus within one process, for tests and
// tools: production uses NATS. It keeps to the same limits, passes the same suite
// (package bustest), and nothing of it outlives its process.
package memory

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"croupier/messages"
	"croupier/messages/bus"
)

// Bus carries the messages of one run between the roles of one process. All of them
// share it; closing it closes it for all.
type Bus struct {
	opts    bus.Options
	streams [bus.Outcomes + 1]*stream
	state   *bucket
	roles   *bucket

	mu        sync.Mutex
	objects   map[string][]byte
	listeners map[string]map[chan bus.Datagram]struct{} // by filter of subjects

	done    chan struct{} // closed by Close, with mu held
	running sync.WaitGroup
}

var _ bus.Bus = (*Bus)(nil)

// New returns an empty bus. A zero limit stands for its default.
func New(opts bus.Options) *Bus {
	opts = opts.WithDefaults()
	b := &Bus{
		opts: opts, objects: map[string][]byte{}, listeners: map[string]map[chan bus.Datagram]struct{}{},
		done: make(chan struct{}),
	}
	b.streams[bus.Experience] = newStream(opts.ExperienceBytes, opts.ExperienceAge, opts.Lease)
	b.streams[bus.Matches] = newStream(opts.MatchBytes, 0, opts.MatchLease)
	b.streams[bus.Results] = newStream(opts.ResultBytes, 0, opts.Lease)
	b.streams[bus.Curves] = newStream(opts.CurveBytes, 0, opts.Lease)
	b.streams[bus.Kept] = newStream(opts.KeptBytes, 0, opts.Lease)
	b.streams[bus.Experience].perSubject, b.streams[bus.Kept].perSubject = opts.ActorBatches, opts.ActorBatches
	b.streams[bus.Contests] = newStream(bus.ContestBytes, bus.ContestAge, opts.MatchLease)
	b.streams[bus.Outcomes] = newStream(bus.OutcomeBytes, bus.ContestAge, opts.Lease)
	for _, queue := range []bus.Stream{bus.Matches, bus.Contests} {
		b.streams[queue].discardNew, b.streams[queue].workQueue = true, true
	}
	b.streams[bus.Results].discardNew, b.streams[bus.Results].onePerSubject = true, true
	b.state, b.roles = newBucket(b, opts.StateBytes, 0), newBucket(b, bus.RoleBytes, opts.RoleTTL)
	return b
}

// check returns why no operation can begin.
func (b *Bus) check(ctx context.Context) error {
	select {
	case <-b.done:
		return bus.ErrClosed
	default:
		return ctx.Err()
	}
}

// start runs a goroutine that Close waits for.
func (b *Bus) start(ctx context.Context, run func()) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.check(ctx); err != nil {
		return err
	}
	b.running.Go(run)
	return nil
}

// Publish implements Bus.
func (b *Bus) Publish(ctx context.Context, stream bus.Stream, subject string, data []byte) error {
	if err := b.opts.CheckMessage(stream, subject, data); err != nil {
		return err
	}
	err := b.check(ctx)
	if err == nil {
		err = b.streams[stream].publish(subject, bytes.Clone(data))
	}
	if err != nil {
		return fmt.Errorf("publish %s to %v: %w", subject, stream, err)
	}
	return nil
}

// MaxMessage implements Bus.
func (b *Bus) MaxMessage(stream bus.Stream) int { return b.opts.Largest(stream) }

// Consume implements Bus.
func (b *Bus) Consume(ctx context.Context, stream bus.Stream, name, filter string) (bus.Consumer, error) {
	err := b.check(ctx)
	if err == nil {
		err = bus.CheckConsumer(name, filter)
	}
	if err != nil {
		return nil, fmt.Errorf("consume %v: %w", stream, err)
	}
	place, err := b.streams[stream].open(name, filter)
	if err != nil {
		return nil, fmt.Errorf("consume %v as %s: %w", stream, name, err)
	}
	return &consumer{bus: b, kind: stream, stream: b.streams[stream], place: place}, nil
}

// Read implements Bus.
func (b *Bus) Read(ctx context.Context, stream bus.Stream, from uint64) (<-chan bus.Message, error) {
	if stream.Queue() {
		return nil, fmt.Errorf("read %v: a work queue can only be consumed", stream)
	}
	out := make(chan bus.Message)
	err := b.start(ctx, func() {
		defer close(out)
		b.read(ctx, b.streams[stream], max(from, 1), out)
	})
	if err != nil {
		return nil, fmt.Errorf("read %v: %w", stream, err)
	}
	return out, nil
}

// read sends messages from sequence next on, and nil once those of the beginning are sent.
func (b *Bus) read(ctx context.Context, s *stream, next uint64, out chan<- bus.Message) {
	present := s.info().Last
	for marked := false; ; {
		batch, changed := s.after(next, 64)
		if !marked && (len(batch) == 0 || batch[0].sequence > present) {
			marked = true
			if !bus.Deliver(ctx, b.done, out, nil) {
				return
			}
		}
		for _, m := range batch {
			if !marked && m.sequence > present {
				break
			}
			if !bus.Deliver(ctx, b.done, out, bus.Message(&message{stored: m, deliveries: 1})) {
				return
			}
			next = m.sequence + 1
		}
		if len(batch) > 0 {
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		case <-b.done:
			return
		}
	}
}

// Info implements Bus.
func (b *Bus) Info(ctx context.Context, stream bus.Stream) (bus.StreamInfo, error) {
	if err := b.check(ctx); err != nil {
		return bus.StreamInfo{}, fmt.Errorf("info of %v: %w", stream, err)
	}
	return b.streams[stream].info(), nil
}

// Queued implements Bus.
func (b *Bus) Queued(ctx context.Context) (subjects []string, err error) {
	if err := b.check(ctx); err != nil {
		return nil, fmt.Errorf("list %v: %w", bus.Matches, err)
	}
	waiting, _ := b.streams[bus.Matches].after(1, math.MaxInt32)
	for _, r := range waiting {
		subjects = append(subjects, r.subject)
	}
	return subjects, nil
}

// Trim implements Bus.
func (b *Bus) Trim(ctx context.Context, below uint64) error {
	if err := b.check(ctx); err != nil {
		return fmt.Errorf("trim %v: %w", bus.Results, err)
	}
	b.streams[bus.Results].trim(below)
	return nil
}

// Withdraw implements Bus.
func (b *Bus) Withdraw(ctx context.Context, tournament string) error {
	err := b.check(ctx)
	if err == nil {
		err = messages.CheckToken(tournament)
	}
	if err != nil {
		return fmt.Errorf("withdraw: %w", err)
	}
	for _, s := range []bus.Stream{bus.Contests, bus.Outcomes} {
		b.streams[s].withdraw(tournament + ".")
	}
	return nil
}

// PutObject implements Bus.
func (b *Bus) PutObject(ctx context.Context, name string, data []byte) error {
	return b.object(ctx, "put", name, func() error {
		if err := b.opts.CheckObjectSize(len(data)); err != nil {
			return err
		}
		if _, taken := b.objects[name]; taken {
			return bus.ErrTaken
		}
		size := int64(len(data))
		for _, o := range b.objects {
			size += int64(len(o))
		}
		if size > b.opts.ObjectBytes {
			return errFull
		}
		b.objects[name] = bytes.Clone(data)
		return nil
	})
}

// GetObject implements Bus.
func (b *Bus) GetObject(ctx context.Context, name string) (data []byte, err error) {
	err = b.object(ctx, "get", name, func() error {
		stored, ok := b.objects[name]
		if !ok {
			return bus.ErrNotFound
		}
		data = bytes.Clone(stored)
		return nil
	})
	return data, err
}

// DeleteObject implements Bus.
func (b *Bus) DeleteObject(ctx context.Context, name string) error {
	return b.object(ctx, "delete", name, func() error {
		if _, ok := b.objects[name]; !ok {
			return bus.ErrNotFound
		}
		delete(b.objects, name)
		return nil
	})
}

// object runs an operation on one object under the lock.
func (b *Bus) object(ctx context.Context, what, name string, do func() error) error {
	err := bus.CheckObject(name)
	if err == nil {
		err = b.check(ctx)
	}
	if err == nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		err = do()
	}
	if err != nil {
		return fmt.Errorf("%s object %.80s: %w", what, name, err)
	}
	return nil
}

// ListObjects implements Bus.
func (b *Bus) ListObjects(ctx context.Context) ([]string, error) {
	if err := b.check(ctx); err != nil {
		return nil, fmt.Errorf("list objects: %w", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Sorted(maps.Keys(b.objects)), nil
}

// State implements Bus.
func (b *Bus) State() bus.KV { return b.state }

// Roles implements Bus.
func (b *Bus) Roles() bus.KV { return b.roles }

// Connected implements Bus.
func (b *Bus) Connected() bool { return b.check(context.Background()) == nil }

// Close implements Bus. It waits for all channels to be closed.
func (b *Bus) Close() error {
	b.mu.Lock()
	if b.Connected() {
		close(b.done)
	}
	b.mu.Unlock()
	b.running.Wait()
	return nil
}
