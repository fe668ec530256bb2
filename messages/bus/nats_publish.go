package bus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

const (
	// inFlight is how many messages of experience may wait for their acknowledgement.
	inFlight = 64
	// ackTimeout is after how long an acknowledgement counts as lost.
	ackTimeout = 10 * time.Second
	// headerBytes is room for the headers of a message besides its data.
	headerBytes = 1 << 10
)

// Publish implements Bus.
func (b *natsBus) Publish(ctx context.Context, stream Stream, subject string, data []byte) error {
	if err := b.opts.Limits.CheckMessage(stream, subject, data); err != nil {
		return err
	}
	send := b.publish
	switch stream {
	case Experience:
		send = b.sender.publish
	case Kept:
		send = b.offer
	}
	err := send(ctx, stream, subject, data)
	var unacknowledged *UnacknowledgedError
	if err == nil || errors.As(err, &unacknowledged) {
		b.metrics.published.WithLabelValues(stream.String()).Inc()
		b.metrics.publishedBytes.WithLabelValues(stream.String()).Add(float64(len(data)))
	}
	return err
}

// MaxMessage implements Bus.
func (b *natsBus) MaxMessage(stream Stream) int { return b.opts.Limits.Largest(stream) }

// publish sends a message until the broker has acknowledged it. Its id makes a
// repetition harmless.
func (b *natsBus) publish(ctx context.Context, stream Stream, subject string, data []byte) error {
	id := nuid.Next()
	what, full := "publish "+subject+" to "+stream.String(), b.subjects(stream)+subject
	return b.send(ctx, what, full, func(ctx context.Context) error {
		_, err := b.js.Publish(ctx, full, data,
			jetstream.WithMsgID(id), jetstream.WithExpectStream(b.stream(stream)))
		if stream == Results && subjectTaken(err) {
			return b.sameMessage(ctx, stream, subject, id)
		}
		return err
	})
}

// offer sends a message whose acknowledgement is not waited for.
func (b *natsBus) offer(ctx context.Context, stream Stream, subject string, data []byte) error {
	err := ctx.Err()
	if err == nil && b.ctx.Err() != nil {
		err = ErrClosed
	}
	if err == nil {
		err = offline(b.conn.Publish(b.subjects(stream)+subject, data))
	}
	if err != nil {
		return fmt.Errorf("publish %s to %v: %w", subject, stream, err)
	}
	return nil
}

// subjectTaken recognises the refusal of a second message of a subject.
func subjectTaken(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && api.ErrorCode == codeStoreFailed && strings.Contains(api.Description, "per subject")
}

// sameMessage returns nil if the message that holds the subject is the one with the
// given id, whose acknowledgement was lost, else ErrTaken.
func (b *natsBus) sameMessage(ctx context.Context, stream Stream, subject, id string) error {
	s, err := b.js.Stream(ctx, b.stream(stream))
	if err != nil {
		return err
	}
	stored, err := s.GetLastMsgForSubject(ctx, b.subjects(stream)+subject)
	if err != nil {
		return err
	}
	if stored.Header.Get(jetstream.MsgIDHeader) != id {
		return ErrTaken
	}
	return nil
}

// sender publishes experience without waiting for acknowledgements, of which it
// allows a bounded number to be outstanding.
type sender struct {
	bus   *natsBus
	slots chan struct{} // holds a token for each message in flight

	mu     sync.Mutex
	failed int
	last   error
	stored map[string][]uint64 // sequences in the stream of the newest messages, by subject
}

func newSender(b *natsBus) *sender {
	return &sender{bus: b, slots: make(chan struct{}, inFlight), stored: map[string][]uint64{}}
}

// options are what the connection's JetStream context needs for the sender.
func (s *sender) options() []jetstream.JetStreamOpt {
	return []jetstream.JetStreamOpt{
		jetstream.WithPublishAsyncMaxPending(2 * inFlight), // never met: slots are fewer
		jetstream.WithPublishAsyncTimeout(ackTimeout),
		jetstream.WithPublishAsyncAckHandler(func(_ jetstream.JetStream, m *nats.Msg, ack *jetstream.PubAck) {
			s.store(m.Subject, ack.Sequence)
			s.release()
		}),
		jetstream.WithPublishAsyncErrHandler(func(_ jetstream.JetStream, _ *nats.Msg, err error) {
			s.fail(err)
			s.release()
		}),
	}
}

func (s *sender) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed++
	s.last = err
	s.bus.metrics.unacknowledged.Inc()
	if gone(err) {
		s.bus.suspectLoss()
	}
}

// store notes that the stream has a message, of which it keeps no more of a subject than the limit.
func (s *sender) store(subject string, sequence uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	newest := s.stored[subject]
	if len(newest) >= s.bus.opts.Limits.ActorBatches {
		newest = newest[1:]
	}
	s.stored[subject] = append(newest, sequence)
}

// behind returns how many messages of the subjects that a filter takes are stored behind those that were delivered.
func (s *sender) behind(filter string, delivered uint64) (n uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for subject, newest := range s.stored {
		if Takes(filter, strings.TrimPrefix(subject, s.bus.subjects(Experience))) {
			i, _ := slices.BinarySearch(newest, delivered+1)
			n += uint64(len(newest) - i)
		}
	}
	return n
}

// forget reports that the stream, and with it the numbers of messages, has begun again.
func (s *sender) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.stored)
}

// release frees a slot. Should one message end in two ways, the second finds nothing.
func (s *sender) release() {
	select {
	case <-s.slots:
	default:
	}
}

// failures returns and forgets what went wrong with earlier messages.
func (s *sender) failures() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == 0 {
		return nil
	}
	err := &UnacknowledgedError{s.failed, s.last}
	s.failed, s.last = 0, nil
	return err
}

// publish sends a message as soon as there is a slot and a connection.
func (s *sender) publish(ctx context.Context, stream Stream, subject string, data []byte) error {
	what := "publish " + subject + " to " + stream.String()
	if err := s.bus.forbidden.publishing(s.bus.subjects(stream) + subject); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", what, ctx.Err())
	case <-s.bus.ctx.Done():
		return fmt.Errorf("%s: %w", what, ErrClosed)
	}
	err := s.bus.do(ctx, what, func(context.Context) error {
		_, err := s.bus.js.PublishAsync(s.bus.subjects(stream)+subject, data)
		return err
	})
	if err != nil {
		s.release()
		return err
	}
	if err := s.failures(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// flush waits for the acknowledgements of all messages and returns the failures.
func (s *sender) flush(wait time.Duration) error {
	select {
	case <-s.bus.js.PublishAsyncComplete():
	case <-s.bus.ctx.Done():
		s.abandon()
	case <-time.After(wait):
		s.abandon()
	}
	return s.failures()
}

// abandon counts what was not acknowledged as failed.
func (s *sender) abandon() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed, s.last = s.failed+s.bus.js.PublishAsyncPending(), nats.ErrTimeout
}
