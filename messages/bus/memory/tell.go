package memory

import (
	"bytes"
	"context"
	"fmt"

	"croupier/messages/bus"
)

// Tell implements Bus.
func (b *Bus) Tell(ctx context.Context, subject string, data []byte) error {
	err := bus.CheckTold(subject, data)
	if err != nil {
		return err
	}
	if err := b.check(ctx); err != nil {
		return fmt.Errorf("tell %s: %w", subject, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for heard := range b.listeners[subject] {
		select {
		case heard <- bytes.Clone(data):
		default: // it is too far behind
		}
	}
	return nil
}

// Listen implements Bus.
func (b *Bus) Listen(ctx context.Context, subject string) (<-chan []byte, error) {
	if err := bus.CheckTold(subject, nil); err != nil {
		return nil, err
	}
	heard, out := make(chan []byte, bus.Unheard), make(chan []byte)
	b.listen(subject, heard)
	err := b.start(ctx, func() {
		defer close(out)
		defer b.hush(subject, heard)
		for {
			select {
			case data := <-heard:
				if !bus.Send(ctx, b.done, out, data) {
					return
				}
			case <-ctx.Done():
				return
			case <-b.done:
				return
			}
		}
	})
	if err != nil {
		b.hush(subject, heard)
		return nil, fmt.Errorf("listen to %s: %w", subject, err)
	}
	return out, nil
}

func (b *Bus) listen(subject string, heard chan []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.listeners[subject] == nil {
		b.listeners[subject] = map[chan []byte]struct{}{}
	}
	b.listeners[subject][heard] = struct{}{}
}

func (b *Bus) hush(subject string, heard chan []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.listeners[subject], heard)
}
