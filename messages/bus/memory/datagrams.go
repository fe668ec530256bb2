package memory

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"croupier/messages/bus"
)

// Send implements Bus.
func (b *Bus) Send(ctx context.Context, subject string, data []byte) error {
	err := bus.CheckDatagram(subject, data)
	if err != nil {
		return err
	}
	if err := b.check(ctx); err != nil {
		return fmt.Errorf("send %s: %w", subject, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for filter, all := range b.listeners {
		if !bus.Takes(filter, subject) {
			continue
		}
		for pending := range all {
			select {
			case pending <- bus.Datagram{Subject: subject, Data: bytes.Clone(data)}:
			default: // it is too far behind
			}
		}
	}
	return nil
}

// Subscribe implements Bus.
func (b *Bus) Subscribe(ctx context.Context, subjects ...string) (<-chan []byte, error) {
	for _, subject := range subjects {
		if err := bus.CheckDatagram(subject, nil); err != nil {
			return nil, err
		}
	}
	return subscribe(ctx, b, subjects, func(m bus.Datagram) []byte { return m.Data })
}

// SubscribeAll implements Bus.
func (b *Bus) SubscribeAll(ctx context.Context, filter string) (<-chan bus.Datagram, error) {
	if err := bus.CheckSubscription(filter); err != nil {
		return nil, err
	}
	return subscribe(ctx, b, []string{filter}, func(m bus.Datagram) bus.Datagram { return m })
}

// subscribe returns what is sent from now on to the subjects of filters, each datagram as read returns it.
func subscribe[T any](ctx context.Context, b *Bus, filters []string, read func(bus.Datagram) T) (<-chan T, error) {
	pending, out := make(chan bus.Datagram, bus.MaxPending), make(chan T)
	b.register(filters, pending)
	err := b.start(ctx, func() {
		defer close(out)
		defer b.unregister(filters, pending)
		for {
			select {
			case m := <-pending:
				if !bus.Deliver(ctx, b.done, out, read(m)) {
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
		b.unregister(filters, pending)
		return nil, fmt.Errorf("subscribe to %s: %w", strings.Join(filters, " and "), err)
	}
	return out, nil
}

func (b *Bus) register(filters []string, pending chan bus.Datagram) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, filter := range filters {
		if b.listeners[filter] == nil {
			b.listeners[filter] = map[chan bus.Datagram]struct{}{}
		}
		b.listeners[filter][pending] = struct{}{}
	}
}

func (b *Bus) unregister(filters []string, pending chan bus.Datagram) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, filter := range filters {
		delete(b.listeners[filter], pending)
	}
}
