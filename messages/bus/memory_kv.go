package bus

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// memoryKV is a bucket that keeps the newest entry of each key; a deleted or expired
// key stays as an entry without value, so that watchers see that it went.
type memoryKV struct {
	bus      *Memory
	maxBytes int64
	ttl      time.Duration // 0: for ever

	mu       sync.Mutex
	entries  map[string]Entry
	revision uint64
	changed  chan struct{} // closed and replaced at every change
}

func newMemoryKV(b *Memory, maxBytes int64, ttl time.Duration) *memoryKV {
	return &memoryKV{bus: b, maxBytes: maxBytes, ttl: ttl, entries: map[string]Entry{}, changed: make(chan struct{})}
}

// on runs an operation on one key under the lock.
func (kv *memoryKV) on(ctx context.Context, what, key string, do func() error) error {
	err := checkKey(key)
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

func (kv *memoryKV) Get(ctx context.Context, key string) (entry Entry, err error) {
	err = kv.on(ctx, "get", key, func() error {
		stored := kv.entries[key]
		if stored.Value == nil {
			return ErrNotFound
		}
		entry = stored
		entry.Value = bytes.Clone(stored.Value)
		return nil
	})
	return entry, err
}

func (kv *memoryKV) Put(ctx context.Context, key string, value []byte) (revision uint64, err error) {
	err = kv.on(ctx, "put", key, func() (err error) {
		revision, err = kv.set(key, value)
		return err
	})
	return revision, err
}

func (kv *memoryKV) Update(ctx context.Context, key string, value []byte, revision uint64) (next uint64, err error) {
	err = kv.on(ctx, "update", key, func() (err error) {
		present := kv.entries[key]
		if present.Value == nil {
			present.Revision = 0
		}
		if present.Revision != revision {
			return ErrTaken
		}
		next, err = kv.set(key, value)
		return err
	})
	return next, err
}

func (kv *memoryKV) Delete(ctx context.Context, key string) error {
	return kv.on(ctx, "delete", key, func() error {
		if kv.entries[key].Value != nil {
			kv.store(key, nil)
		}
		return nil
	})
}

// set stores a copy of the value and returns its revision.
func (kv *memoryKV) set(key string, value []byte) (uint64, error) {
	size := len(key) + len(value)
	for _, e := range kv.entries {
		if e.Key != key {
			size += len(e.Key) + len(e.Value)
		}
	}
	if int64(size) > kv.maxBytes {
		return 0, errFull
	}
	revision := kv.store(key, append([]byte{}, value...))
	if kv.ttl > 0 {
		time.AfterFunc(kv.ttl, func() { kv.expire(key, revision) })
	}
	return revision, nil
}

// store writes an entry, with a nil value for a deletion.
func (kv *memoryKV) store(key string, value []byte) uint64 {
	kv.revision++
	kv.entries[key] = Entry{Key: key, Value: value, Revision: kv.revision}
	close(kv.changed)
	kv.changed = make(chan struct{})
	return kv.revision
}

func (kv *memoryKV) expire(key string, revision uint64) {
	kv.mu.Lock()
	defer kv.mu.Unlock()
	if kv.entries[key].Revision == revision {
		kv.store(key, nil)
	}
}

func (kv *memoryKV) Watch(ctx context.Context, prefix string) (<-chan Entry, error) {
	out := make(chan Entry)
	err := checkPrefix(prefix)
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

func (kv *memoryKV) watch(ctx context.Context, prefix string, out chan<- Entry) {
	seen := uint64(0)
	for first := true; ; first = false {
		entries, changed := kv.since(prefix, seen)
		for _, e := range entries {
			seen = e.Revision
			if first && e.Value == nil {
				continue
			}
			if !send(ctx, kv.bus.done, out, e) {
				return
			}
		}
		if first && !send(ctx, kv.bus.done, out, Entry{}) {
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
func (kv *memoryKV) since(prefix string, revision uint64) ([]Entry, <-chan struct{}) {
	kv.mu.Lock()
	defer kv.mu.Unlock()
	var out []Entry
	for _, e := range kv.entries {
		if e.Revision > revision && matches(prefix, e.Key) {
			e.Value = bytes.Clone(e.Value)
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b Entry) int { return cmp.Compare(a.Revision, b.Revision) })
	return out, kv.changed
}
