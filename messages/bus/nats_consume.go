package bus

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// maxAckPending is how many messages of a consumer may be given out at a time.
	maxAckPending = 1024
	// minWait is the shortest time for which it is worth asking the broker to wait.
	minWait = 5 * time.Millisecond
	// answerTime is how long the broker's answer to a request is waited for, in this Fetch or the next ones. Then the
	// request is taken for lost and made again; should its answer come after all, it is taken all the same.
	answerTime = 5 * time.Second
)

// Consume implements Bus.
func (b *natsBus) Consume(ctx context.Context, stream Stream, name, filter string) (Consumer, error) {
	if err := CheckConsumer(name, filter); err != nil {
		return nil, fmt.Errorf("consume %v: %w", stream, err)
	}
	c := &natsConsumer{bus: b, stream: stream, name: name, filter: filter}
	if stream == Contests {
		b.awaitOptional(ctx, c.open)
	}
	if err := b.do(ctx, "consume "+stream.String()+" as "+name, c.open); err != nil {
		return nil, err
	}
	return c, nil
}

// optionalAgain is how often a role looks for a stream that runs of older programs do not have.
const optionalAgain = 30 * time.Second

// awaitOptional asks until there is what is asked for, without taking its absence for a loss, or until ctx ends.
func (b *natsBus) awaitOptional(ctx context.Context, request func(context.Context) error) {
	for ctx.Err() == nil && b.ctx.Err() == nil && gone(b.attempt(ctx, attemptTimeout, request)) {
		b.pause(ctx, optionalAgain)
	}
}

// natsConsumer is a durable pull consumer. The place of one in memory is lost with
// its stream; it is then opened again.
type natsConsumer struct {
	bus    *natsBus
	stream Stream
	name   string
	filter string

	mu     sync.Mutex
	handle jetstream.Consumer
	made   time.Time // by what the last question for its messages said

	inbox *inbox // what its requests bring; nil before the first one
}

// open makes the consumer. A role that does not create takes one that is there, and an error
// that can pass says that it is not.
func (c *natsConsumer) open(ctx context.Context) error {
	handle, err := c.take(ctx)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.handle = handle
	return nil
}

func (c *natsConsumer) take(ctx context.Context) (jetstream.Consumer, error) {
	if !c.bus.opts.Create {
		return c.bus.js.Consumer(ctx, c.bus.stream(c.stream), c.name)
	}
	filter := c.filter
	if filter != "" {
		filter = c.bus.subjects(c.stream) + filter
	}
	return c.bus.js.CreateOrUpdateConsumer(ctx, c.bus.stream(c.stream), jetstream.ConsumerConfig{
		Durable: c.name, FilterSubject: filter, DeliverPolicy: jetstream.DeliverAllPolicy,
		AckPolicy: jetstream.AckExplicitPolicy,
		AckWait:   c.bus.opts.Limits.LeaseOf(c.stream), MaxDeliver: -1, // Dropped counts deliveries
		MaxAckPending: maxAckPending, MemoryStorage: c.stream == Experience || c.stream == Kept,
	})
}

func (c *natsConsumer) consumer() jetstream.Consumer {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.handle
}

// Fetch implements Consumer. While the broker cannot be reached it waits.
func (c *natsConsumer) Fetch(ctx context.Context, n int, wait time.Duration) ([]Message, error) {
	deadline, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for attempt := 0; ; attempt++ {
		out, err := c.fetch(deadline, n)
		if len(out) > 0 {
			return out, nil
		}
		switch {
		case c.bus.ctx.Err() != nil || errors.Is(err, nats.ErrConnectionClosed):
			return nil, fmt.Errorf("fetch from %v: %w", c.stream, ErrClosed)
		case ctx.Err() != nil:
			return nil, fmt.Errorf("fetch from %v: %w", c.stream, ctx.Err())
		case deadline.Err() != nil:
			return nil, nil
		case err == nil:
			continue // all that came was dropped
		case !transient(err):
			return nil, fmt.Errorf("fetch from %v: %w", c.stream, err)
		}
		if gone(err) {
			c.bus.suspectLoss()
			_ = c.bus.attempt(deadline, attemptTimeout, c.open) // until it succeeds, fetching does not
		}
		c.bus.pause(deadline, backoff(attempt))
	}
}

