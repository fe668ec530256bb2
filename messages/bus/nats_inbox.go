package bus

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// inbox is where the messages arrive that a consumer asks for. It lasts as long as the consumer, unlike a request of
// package jetstream, which receives nothing more once its time is over: what the broker gives out then reaches no
// consumer, and comes again after its lease, behind what was sent after it. Here it is for the next Fetch. All but take
// is for one goroutine at a time.
type inbox struct {
	conn     *nats.Conn
	link     *epochs
	question string // where requests go to
	address  string // before the number of the request

	request uint64 // the number of the last one
	missing int    // how many messages it can still bring
	until   time.Time
	lost    context.Context // ends with the connection by which it went

	mu       sync.Mutex
	closed   bool
	received []*nats.Msg
	arrived  chan struct{} // holds a token if something was received
	sub      *nats.Subscription
}

// openInbox returns the inbox of a consumer.
func (b *natsBus) openInbox(stream Stream, consumer string) (*inbox, error) {
	i := &inbox{
		conn: b.conn, link: &b.link, question: "$JS.API.CONSUMER.MSG.NEXT." + b.stream(stream) + "." + consumer,
		address: b.conn.NewInbox() + ".", arrived: make(chan struct{}, 1),
	}
	var err error
	i.sub, err = b.conn.Subscribe(i.address+"*", i.take)
	return i, err
}

// take is called with all that arrives.
func (i *inbox) take(m *nats.Msg) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed {
		i.giveBack(m)
		return
	}
	i.received = append(i.received, m)
	select {
	case i.arrived <- struct{}{}:
	default:
	}
}

// giveBack lets another consumer have a message; if that fails, its lease runs out.
func (i *inbox) giveBack(m *nats.Msg) {
	if !i.own(m) {
		_ = m.Nak()
	}
}

// own reports whether a message tells of a request: what a stream holds has a subject of the stream.
func (i *inbox) own(m *nats.Msg) bool { return strings.HasPrefix(m.Subject, i.address) }

// ask requests up to n messages, of which the broker waits for the first one for a time, unless that is zero.
func (i *inbox) ask(n int, wait time.Duration) error {
	request, err := json.Marshal(struct {
		Batch   int           `json:"batch"`
		Expires time.Duration `json:"expires,omitempty"`
		NoWait  bool          `json:"no_wait,omitempty"`
	}{n, wait, wait == 0})
	if err != nil {
		return err
	}
	i.request++
	i.lost = i.link.present()
	if err := i.conn.PublishRequest(i.question, i.address+strconv.FormatUint(i.request, 10), request); err != nil {
		return offline(err)
	}
	i.missing, i.until = n, time.Now().Add(wait+answerTime)
	return nil
}

// next returns the next message, or nil if the last request brings no more.
func (i *inbox) next(ctx context.Context) (*nats.Msg, error) {
	for {
		if m := i.first(); m != nil {
			if !i.own(m) {
				i.missing--
				return m, nil
			}
			if m.Subject != i.address+strconv.FormatUint(i.request, 10) {
				continue // of a request that was given up
			}
			if over, err := readStatus(m); over {
				i.missing = 0
				return nil, err
			}
			continue
		}
		if i.missing <= 0 {
			return nil, nil
		}
		if err := i.wait(ctx); err != nil {
			return nil, err
		}
	}
}

// first takes the first of what was received, nil if there is nothing.
func (i *inbox) first() *nats.Msg {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.received) == 0 {
		return nil
	}
	m := i.received[0]
	i.received[0] = nil
	i.received = i.received[1:]
	return m
}

// wait returns when something was received, or the last request is given up.
func (i *inbox) wait(ctx context.Context) error {
	late := time.NewTimer(time.Until(i.until))
	defer late.Stop()
	select {
	case <-i.arrived:
	case <-ctx.Done():
		return ctx.Err()
	case <-i.lost.Done():
		i.missing = 0
	case <-late.C:
		i.missing = 0
	}
	return nil
}

// close gives back what is there and what still comes.
func (i *inbox) close() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.closed = true
	for _, m := range i.received {
		i.giveBack(m)
	}
	i.received = nil
	time.AfterFunc(time.Until(i.until), func() { _ = i.sub.Unsubscribe() }) // fails where the connection is gone already
}

// readStatus reads what the broker says of a request: whether that brings no more, and why, unless it is in order.
func readStatus(m *nats.Msg) (over bool, err error) {
	description := m.Header.Get("Description")
	switch status := m.Header.Get("Status"); status {
	case "100": // it is still being worked on
		return false, nil
	case "404", "408": // nothing there, or nothing in time
		return true, nil
	case "503":
		return true, nats.ErrNoResponders
	case "409":
		for _, known := range []struct {
			words string
			err   error
		}{
			{"consumer deleted", jetstream.ErrConsumerDeleted},
			{"leadership change", jetstream.ErrConsumerLeadershipChanged},
			{"server shutdown", jetstream.ErrServerShutdown},
		} {
			if strings.Contains(strings.ToLower(description), known.words) {
				return true, known.err
			}
		}
		fallthrough
	default:
		return true, fmt.Errorf("the broker answers %s %s", status, description)
	}
}
