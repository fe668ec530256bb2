package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"croupier/messages/bus"
)

// errFull is the refusal of a stream or bucket that keeps what it has.
var errFull = errors.New("full: the limit of bytes is reached")

// messageOverhead is what a message counts besides its data, about as in NATS.
const messageOverhead = 64

type stored struct {
	sequence uint64
	subject  string
	data     []byte
	at       time.Time
}

func (r stored) bytes() int64 { return int64(len(r.data) + messageOverhead) }

// stream is an ordered list of messages with the places of its consumers.
type stream struct {
	maxBytes      int64
	maxAge        time.Duration // 0: for ever
	discardNew    bool          // refuse new messages when full, instead of dropping the oldest
	onePerSubject bool
	perSubject    int  // most messages of a subject, 0: any number; the oldest go
	workQueue     bool // acknowledged messages are removed; there is one consumer
	lease         time.Duration

	mu       sync.Mutex
	kept     []stored // ascending sequences
	last     uint64
	bytes    int64
	subjects map[string]struct{} // where onePerSubject
	places   map[string]*place
	changed  chan struct{} // closed and replaced when there is something new to see
}

// place is a durable consumer's place. Every sequence below next was delivered;
// those in open are not yet acknowledged.
type place struct {
	filter string // of the subjects; "": all
	next   uint64
	open   map[uint64]*delivery
}

// takes reports whether a message is for the consumer.
func (p *place) takes(r stored) bool { return bus.Takes(p.filter, r.subject) }

type delivery struct {
	count int
	due   time.Time // when the message is given out again
}

func newStream(maxBytes int64, maxAge, lease time.Duration) *stream {
	return &stream{
		maxBytes: maxBytes, maxAge: maxAge, lease: lease,
		subjects: map[string]struct{}{}, places: map[string]*place{}, changed: make(chan struct{}),
	}
}

func (s *stream) publish(subject string, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	r := stored{sequence: s.last + 1, subject: subject, data: data, at: time.Now()}
	if _, taken := s.subjects[subject]; taken {
		return bus.ErrTaken
	}
	if s.discardNew && s.bytes+r.bytes() > s.maxBytes {
		return errFull
	}
	if s.onePerSubject {
		s.subjects[subject] = struct{}{}
	}
	s.kept = append(s.kept, r)
	s.last, s.bytes = r.sequence, s.bytes+r.bytes()
	s.thin(subject)
	for s.bytes > s.maxBytes && len(s.kept) > 1 {
		s.remove(0)
	}
	s.notify()
	return nil
}

// thin drops the oldest message of a subject that has too many.
func (s *stream) thin(subject string) {
	count, oldest := 0, 0
	for i := len(s.kept) - 1; i >= 0 && s.perSubject > 0; i-- {
		if s.kept[i].subject == subject {
			count, oldest = count+1, i
		}
	}
	if count > s.perSubject {
		s.remove(oldest)
	}
}

func (s *stream) notify() {
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *stream) remove(i int) {
	s.bytes -= s.kept[i].bytes()
	s.kept = slices.Delete(s.kept, i, i+1)
}

// trim drops the messages below a sequence.
func (s *stream) trim(below uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.kept) > 0 && s.kept[0].sequence < below {
		delete(s.subjects, s.kept[0].subject)
		s.remove(0)
	}
}

// withdraw drops the messages whose subject has the prefix.
func (s *stream) withdraw(prefix string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.kept) - 1; i >= 0; i-- {
		if strings.HasPrefix(s.kept[i].subject, prefix) {
			s.remove(i)
		}
	}
}

// expire drops what is too old.
func (s *stream) expire() {
	for s.maxAge > 0 && len(s.kept) > 0 && time.Since(s.kept[0].at) > s.maxAge {
		s.remove(0)
	}
}

// index returns where the first message with a sequence of at least the given one is.
func (s *stream) index(sequence uint64) (i int, exact bool) {
	return slices.BinarySearchFunc(s.kept, sequence, func(r stored, want uint64) int {
		return cmp.Compare(r.sequence, want)
	})
}

func (s *stream) info() bus.StreamInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	info := bus.StreamInfo{Messages: uint64(len(s.kept)), Bytes: uint64(s.bytes), First: s.last + 1, Last: s.last}
	if len(s.kept) > 0 {
		info.First = s.kept[0].sequence
	}
	return info
}

// after returns up to n messages from the sequence on, and a channel that is closed
// when there are more.
func (s *stream) after(sequence uint64, n int) ([]stored, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	i, _ := s.index(sequence)
	return slices.Clone(s.kept[i:min(len(s.kept), i+n)]), s.changed
}

