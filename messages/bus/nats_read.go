package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// readAhead is how many messages a reader asks for at a time.
	readAhead = 256
	// readAheadBytes bounds their size; it is well above that of the largest message.
	readAheadBytes = 4 << 20
	// readerGone is after how long the broker forgets a reader that is silent.
	readerGone = 30 * time.Second
)

// Info implements Bus.
func (b *natsBus) Info(ctx context.Context, stream Stream) (StreamInfo, error) {
	info, err := b.streamInfo(ctx, stream)
	if err != nil {
		return StreamInfo{}, err
	}
	s := info.State
	return StreamInfo{Messages: s.Msgs, Bytes: s.Bytes, First: max(s.FirstSeq, 1), Last: s.LastSeq}, nil
}

func (b *natsBus) streamInfo(ctx context.Context, stream Stream) (info *jetstream.StreamInfo, err error) {
	err = b.do(ctx, "info of "+stream.String(), func(ctx context.Context) error {
		s, err := b.js.Stream(ctx, b.stream(stream))
		if err == nil {
			info = s.CachedInfo()
		}
		return err
	})
	return info, err
}

// Read implements Bus.
func (b *natsBus) Read(ctx context.Context, stream Stream, from uint64) (<-chan Message, error) {
	if stream == Matches {
		return nil, fmt.Errorf("read %v: a work queue can only be consumed", stream)
	}
	info, err := b.streamInfo(ctx, stream)
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	r := &reader{
		bus: b, stream: stream, out: make(chan Message),
		next: max(from, 1), made: info.Created, present: info.State.LastSeq,
	}
	err = b.start(ctx, func() {
		defer close(r.out)
		r.run(ctx)
	})
	if err != nil {
		return nil, fmt.Errorf("read %v: %w", stream, err)
	}
	return r.out, nil
}

// reader follows a stream across lost connections and restarts of the broker.
type reader struct {
	bus    *natsBus
	stream Stream
	out    chan Message

	next    uint64    // sequence of the next message to send
	made    time.Time // when the stream was created: another one begins at 1 again
	present uint64    // the newest message at the call of Read
	marked  bool      // whether the nil after it was sent
}

// run follows the stream in each epoch anew until ctx or the bus ends.
func (r *reader) run(ctx context.Context) {
	for attempt := 0; ctx.Err() == nil && r.bus.ctx.Err() == nil; attempt++ {
		before := r.next
		epoch, cancel := r.bus.epochs.within(ctx)
		err := r.follow(epoch)
		ended := epoch.Err() != nil
		cancel()
		if r.next != before || ended {
			attempt = 0
		}
		if err == nil || ended {
			continue
		}
		if gone(err) {
			r.bus.suspectLoss()
		}
		r.bus.log.Warn("reading interrupted; going on", "stream", r.stream, "next", r.next, "error", err)
		r.bus.pause(ctx, backoff(attempt))
	}
}

// follow sends messages until ctx ends or something fails.
func (r *reader) follow(ctx context.Context) error {
	info, err := r.bus.streamInfo(ctx, r.stream)
	if err != nil {
		return err
	}
	if !info.Created.Equal(r.made) || info.State.LastSeq+1 < r.next && r.marked {
		r.made, r.next, r.present = info.Created, 1, 0
	}
	if r.exhausted(info) && !r.mark(ctx) {
		return nil
	}
	consumer, err := r.bus.js.OrderedConsumer(ctx, r.bus.stream(r.stream), jetstream.OrderedConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: r.next,
		InactiveThreshold: readerGone, MaxResetAttempts: 1,
	})
	if err != nil {
		return err
	}
	messages, err := consumer.Messages(jetstream.PullMaxMessagesWithBytesLimit(readAhead, readAheadBytes))
	if err != nil {
		return err
	}
	defer messages.Stop()
	for {
		msg, err := r.receive(ctx, messages)
		if err != nil {
			return err
		}
		if msg != nil && !r.deliver(ctx, msg) {
			return nil
		}
	}
}

// receive returns the next message. Until the mark was sent it looks now and then
// whether the messages before it are gone, and returns nil.
func (r *reader) receive(ctx context.Context, messages jetstream.MessagesContext) (jetstream.Msg, error) {
	if r.marked {
		return messages.Next(jetstream.NextContext(ctx))
	}
	wait, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	msg, err := messages.Next(jetstream.NextContext(wait))
	if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, nats.ErrTimeout) || ctx.Err() != nil {
		return msg, err
	}
	info, err := r.bus.streamInfo(ctx, r.stream)
	if err == nil && r.exhausted(info) {
		r.mark(ctx)
	}
	return nil, err
}

// exhausted reports whether none of the messages present at the call is left to send.
func (r *reader) exhausted(info *jetstream.StreamInfo) bool {
	return info.State.Msgs == 0 || info.State.FirstSeq > r.present || r.next > r.present
}

// mark sends the nil message, once. It reports false when the receiver is gone.
func (r *reader) mark(ctx context.Context) bool {
	r.marked = r.marked || Send(ctx, r.bus.ctx.Done(), r.out, nil)
	return r.marked
}

// deliver sends a message, and the mark where it belongs. It reports false when the
// receiver is gone.
func (r *reader) deliver(ctx context.Context, msg jetstream.Msg) bool {
	m, err := r.bus.message(r.stream, msg, false)
	if err != nil || m.Sequence() < r.next {
		return true
	}
	if m.Sequence() > r.present && !r.mark(ctx) {
		return false
	}
	if !Send(ctx, r.bus.ctx.Done(), r.out, Message(m)) {
		return false
	}
	r.next = m.Sequence() + 1
	return m.Sequence() < r.present || r.mark(ctx)
}
