package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// readAhead is how many messages are asked for at a time, and readAheadBytes bounds
	// their size; it is well above that of the largest message.
	readAhead      = 256
	readAheadBytes = 4 << 20

	// idleDisk and idleMemory are how long nothing is asked for while nothing is announced. What
	// expires in memory is not announced.
	idleDisk   = 10 * time.Second
	idleMemory = time.Second
	// soonest is the first of the pauses, each twice as long, between looks for a message that
	// was announced and is not yet stored.
	soonest = time.Millisecond
)

// errBegunAnew ends following a stream that was made again.
var errBegunAnew = errors.New("the stream begins again")

// follower reads a stream in order, and what is published to it afterwards. It has no consumer
// on the broker: it asks for batches of messages by their sequence numbers (direct get), and
// listens to what the stream announces to know when to ask. So it needs no permission to create anything,
// and the broker remembers nothing of it.
type follower struct {
	bus    *natsBus
	stream string // its name on the broker
	filter string // subjects, with wildcards
	whole  bool   // the filter takes every message
	news   string // subjects where a message announces more

	next    uint64    // sequence of the next message to send
	made    time.Time // when the stream was created: another one begins at 1 again
	present uint64    // the newest message when it was opened
	marked  bool      // whether reached was called
	idle    time.Duration
	copies  int // brokers that keep the stream

	deliver func(ctx context.Context, m *storedMessage) bool // reports whether the receiver takes more
	reached func(ctx context.Context) bool                   // what was there is sent; as deliver
}

// errReceiverGone ends following.
var errReceiverGone = errors.New("the receiver is gone")

// storedMessage is a message of a stream, read without a consumer.
type storedMessage struct {
	subject  string // on the broker, whole
	sequence uint64
	header   nats.Header
	data     []byte
}

// look asks for the state of the stream.
func (f *follower) look(ctx context.Context) (*jetstream.StreamInfo, error) {
	var info *jetstream.StreamInfo
	err := f.bus.do(ctx, "info of "+f.stream, func(ctx context.Context) error {
		s, err := f.bus.js.Stream(ctx, f.stream)
		if err == nil {
			info = s.CachedInfo()
		}
		return err
	})
	return info, err
}

// open takes over the state of the stream.
func (f *follower) open(info *jetstream.StreamInfo) {
	f.made, f.present = info.Created, info.State.LastSeq
	f.copies = info.Config.Replicas
	prefix, all := strings.CutSuffix(f.filter, ">")
	f.whole = all && !slices.ContainsFunc(info.Config.Subjects, func(s string) bool {
		return !strings.HasPrefix(s, prefix)
	})
	if f.news = f.filter; info.Config.RePublish != nil { // else an older program has made the stream
		f.news = announcements + f.filter
	}
	if f.idle = idleDisk; info.Config.Storage == jetstream.MemoryStorage {
		f.idle = idleMemory
	}
}

// run sends messages until ctx ends (nil), the receiver is gone or something fails.
func (f *follower) run(ctx context.Context) error {
	announced := make(chan struct{}, 1)
	announce := func(*nats.Msg) {
		select {
		case announced <- struct{}{}:
		default:
		}
	}
	sub, err := f.bus.conn.Subscribe(f.news, announce)
	if err != nil {
		return err
	}
	defer func() { _ = sub.Unsubscribe() }()
	pause := soonest
	for {
		sent, err := f.batch(ctx)
		if err == nil && !f.marked && (sent == 0 || f.next > f.present) {
			err = f.mark(ctx)
		}
		if err != nil {
			return err
		}
		if sent > 0 {
			pause = f.idle // nothing more is expected
			if sent == readAhead || !f.marked {
				continue
			}
		}
		if pause, err = f.wait(ctx, announced, pause); err != nil {
			return err
		}
	}
}

