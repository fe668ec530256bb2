package memory

import (
	"bytes"
	"context"
	"fmt"
	"strings"

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
	for filter, all := range b.listeners {
		if !bus.Takes(filter, subject) {
			continue
		}
		for heard := range all {
			select {
			case heard <- bus.Told{Subject: subject, Data: bytes.Clone(data)}:
			default: // it is too far behind
			}
		}
	}
	return nil
}

// Listen implements Bus.
func (b *Bus) Listen(ctx context.Context, subjects ...string) (<-chan []byte, error) {
	for _, subject := range subjects {
		if err := bus.CheckTold(subject, nil); err != nil {
			return nil, err
		}
	}
	return hear(ctx, b, subjects, func(m bus.Told) []byte { return m.Data })
}

// ListenAll implements Bus.
func (b *Bus) ListenAll(ctx context.Context, filter string) (<-chan bus.Told, error) {
	if err := bus.CheckHeard(filter); err != nil {
		return nil, err
	}
	return hear(ctx, b, []string{filter}, func(m bus.Told) bus.Told { return m })
}

// hear returns what is told from now on to the subjects of filters, each message as read returns it.
func hear[T any](ctx context.Context, b *Bus, filters []string, read func(bus.Told) T) (<-chan T, error) {
	heard, out := make(chan bus.Told, bus.Unheard), make(chan T)
	b.listen(filters, heard)
	err := b.start(ctx, func() {
		defer close(out)
		defer b.hush(filters, heard)
		for {
			select {
			case m := <-heard:
				if !bus.Send(ctx, b.done, out, read(m)) {
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
		b.hush(filters, heard)
		return nil, fmt.Errorf("listen to %s: %w", strings.Join(filters, " and "), err)
	}
	return out, nil
}

func (b *Bus) listen(filters []string, heard chan bus.Told) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, filter := range filters {
		if b.listeners[filter] == nil {
			b.listeners[filter] = map[chan bus.Told]struct{}{}
		}
		b.listeners[filter][heard] = struct{}{}
	}
}

func (b *Bus) hush(filters []string, heard chan bus.Told) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, filter := range filters {
		delete(b.listeners[filter], heard)
	}
}
