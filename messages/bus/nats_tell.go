package bus

import (
	"context"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
)

// told begins the subjects of what is told in a run.
func (b *natsBus) told(subject string) string { return "croupier." + b.opts.Run + ".told." + subject }

// Tell implements Bus: a message of core NATS. What the broker has refused once is not sent again before the next
// connection.
func (b *natsBus) Tell(ctx context.Context, subject string, data []byte) error {
	err := CheckTold(subject, data)
	if err != nil {
		return err
	}
	if err = ctx.Err(); err == nil && b.ctx.Err() != nil {
		err = ErrClosed
	}
	if err == nil {
		err = b.forbidden.publishing(b.told(subject))
	}
	if err == nil {
		err = offline(b.conn.Publish(b.told(subject), data))
	}
	if err != nil {
		return fmt.Errorf("tell %s: %w", subject, err)
	}
	return nil
}

// Listen implements Bus.
func (b *natsBus) Listen(ctx context.Context, subjects ...string) (<-chan []byte, error) {
	for _, subject := range subjects {
		if err := CheckTold(subject, nil); err != nil {
			return nil, err
		}
	}
	return hear(ctx, b, subjects, func(m *nats.Msg) []byte { return m.Data })
}

// ListenAll implements Bus.
func (b *natsBus) ListenAll(ctx context.Context, filter string) (<-chan Told, error) {
	if err := CheckHeard(filter); err != nil {
		return nil, err
	}
	return hear(ctx, b, []string{filter}, func(m *nats.Msg) Told {
		return Told{Subject: strings.TrimPrefix(m.Subject, b.told("")), Data: m.Data}
	})
}

// hear returns what is told from now on to the subjects of filters, each message as read returns it.
func hear[T any](ctx context.Context, b *natsBus, filters []string, read func(*nats.Msg) T) (<-chan T, error) {
	heard, out := make(chan *nats.Msg, Unheard), make(chan T)
	hush, err := b.subscribe(ctx, heard, filters)
	if err == nil {
		err = b.start(ctx, func() {
			defer close(out)
			defer hush()
			for {
				select {
				case m := <-heard:
					if !Send(ctx, b.ctx.Done(), out, read(m)) {
						return
					}
				case <-ctx.Done():
					return
				case <-b.ctx.Done():
					return
				}
			}
		})
	}
	if err != nil {
		hush()
		return nil, fmt.Errorf("listen to %s: %w", strings.Join(filters, " and "), err)
	}
	return out, nil
}

// subscribe has what is told to the subjects of filters from its return on sent to a channel, until hush is called.
func (b *natsBus) subscribe(ctx context.Context, heard chan *nats.Msg, filters []string) (hush func(), err error) {
	var all []*nats.Subscription
	hush = func() {
		for _, s := range all {
			_ = s.Unsubscribe() // fails where the connection is gone already
		}
	}
	for _, filter := range filters {
		s, err := b.conn.ChanSubscribe(b.told(filter), heard)
		if err != nil {
			return hush, err
		}
		all = append(all, s)
		if err := b.send(ctx, "listen to "+filter, b.told(filter), b.conn.FlushWithContext); err != nil {
			return hush, err
		}
	}
	return hush, nil
}