// all sends what is there now.
func (f *follower) all(ctx context.Context) error {
	info, err := f.look(ctx)
	if err != nil {
		return err
	}
	f.open(info)
	for !f.marked {
		sent, err := f.batch(ctx)
		if err == nil && (sent == 0 || f.next > f.present) {
			err = f.mark(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// wait returns when it is time to ask again, with the pause after that.
func (f *follower) wait(ctx context.Context, announced <-chan struct{}, pause time.Duration) (time.Duration, error) {
	timer := time.NewTimer(pause/2 + rand.N(pause/2+1)) // a thousand followers must not ask at once
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-announced:
		return soonest, nil
	case <-timer.C:
	}
	if pause < f.idle {
		return min(2*pause, f.idle), nil
	}
	info, err := f.look(ctx)
	if err == nil && (!info.Created.Equal(f.made) || info.State.LastSeq+1 < f.next) {
		err = errBegunAnew
	}
	return f.idle, err
}

// batch sends the next messages, at most readAhead, and returns how many there were.
func (f *follower) batch(ctx context.Context) (sent int, err error) {
	filter := f.filter
	if f.whole {
		filter = "" // with one, the broker counts what is left subject by subject, and every result has its own
	}
	request, err := json.Marshal(struct {
		Seq      uint64 `json:"seq"`
		Next     string `json:"next_by_subj,omitempty"`
		Batch    int    `json:"batch"`
		MaxBytes int    `json:"max_bytes"`
	}{f.next, filter, readAhead, readAheadBytes})
	if err != nil {
		return 0, err
	}
	replies, err := f.bus.conn.SubscribeSync(f.bus.conn.NewInbox())
	if err != nil {
		return 0, err
	}
	defer func() { _ = replies.Unsubscribe() }()
	if err := f.bus.conn.PublishRequest("$JS.API.DIRECT.GET."+f.stream, replies.Subject, request); err != nil {
		return 0, offline(err)
	}
	for {
		m, err := nextStored(ctx, replies)
		switch {
		case err != nil || m == nil:
			return sent, err
		case m.sequence < f.next:
			continue
		case !f.deliver(ctx, m):
			return sent, errReceiverGone
		}
		f.next = m.sequence + 1
		sent++
	}
}

// nextStored waits for an answer to a direct get.
func nextStored(ctx context.Context, replies *nats.Subscription) (*storedMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	reply, err := replies.NextMsgWithContext(ctx)
	if err != nil {
		return nil, err
	}
	return readStored(reply)
}

// readStored reads an answer to a direct get: nil is the end of the batch. What the
// publisher of a message wrote into its headers is before what the broker adds.
func readStored(reply *nats.Msg) (*storedMessage, error) {
	newest := func(key string) string {
		if values := reply.Header[key]; len(values) > 0 {
			return values[len(values)-1]
		}
		return ""
	}
	subject := newest(jetstream.SubjectHeader)
	if subject == "" {
		switch status := newest("Status"); status {
		case "204", "404":
			return nil, nil
		case "503":
			return nil, nats.ErrNoResponders
		default:
			return nil, fmt.Errorf("the broker answers %s %s", status, newest("Description"))
		}
	}
	sequence, err := strconv.ParseUint(newest(jetstream.SequenceHeader), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("message of %s: %w", subject, err)
	}
	return &storedMessage{subject: subject, sequence: sequence, header: reply.Header, data: reply.Data}, nil
}

// mark tells the receiver that it has what was there at the beginning, if that is so. One of
// several brokers can be behind the others and know of nothing more while there is more.
func (f *follower) mark(ctx context.Context) error {
	if f.next <= f.present && f.copies > 1 {
		more, err := f.bus.hasNext(ctx, f.stream, f.filter, f.next)
		if err != nil || more {
			return err
		}
	}
	if !f.reached(ctx) {
		return errReceiverGone
	}
	f.marked = true
	return nil
}

// hasNext asks the leader of a stream whether it has a message of these subjects from a
// sequence on.
func (b *natsBus) hasNext(ctx context.Context, stream, filter string, from uint64) (bool, error) {
	m, err := b.askLeader(ctx, stream, map[string]any{"seq": from, "next_by_subj": filter})
	return m != nil, err
}

// askLeader asks the leader of a stream, which is not behind, for a message; nil if there is none.
func (b *natsBus) askLeader(ctx context.Context, stream string, which map[string]any) (*storedMessage, error) {
	request, err := json.Marshal(which)
	if err != nil {
		return nil, err
	}
	reply, err := b.conn.RequestWithContext(ctx, "$JS.API.STREAM.MSG.GET."+stream, request)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Error   *jetstream.APIError `json:"error"`
		Message struct {
			Subject  string `json:"subject"`
			Sequence uint64 `json:"seq"`
			Header   []byte `json:"hdrs"`
			Data     []byte `json:"data"`
		} `json:"message"`
	}
	switch err := json.Unmarshal(reply.Data, &answer); {
	case err != nil:
		return nil, err
	case answer.Error != nil && answer.Error.ErrorCode == jetstream.JSErrCodeMessageNotFound:
		return nil, nil
	case answer.Error != nil:
		return nil, answer.Error
	}
	m := &storedMessage{subject: answer.Message.Subject, sequence: answer.Message.Sequence, data: answer.Message.Data}
	if len(answer.Message.Header) > 0 {
		m.header, err = nats.DecodeHeadersMsg(answer.Message.Header)
	}
	return m, err
}
