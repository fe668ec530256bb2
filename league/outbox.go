package league

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"croupier/messages"
	"croupier/messages/bus"
)

// outbox holds what the broker has not taken yet. The bus tries each call again, but a
// league decides on without the broker, so it waits for a short time only and continues
// where it stopped in the next second. Nothing is lost meanwhile: of a key the newest
// value counts, everything else is kept in order.
type outbox struct {
	bus    bus.Bus
	values map[string][]byte // for the State bucket
	queue  []outgoing
	hurry  bool     // a value is waited for
	sent   []string // subjects of matches that the broker has taken since the last look
}

type outgoing struct {
	stream  bus.Stream
	subject string
	data    []byte
}

func newOutbox(b bus.Bus) *outbox { return &outbox{bus: b, values: map[string][]byte{}} }

func (o *outbox) put(key string, value []byte) { o.values[key] = value }

func (o *outbox) publish(stream bus.Stream, subject string, m messages.Message) error {
	data, err := messages.Encode(m)
	if err != nil {
		return err
	}
	o.queue = append(o.queue, outgoing{stream, subject, data})
	return nil
}

// hurries reports whether somebody waits for what is in it.
func (o *outbox) hurries() bool { return o.hurry || len(o.queue) > 0 }

func (o *outbox) size() int { return len(o.values) + len(o.queue) }

// flush sends all it can and returns the first error.
func (o *outbox) flush(ctx context.Context) error {
	for len(o.queue) > 0 {
		m := o.queue[0]
		if err := o.bus.Publish(ctx, m.stream, m.subject, m.data); err != nil {
			return fmt.Errorf("publish to %s: %w", m.stream, err)
		}
		o.queue = o.queue[1:]
		if m.stream == bus.Matches {
			o.sent = append(o.sent, m.subject)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(o.values)) {
		if _, err := o.bus.State().Put(ctx, key, o.values[key]); err != nil {
			return fmt.Errorf("put %s: %w", key, err)
		}
		delete(o.values, key)
	}
	o.hurry = false
	return nil
}
