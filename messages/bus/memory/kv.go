package memory

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"croupier/messages/bus"
)

// bucket is a KV that keeps the newest entry of each key; a deleted or expired
// key stays as an entry without value, so that watchers see that it went.
type bucket struct {
	bus      *Bus
	maxBytes int64
	ttl      time.Duration // 0: for ever

	mu       sync.Mutex
	entries  map[string]bus.Entry
	size     int64 // bytes of keys and values that are there
	revision uint64
	changed  chan struct{} // closed and replaced at every change
}

func newBucket(b *Bus, maxBytes int64, ttl time.Duration) *bucket {
	return &bucket{bus: b, maxBytes: maxBytes, ttl: ttl, entries: map[string]bus.Entry{}, changed: make(chan struct{})}
}

// on runs an operation on one key under the lock.
func (kv *bucket) on(ctx context.Context, what, key string, do func() error) error {
	err := bus.CheckKey(key)
	if err == nil {
		err = kv.bus.check(ctx)
	}
	if err == nil {
		kv.mu.Lock()
		defer kv.mu.Unlock()
		err = do()
	}
	if err != nil {
		return fmt.Errorf("%s key %.80s: %w", what, key, err)
	}
	return nil
}

func (kv *bucket) Get(ctx context.Context, key string) (entry bus.Entry, err error) {
	err = kv.on(ctx, "get", key, func() error {
		stored := kv.entries[key]
		if stored.Value == nil {
			return bus.ErrNotFound
		}
		entry = stored
		entry.Value = bytes.Clone(stored.Value)
		return nil
	})
	return entry, err
}

func (kv *bucket) Put(ctx context.Context, key string, value []byte) (revision uint64, err error) {
	err = kv.on(ctx, "put", key, func() (err error) {
		revision, err = kv.set(key, value)
		return err
	})
	return revision, err
}

func (kv *bucket) Update(ctx context.Context, key string, value []byte, revision uint64) (next uint64, err error) {
	err = kv.on(ctx, "update", key, func() (err error) {
		present := kv.entries[key]
		if present.Value == nil {
			present.Revision = 0
		}
		if present.Revision != revision {
			return bus.ErrTaken
		}
		next, err = kv.set(key, value)
		return err
	})
	return next, err
}

func (kv *bucket) Delete(ctx context.Context, key string) error {
	return kv.on(ctx, "delete", key, func() error {
		if kv.entries[key].Value != nil {
			kv.store(key, nil)
		}
		return nil
	})
}

// set stores a copy of the value and returns its revision.
func (kv *bucket) set(key string, value []byte) (uint64, error) {
	if kv.size-size(kv.entries[key])+int64(len(key)+len(value)) > kv.maxBytes {
		return 0, errFull
	}
	revision := kv.store(key, append([]byte{}, value...))
	if kv.ttl > 0 {
		time.AfterFunc(kv.ttl, func() { kv.expire(key, revision) })
	}
	return revision, nil
}

// size is what an entry takes; one without value takes nothing.
func size(e bus.Entry) int64 {
	if e.Value == nil {
		return 0
	}
	return int64(len(e.Key) + len(e.Value))
}

// store writes an entry, with a nil value for a deletion, of which watchers have some time to
// hear.
func (kv *bucket) store(key string, value []byte) uint64 {
	kv.revision++
	revision, e := kv.revision, bus.Entry{Key: key, Value: value, Revision: kv.revision}
	kv.size += size(e) - size(kv.entries[key])
	kv.entries[key] = e
	if value == nil {
		time.AfterFunc(bus.MarkerLife, func() {
			kv.mu.Lock()
			defer kv.mu.Unlock()
			if kv.entries[key].Revision == revision {
				delete(kv.entries, key)
			}
		})
	}
	close(kv.changed)
	kv.changed = make(chan struct{})
	return revision
}

func (kv *bucket) expire(key string, revision uint64) {
	kv.mu.Lock()
	defer kv.mu.Unlock()
	if kv.entries[key].Revision == revision {
		kv.store(key, nil)
	}
}

func (kv *bucket) Watch(ctx context.Context, prefix string) (<-chan bus.Entry, error) {
	out := make(chan bus.Entry)
	err := bus.CheckPrefix(prefix)
	if err == nil {
		err = kv.bus.start(ctx, func() {
			defer close(out)
			kv.watch(ctx, prefix, out)
		})
	}
	if err != nil {
		return nil, fmt.Errorf("watch %.80q: %w", prefix, err)
	}
	return out, nil
}

func (kv *bucket) watch(ctx context.Context, prefix string, out chan<- bus.Entry) {
	seen := uint64(0)
	for first := true; ; first = false {
		entries, changed := kv.since(prefix, seen)
		for _, e := range entries {
			seen = e.Revision
			if first && e.Value == nil {
				continue
			}
			if !bus.Deliver(ctx, kv.bus.done, out, e) {
				return
			}
		}
		if first && !bus.Deliver(ctx, kv.bus.done, out, bus.Entry{}) {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		case <-kv.bus.done:
			return
		}
	}
}

// since returns the entries with the prefix that are newer than a revision, in the
// order of their revisions, and a channel that is closed when there are more.
func (kv *bucket) since(prefix string, revision uint64) ([]bus.Entry, <-chan struct{}) {
	kv.mu.Lock()
	defer kv.mu.Unlock()
	var out []bus.Entry
	for _, e := range kv.entries {
		if e.Revision > revision && covers(prefix, e.Key) {
			e.Value = bytes.Clone(e.Value)
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b bus.Entry) int { return cmp.Compare(a.Revision, b.Revision) })
	return out, kv.changed
}

// covers reports whether Watch with the prefix shows the key.
func covers(prefix, key string) bool {
	if prefix == "" || strings.HasSuffix(prefix, ".") {
		return strings.HasPrefix(key, prefix)
	}
	return key == prefix
}