// open returns the place of the given name, which gets what the filter lets through from now on.
func (s *stream) open(name, filter string) (*place, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.places[name]
	if !ok {
		if s.workQueue && len(s.places) > 0 {
			return nil, errors.New("a work queue has one consumer, and there is another")
		}
		p = &place{next: 1, open: map[uint64]*delivery{}}
		s.places[name] = p
	}
	p.filter = filter
	return p, nil
}

// take gives out up to n messages: first those whose lease has run out, then new
// ones. It also returns when to look again (zero: when changed is closed).
func (s *stream) take(p *place, n int) (out []*message, again time.Time, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire()
	now := time.Now()
	for _, sequence := range slices.Sorted(maps.Keys(p.open)) {
		d := p.open[sequence]
		i, kept := s.index(sequence)
		switch {
		case !kept:
			delete(p.open, sequence)
		case d.due.After(now):
			if again.IsZero() || d.due.Before(again) {
				again = d.due
			}
		case len(out) < n:
			d.count, d.due = d.count+1, now.Add(s.lease)
			out = append(out, &message{s.kept[i], d.count, p, s})
		}
	}
	for i, _ := s.index(p.next); i < len(s.kept) && len(out) < n; i++ {
		r := s.kept[i]
		p.next = r.sequence + 1
		if !p.takes(r) {
			continue
		}
		p.open[r.sequence] = &delivery{count: 1, due: now.Add(s.lease)}
		out = append(out, &message{r, 1, p, s})
	}
	return out, again, s.changed
}

// settle ends a delivery: done, or due again at a time.
func (s *stream) settle(p *place, sequence uint64, done bool, due time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, ok := p.open[sequence]
	if !ok {
		return
	}
	if !done {
		d.due = due
		s.notify()
		return
	}
	delete(p.open, sequence)
	if i, kept := s.index(sequence); kept && s.workQueue {
		s.remove(i)
	}
}

// consumer is one user of a place.
type consumer struct {
	bus    *Bus
	kind   bus.Stream
	stream *stream
	place  *place
}

func (c *consumer) Fetch(ctx context.Context, n int, wait time.Duration) ([]bus.Message, error) {
	deadline := time.NewTimer(wait)
	defer deadline.Stop()
	for {
		if err := c.bus.check(ctx); err != nil {
			return nil, fmt.Errorf("fetch from %v: %w", c.kind, err)
		}
		taken, again, changed := c.stream.take(c.place, n)
		var out []bus.Message
		for _, m := range taken {
			if c.bus.opts.Dropped(slog.Default(), c.kind, m.subject, m.deliveries) {
				c.stream.settle(c.place, m.sequence, true, time.Time{})
				continue
			}
			out = append(out, m)
		}
		if len(out) > 0 {
			return out, nil
		}
		if len(taken) > 0 {
			continue
		}
		if !c.sleep(ctx, deadline.C, again, changed) {
			return nil, nil
		}
	}
}

// sleep waits for something to fetch. It reports false when the deadline comes first.
func (c *consumer) sleep(ctx context.Context, deadline <-chan time.Time, again time.Time,
	changed <-chan struct{}) bool {
	var lease <-chan time.Time
	if !again.IsZero() {
		timer := time.NewTimer(time.Until(again))
		defer timer.Stop()
		lease = timer.C
	}
	select {
	case <-deadline:
		return false
	case <-ctx.Done():
	case <-c.bus.done:
	case <-changed:
	case <-lease:
	}
	return true
}

// Pending implements bus.Consumer. Everything was published by this bus.
func (c *consumer) Pending(ctx context.Context) (all, own uint64, err error) {
	if err := c.bus.check(ctx); err != nil {
		return 0, 0, fmt.Errorf("pending of %v: %w", c.kind, err)
	}
	c.stream.mu.Lock()
	defer c.stream.mu.Unlock()
	c.stream.expire()
	i, _ := c.stream.index(c.place.next)
	for _, r := range c.stream.kept[i:] {
		if c.place.takes(r) {
			all++
		}
	}
	return all, all, nil
}

func (c *consumer) Close() error { return nil }

// message is one as it was delivered; from Read it has no place.
type message struct {
	stored
	deliveries int
	place      *place
	stream     *stream
}

func (m *message) Data() []byte     { return m.data }
func (m *message) Subject() string  { return m.subject }
func (m *message) Sequence() uint64 { return m.sequence }
func (m *message) Deliveries() int  { return m.deliveries }

func (m *message) Ack(context.Context) error {
	if m.place != nil {
		m.stream.settle(m.place, m.sequence, true, time.Time{})
	}
	return nil
}

func (m *message) Nak(delay time.Duration) error {
	if m.place != nil {
		m.stream.settle(m.place, m.sequence, false, time.Now().Add(delay))
	}
	return nil
}

func (m *message) InProgress() error {
	if m.place != nil {
		m.stream.settle(m.place, m.sequence, false, time.Now().Add(m.stream.lease))
	}
	return nil
}
