package bus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// natsKV is a bucket of keyed values.
type natsKV struct {
	bus    *natsBus
	bucket string
	handle jetstream.KeyValue
}

// on runs a request about one key until it succeeds or fails for good.
func (kv *natsKV) on(ctx context.Context, what, key string, request func(ctx context.Context) error) error {
	what = fmt.Sprintf("%s key %.80s", what, key)
	if err := CheckKey(key); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return kv.bus.send(ctx, what, "$KV."+kv.bucket+"."+key, request)
}

func (kv *natsKV) Get(ctx context.Context, key string) (entry Entry, err error) {
	err = kv.on(ctx, "get", key, func(ctx context.Context) error {
		entry, err = kv.get(ctx, key)
		return err
	})
	return entry, err
}

// get asks once.
func (kv *natsKV) get(ctx context.Context, key string) (Entry, error) {
	e, err := kv.handle.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) || errors.Is(err, jetstream.ErrKeyDeleted) {
		return Entry{}, ErrNotFound
	}
	if err != nil {
		return Entry{}, err
	}
	return newEntry(e), nil
}

// removed reports whether the message says that a key was deleted or has expired.
func (m *storedMessage) removed() bool {
	operation := m.header.Get("KV-Operation")
	return operation == "DEL" || operation == "PURGE" || m.header.Get(jetstream.MarkerReasonHeader) != ""
}

// newEntry has a nil value exactly when the key was deleted or has expired.
func newEntry(e jetstream.KeyValueEntry) Entry {
	entry := Entry{Key: e.Key(), Revision: e.Revision()}
	if e.Operation() == jetstream.KeyValuePut {
		entry.Value = append([]byte{}, e.Value()...)
	}
	return entry
}

func (kv *natsKV) Put(ctx context.Context, key string, value []byte) (revision uint64, err error) {
	err = kv.on(ctx, "put", key, func(ctx context.Context) error {
		revision, err = kv.handle.Put(ctx, key, value)
		return err
	})
	return revision, err
}

func (kv *natsKV) Update(ctx context.Context, key string, value []byte, revision uint64) (next uint64, err error) {
	repeated := false
	err = kv.on(ctx, "update", key, func(ctx context.Context) error {
		if revision == 0 {
			next, err = kv.handle.Create(ctx, key, value)
		} else {
			next, err = kv.handle.Update(ctx, key, value, revision)
		}
		if !errors.Is(err, jetstream.ErrKeyExists) && !errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
			repeated = true
			return err
		}
		if !repeated {
			return ErrTaken
		}
		next, err = kv.outcome(ctx, key, value, revision)
		return err
	})
	return next, err
}

// errUnderWay reports that an update was refused because of one before it that is not yet stored.
var errUnderWay = errors.New("an earlier attempt is under way")

// outcome returns the outcome of an update that was refused after an attempt of which only the answer may have
// been lost. That attempt can be still on its way: several brokers refuse what comes while they agree on it. Only their
// leader is asked, as the others can be behind.
func (kv *natsKV) outcome(ctx context.Context, key string, value []byte, revision uint64) (next uint64, err error) {
	there, err := kv.bus.askLeader(ctx, "KV_"+kv.bucket, map[string]any{"last_by_subj": "$KV." + kv.bucket + "." + key})
	if err != nil {
		return 0, err // not known yet
	}
	if there == nil || there.removed() {
		there = &storedMessage{}
	}
	switch {
	case there.sequence == revision:
		return 0, errUnderWay
	case there.sequence < revision || !bytes.Equal(there.data, value):
		return 0, ErrTaken
	}
	return there.sequence, nil
}

func (kv *natsKV) Delete(ctx context.Context, key string) error {
	return kv.on(ctx, "delete", key, func(ctx context.Context) error { return kv.handle.Delete(ctx, key) })
}

func (kv *natsKV) Watch(ctx context.Context, prefix string) (<-chan Entry, error) {
	w := &watch{kv: kv, out: make(chan Entry), known: map[string]Entry{}}
	w.keys = prefix
	if prefix == "" || strings.HasSuffix(prefix, ".") {
		w.keys = prefix + ">"
	}
	err := CheckPrefix(prefix)
	if err == nil {
		err = kv.bus.start(ctx, func() {
			defer close(w.out)
			w.run(ctx)
		})
	}
	if err != nil {
		return nil, fmt.Errorf("watch %.80q: %w", prefix, err)
	}
	return w.out, nil
}

// watch follows keys across lost connections and restarts of the broker. In each
// epoch it lists them again and sends what differs from what it sent before.
type watch struct {
	kv     *natsKV
	keys   string // watched keys as NATS writes them
	out    chan Entry
	known  map[string]Entry // what was sent and has a value
	marked bool             // whether the entry with an empty key was sent
}

func (w *watch) run(ctx context.Context) {
	b := w.kv.bus
	for attempt := 0; ctx.Err() == nil && b.ctx.Err() == nil; attempt++ {
		epoch, cancel := b.epochs.within(ctx)
		err := w.follow(epoch)
		ended := epoch.Err() != nil
		cancel()
		if ended {
			attempt = 0
			continue
		}
		if gone(err) {
			b.suspectLoss()
		}
		if b.ctx.Err() == nil && !errors.Is(err, errBegunAnew) {
			b.log.Warn("watching interrupted; continuing", "bucket", w.kv.bucket, "error", err)
			b.pause(ctx, backoff(attempt))
		}
	}
}

// follow lists the keys and then sends changes until ctx ends or something fails.
func (w *watch) follow(ctx context.Context) error {
	keys := "$KV." + w.kv.bucket + "."
	listed := map[string]bool{}
	f := &follower{bus: w.kv.bus, stream: "KV_" + w.kv.bucket, filter: keys + w.keys, next: 1}
	f.deliver = func(ctx context.Context, m *storedMessage) bool {
		entry := Entry{Key: strings.TrimPrefix(m.subject, keys), Revision: m.sequence}
		switch {
		case !m.removed():
			entry.Value = append([]byte{}, m.data...)
			listed[entry.Key] = true
		case !f.marked:
			delete(listed, entry.Key)
			return true
		}
		return w.send(ctx, entry)
	}
	f.reached = func(ctx context.Context) bool { return w.listed(ctx, listed) }
	info, err := f.look(ctx)
	if err != nil {
		return err
	}
	f.open(info)
	return f.run(ctx)
}

// listed ends the list of present values: keys that are no longer there have gone
// since the epoch before.
func (w *watch) listed(ctx context.Context, present map[string]bool) bool {
	for key := range w.known {
		if !present[key] && !w.send(ctx, Entry{Key: key}) {
			return false
		}
	}
	w.marked = w.marked || Deliver(ctx, w.kv.bus.ctx.Done(), w.out, Entry{})
	return w.marked
}

// send passes an entry on if it is news. It reports false when the receiver is gone.
func (w *watch) send(ctx context.Context, e Entry) bool {
	known, ok := w.known[e.Key]
	if e.Value == nil && !ok || ok && e.Revision == known.Revision && bytes.Equal(e.Value, known.Value) && e.Value != nil {
		return true
	}
	if !Deliver(ctx, w.kv.bus.ctx.Done(), w.out, e) {
		return false
	}
	if e.Value == nil {
		delete(w.known, e.Key)
	} else {
		w.known[e.Key] = e
	}
	return true
}
