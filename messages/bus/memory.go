package bus

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"croupier/messages"
)

// Memory is a Bus within one process, for tests and tools. It keeps to the same
// limits as the NATS transport, and nothing outlives it.
type Memory struct {
	opts    Options
	streams [Curves + 1]*memoryStream
	state   *memoryKV
	roles   *memoryKV

	mu      sync.Mutex
	objects map[string][]byte

	done    chan struct{} // closed by Close, with mu held
	running sync.WaitGroup
}

var _ Bus = (*Memory)(nil)

// NewMemory returns an empty bus. A zero limit stands for its default.
func NewMemory(opts Options) *Memory {
	opts = opts.withDefaults()
	b := &Memory{opts: opts, objects: map[string][]byte{}, done: make(chan struct{})}
	b.streams[Experience] = newMemoryStream(opts.ExperienceBytes, opts.ExperienceAge, opts.Lease)
	b.streams[Matches] = newMemoryStream(opts.MatchBytes, 0, opts.Lease)
	b.streams[Results] = newMemoryStream(opts.ResultBytes, 0, opts.Lease)
	b.streams[Curves] = newMemoryStream(opts.CurveBytes, 0, opts.Lease)
	b.streams[Matches].discardNew, b.streams[Matches].workQueue = true, true
	b.streams[Results].discardNew, b.streams[Results].onePerSubject = true, true
	b.state, b.roles = newMemoryKV(b, opts.StateBytes, 0), newMemoryKV(b, roleBytes, opts.RoleTTL)
	return b
}

// check returns why no operation can begin.
func (b *Memory) check(ctx context.Context) error {
	select {
	case <-b.done:
		return ErrClosed
	default:
		return ctx.Err()
	}
}

// start runs a goroutine that Close waits for.
func (b *Memory) start(ctx context.Context, run func()) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.check(ctx); err != nil {
		return err
	}
	b.running.Go(run)
	return nil
}

// Publish implements Bus.
func (b *Memory) Publish(ctx context.Context, stream Stream, subject string, data []byte) error {
	if err := b.opts.checkMessage(stream, subject, data); err != nil {
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

// Consume implements Bus.
func (b *Memory) Consume(ctx context.Context, stream Stream, name string) (Consumer, error) {
	err := b.check(ctx)
	if err == nil {
		err = messages.CheckToken(name)
	}
	if err != nil {
		return nil, fmt.Errorf("consume %v: %w", stream, err)
	}
	place, err := b.streams[stream].open(name)
	if err != nil {
		return nil, fmt.Errorf("consume %v as %s: %w", stream, name, err)
	}
	return &memoryConsumer{bus: b, kind: stream, stream: b.streams[stream], place: place}, nil
}

// Read implements Bus.
func (b *Memory) Read(ctx context.Context, stream Stream, from uint64) (<-chan Message, error) {
	if stream == Matches {
		return nil, fmt.Errorf("read %v: a work queue can only be consumed", stream)
	}
	out := make(chan Message)
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
func (b *Memory) read(ctx context.Context, s *memoryStream, next uint64, out chan<- Message) {
	present := s.info().Last
	for marked := false; ; {
		batch, changed := s.after(next, 64)
		if !marked && (len(batch) == 0 || batch[0].sequence > present) {
			marked = true
			if !send(ctx, b.done, out, nil) {
				return
			}
		}
		for _, m := range batch {
			if !marked && m.sequence > present {
				break
			}
			if !send(ctx, b.done, out, Message(&memoryMessage{memoryRecord: m, deliveries: 1})) {
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

// send reports whether v was taken before the context or the bus ended.
func send[T any](ctx context.Context, done <-chan struct{}, out chan<- T, v T) bool {
	select {
	case out <- v:
		return true
	case <-ctx.Done():
	case <-done:
	}
	return false
}

// Info implements Bus.
func (b *Memory) Info(ctx context.Context, stream Stream) (StreamInfo, error) {
	if err := b.check(ctx); err != nil {
		return StreamInfo{}, fmt.Errorf("info of %v: %w", stream, err)
	}
	return b.streams[stream].info(), nil
}

// PutObject implements Bus.
func (b *Memory) PutObject(ctx context.Context, name string, data []byte) error {
	return b.object(ctx, "put", name, func() error {
		if err := b.opts.checkObjectSize(len(data)); err != nil {
			return err
		}
		if _, taken := b.objects[name]; taken {
			return ErrTaken
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
func (b *Memory) GetObject(ctx context.Context, name string) (data []byte, err error) {
	err = b.object(ctx, "get", name, func() error {
		stored, ok := b.objects[name]
		if !ok {
			return ErrNotFound
		}
		data = bytes.Clone(stored)
		return nil
	})
	return data, err
}

// DeleteObject implements Bus.
func (b *Memory) DeleteObject(ctx context.Context, name string) error {
	return b.object(ctx, "delete", name, func() error {
		if _, ok := b.objects[name]; !ok {
			return ErrNotFound
		}
		delete(b.objects, name)
		return nil
	})
}

// object runs an operation on one object under the lock.
func (b *Memory) object(ctx context.Context, what, name string, do func() error) error {
	err := checkObject(name)
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
func (b *Memory) ListObjects(ctx context.Context) ([]string, error) {
	if err := b.check(ctx); err != nil {
		return nil, fmt.Errorf("list objects: %w", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Sorted(maps.Keys(b.objects)), nil
}

// State implements Bus.
func (b *Memory) State() KV { return b.state }

// Roles implements Bus.
func (b *Memory) Roles() KV { return b.roles }

// Connected implements Bus.
func (b *Memory) Connected() bool { return b.check(context.Background()) == nil }

// Close implements Bus. It waits for all channels to be closed.
func (b *Memory) Close() error {
	b.mu.Lock()
	if b.Connected() {
		close(b.done)
	}
	b.mu.Unlock()
	b.running.Wait()
	return nil
}