// fetch takes what is there, or else waits for one message and takes what came with it.
func (c *natsConsumer) fetch(ctx context.Context, n int) (out []Message, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.bus.ctx, cancel)()
	if c.inbox == nil {
		if c.inbox, err = c.bus.openInbox(c.stream, c.name); err != nil {
			return nil, err
		}
	}
	if out, err := c.collect(ctx, nil, n); len(out) > 0 || err != nil {
		return out, err
	}
	out, err = c.ask(ctx, nil, n, 0)
	if len(out) > 0 || err != nil {
		return out, err
	}
	deadline, _ := ctx.Deadline()
	wait := time.Until(deadline)
	if wait < minWait {
		return nil, context.DeadlineExceeded
	}
	out, err = c.ask(ctx, nil, 1, wait)
	if len(out) == 0 || n == 1 {
		return out, err
	}
	out, _ = c.ask(ctx, out, n, 0)
	return out, nil
}

// ask makes a request, which the broker may let wait, and appends what it brings, up to n messages in all.
func (c *natsConsumer) ask(ctx context.Context, out []Message, n int, wait time.Duration) ([]Message, error) {
	if err := c.inbox.ask(n-len(out), wait); err != nil {
		return out, err
	}
	return c.collect(ctx, out, n)
}

// collect appends what the last request brings, up to n messages in all, without those that were given out too often.
func (c *natsConsumer) collect(ctx context.Context, out []Message, n int) ([]Message, error) {
	for len(out) < n {
		msg, err := c.inbox.next(ctx)
		if msg == nil || err != nil {
			return out, err
		}
		m, err := c.bus.message(c.stream, msg)
		if err != nil {
			return out, err
		}
		if c.bus.opts.Limits.Dropped(c.bus.log, c.stream, m.Subject(), m.Deliveries()) {
			err = msg.Term()
		} else {
			out = append(out, m)
		}
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// Pending implements Consumer.
func (c *natsConsumer) Pending(ctx context.Context) (all, own uint64, err error) {
	err = c.bus.do(ctx, "pending of "+c.stream.String(), func(ctx context.Context) error {
		info, err := c.consumer().Info(ctx)
		if errors.Is(err, jetstream.ErrConsumerNotFound) {
			if err = c.open(ctx); err == nil {
				info, err = c.consumer().Info(ctx)
			}
		}
		if err == nil {
			all = info.NumPending
			if c.stream == Experience {
				own = min(c.own(info), all) + uint64(len(c.bus.sender.slots))
			}
		}
		return err
	})
	return all, own, err
}

// own returns how many messages of this bus in Experience are not yet delivered.
func (c *natsConsumer) own(info *jetstream.ConsumerInfo) uint64 {
	c.mu.Lock()
	recreated := !c.made.IsZero() && !c.made.Equal(info.Created)
	c.made = info.Created
	c.mu.Unlock()
	if recreated { // it was in memory, as the stream was
		c.bus.sender.forget()
	}
	return c.bus.sender.behind(c.filter, info.Delivered.Stream)
}

// Close implements Consumer. What its last request still brings is given back.
func (c *natsConsumer) Close() error {
	if c.inbox != nil {
		c.inbox.close()
		c.inbox = nil
	}
	return nil
}

// natsMessage is a delivered message.
type natsMessage struct {
	bus     *natsBus
	msg     *nats.Msg
	meta    *nats.MsgMetadata
	subject string
	stream  Stream
}

func (b *natsBus) message(stream Stream, msg *nats.Msg) (*natsMessage, error) {
	meta, err := msg.Metadata()
	if err != nil {
		return nil, err
	}
	subject := strings.TrimPrefix(msg.Subject, b.subjects(stream))
	return &natsMessage{bus: b, msg: msg, meta: meta, subject: subject, stream: stream}, nil
}

func (m *natsMessage) Data() []byte     { return m.msg.Data }
func (m *natsMessage) Subject() string  { return m.subject }
func (m *natsMessage) Sequence() uint64 { return m.meta.Sequence.Stream }

func (m *natsMessage) Deliveries() int { return int(m.meta.NumDelivered) }

// Ack waits for the broker's confirmation, except for experience, where a lost
// acknowledgement costs little: the learner knows the batch when it comes again.
func (m *natsMessage) Ack(ctx context.Context) error {
	var err error
	if m.stream == Experience {
		err = m.msg.Ack()
	} else {
		err = m.bus.attempt(ctx, attemptTimeout, func(ctx context.Context) error {
			return m.msg.AckSync(nats.Context(ctx))
		})
	}
	return m.wrap("acknowledge", err)
}

func (m *natsMessage) Nak(delay time.Duration) error {
	return m.wrap("give back", m.msg.NakWithDelay(delay))
}

func (m *natsMessage) InProgress() error {
	return m.wrap("renew the lease of", m.msg.InProgress())
}

func (m *natsMessage) wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s of %v: %w", what, m.subject, m.stream, offline(err))
}
