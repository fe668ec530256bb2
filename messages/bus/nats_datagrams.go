package bus

import (
	"context"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
)

// datagramSubject is the subject of NATS for a subject of datagrams.
func (b *natsBus) datagramSubject(subject string) string {
	return "croupier." + b.opts.Run + ".told." + subject
}

// Send implements Bus: a message of core NATS. What the broker has refused once is not sent again before the next
// connection.
func (b *natsBus) Send(ctx context.Context, subject string, data []byte) error {
	err := CheckDatagram(subject, data)
	if err != nil {
		return err
	}
	if err = ctx.Err(); err == nil && b.ctx.Err() != nil {
		err = ErrClosed
	}
	if err == nil {
		err = b.forbidden.publishing(b.datagramSubject(subject))
	}
	if err == nil {
		err = offline(b.conn.Publish(b.datagramSubject(subject), data))
	}
	if err != nil {
		return fmt.Errorf("send %s: %w", subject, err)
	}
	return nil
}

// Subscribe implements Bus.
func (b *natsBus) Subscribe(ctx context.Context, subjects ...string) (<-chan []byte, error) {
	for _, subject := range subjects {
		if err := CheckDatagram(subject, nil); err != nil {
			return nil, err
		}
	}
	return subscribe(ctx, b, subjects, func(m *nats.Msg) []byte { return m.Data })
}

// SubscribeAll implements Bus.
func (b *natsBus) SubscribeAll(ctx context.Context, filter string) (<-chan Datagram, error) {
	if err := CheckSubscription(filter); err != nil {
		return nil, err
	}
	return subscribe(ctx, b, []string{filter}, func(m *nats.Msg) Datagram {
		return Datagram{Subject: strings.TrimPrefix(m.Subject, b.datagramSubject("")), Data: m.Data}
	})
}

// subscribe returns what is sent from now on to the subjects of filters, each datagram as read returns it.
func subscribe[T any](ctx context.Context, b *natsBus, filters []string, read func(*nats.Msg) T) (<-chan T, error) {
	pending, out := make(chan *nats.Msg, MaxPending), make(chan T)
	stop, err := b.deliver(ctx, pending, filters)
	if err == nil {
		err = b.start(ctx, func() {
			defer close(out)
			defer stop()
			for {
				select {
				case m := <-pending:
					if !Deliver(ctx, b.ctx.Done(), out, read(m)) {
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
		stop()
		return nil, fmt.Errorf("subscribe to %s: %w", strings.Join(filters, " and "), err)
	}
	return out, nil
}

// deliver has what is sent to the subjects of filters from its return on delivered to a channel, until stop is called.
func (b *natsBus) deliver(ctx context.Context, pending chan *nats.Msg, filters []string) (stop func(), err error) {
	var all []*nats.Subscription
	stop = func() {
		for _, s := range all {
			_ = s.Unsubscribe() // fails where the connection is gone already
		}
	}
	for _, filter := range filters {
		s, err := b.conn.ChanSubscribe(b.datagramSubject(filter), pending)
		if err != nil {
			return stop, err
		}
		all = append(all, s)
		if err := b.send(ctx, "subscribe to "+filter, b.datagramSubject(filter), b.conn.FlushWithContext); err != nil {
			return stop, err
		}
	}
	return stop, nil
}
