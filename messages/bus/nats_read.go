package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"croupier/messages"
)

// Info implements Bus.
func (b *natsBus) Info(ctx context.Context, stream Stream) (StreamInfo, error) {
	info, err := (&follower{bus: b, stream: b.stream(stream)}).look(ctx)
	if err != nil {
		return StreamInfo{}, err
	}
	s := info.State
	return StreamInfo{Messages: s.Msgs, Bytes: s.Bytes, First: max(s.FirstSeq, 1), Last: s.LastSeq}, nil
}

// Queued implements Bus.
func (b *natsBus) Queued(ctx context.Context) (subjects []string, err error) {
	prefix := b.subjects(Matches)
	err = b.do(ctx, "list "+Matches.String(), func(ctx context.Context) error {
		subjects = nil
		s, err := b.js.Stream(ctx, b.stream(Matches))
		if err != nil {
			return err
		}
		info, err := s.Info(ctx, jetstream.WithSubjectFilter(prefix+">"))
		if err != nil {
			return err
		}
		for subject := range info.State.Subjects {
			subjects = append(subjects, strings.TrimPrefix(subject, prefix))
		}
		return nil
	})
	return subjects, err
}

// Trim implements Bus. A stream that an older program made lets nothing be removed.
func (b *natsBus) Trim(ctx context.Context, below uint64) error {
	if below <= 1 {
		return nil // the broker takes it for a request to remove all
	}
	return b.do(ctx, "trim "+Results.String(), func(ctx context.Context) error {
		return b.purge(ctx, b.stream(Results), purge{Sequence: below})
	})
}

// Withdraw implements Bus.
func (b *natsBus) Withdraw(ctx context.Context, tournament string) error {
	if err := messages.CheckToken(tournament); err != nil {
		return fmt.Errorf("withdraw: %w", err)
	}
	for _, s := range []Stream{Contests, Outcomes} {
		err := b.do(ctx, "withdraw "+tournament+" from "+s.String(), func(ctx context.Context) error {
			return b.purge(ctx, b.stream(s), purge{Subject: b.subjects(s) + tournament + ".>"})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// purge reports which messages of a stream are to go: those below a sequence, or those of subjects.
type purge struct {
	Sequence uint64 `json:"seq,omitempty"`
	Subject  string `json:"filter,omitempty"`
}

// purge asks with the one subject that a key may use for it.
func (b *natsBus) purge(ctx context.Context, stream string, which purge) error {
	request, err := json.Marshal(which)
	if err != nil {
		return err
	}
	reply, err := b.conn.RequestWithContext(ctx, "$JS.API.STREAM.PURGE."+stream, request)
	if err != nil {
		return err
	}
	var answer struct {
		Error *jetstream.APIError `json:"error"`
	}
	if err := json.Unmarshal(reply.Data, &answer); err != nil {
		return err
	}
	if answer.Error != nil {
		return answer.Error
	}
	return nil
}

// Read implements Bus.
func (b *natsBus) Read(ctx context.Context, stream Stream, from uint64) (<-chan Message, error) {
	if stream.Queue() {
		return nil, fmt.Errorf("read %v: a work queue can only be consumed", stream)
	}
	r := &reader{out: make(chan Message), stream: stream}
	r.follower = follower{
		bus: b, stream: b.stream(stream), filter: b.subjects(stream) + ">", next: max(from, 1),
		deliver: r.deliver, reached: r.reached,
	}
	info, err := r.look(ctx)
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	r.open(info)
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
	follower
	stream Stream
	out    chan Message
}

// run follows the stream in each epoch again until ctx or the bus ends.
func (r *reader) run(ctx context.Context) {
	b := r.bus
	for attempt := 0; ctx.Err() == nil && b.ctx.Err() == nil; attempt++ {
		before := r.next
		epoch, cancel := b.epochs.within(ctx)
		err := r.follow(epoch)
		ended := epoch.Err() != nil
		cancel()
		if errors.Is(err, errReceiverGone) && (ctx.Err() != nil || b.ctx.Err() != nil) {
			return
		}
		if r.next != before || ended {
			attempt = 0
		}
		if ended {
			continue
		}
		if gone(err) {
			b.suspectLoss()
		}
		b.log.Warn("reading interrupted; continuing", "stream", r.stream, "next", r.next, "error", err)
		b.pause(ctx, backoff(attempt))
	}
}

// follow sends messages until ctx ends or something fails. A stream that was made again is
// read from its beginning.
func (r *reader) follow(ctx context.Context) error {
	info, err := r.look(ctx)
	if err != nil {
		return err
	}
	if !info.Created.Equal(r.made) || info.State.LastSeq+1 < r.next && r.marked {
		r.open(info)
		r.next, r.present = 1, 0
	}
	return r.follower.run(ctx)
}

// reached sends the nil message, once.
func (r *reader) reached(ctx context.Context) bool {
	if r.marked {
		return true
	}
	r.marked = Deliver(ctx, r.bus.ctx.Done(), r.out, nil)
	return r.marked
}

// deliver sends a message, and the mark where it belongs.
func (r *reader) deliver(ctx context.Context, m *storedMessage) bool {
	if m.sequence > r.present && !r.reached(ctx) {
		return false
	}
	if !Deliver(ctx, r.bus.ctx.Done(), r.out, Message(&readMessage{m,
		strings.TrimPrefix(m.subject, r.bus.subjects(r.stream))})) {
		return false
	}
	return m.sequence < r.present || r.reached(ctx)
}

// readMessage is a message that needs no acknowledgement.
type readMessage struct {
	stored  *storedMessage
	subject string
}

func (m *readMessage) Data() []byte              { return m.stored.data }
func (m *readMessage) Subject() string           { return m.subject }
func (m *readMessage) Sequence() uint64          { return m.stored.sequence }
func (m *readMessage) Deliveries() int           { return 1 }
func (m *readMessage) Ack(context.Context) error { return nil }
func (m *readMessage) Nak(time.Duration) error   { return nil }
func (m *readMessage) InProgress() error         { return nil }
