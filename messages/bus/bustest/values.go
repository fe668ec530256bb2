package bustest

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/messages/bus"
)

func objects(t *testing.T, ctx context.Context, b bus.Bus) {
	names, err := b.ListObjects(ctx)
	require.NoError(t, err)
	require.Empty(t, names)
	large := bytes.Repeat([]byte("weights "), 100<<10)
	require.NoError(t, b.PutObject(ctx, "live/main/1-ab", large))
	require.NoError(t, b.PutObject(ctx, "live/main/2-cd", []byte("small")))
	require.ErrorIs(t, b.PutObject(ctx, "live/main/1-ab", []byte("other")), bus.ErrTaken)
	require.ErrorContains(t, b.PutObject(ctx, "large", make([]byte, Limits().MaxObject+1)), "limit")
	got, err := b.GetObject(ctx, "live/main/1-ab")
	require.NoError(t, err)
	require.True(t, bytes.Equal(large, got))
	names, err = b.ListObjects(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{"live/main/1-ab", "live/main/2-cd"}, names)
	require.NoError(t, b.DeleteObject(ctx, "live/main/1-ab"))
	_, err = b.GetObject(ctx, "live/main/1-ab")
	require.ErrorIs(t, err, bus.ErrNotFound)
	require.ErrorIs(t, b.DeleteObject(ctx, "live/main/1-ab"), bus.ErrNotFound)
	names, err = b.ListObjects(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{"live/main/2-cd"}, names)
	require.NoError(t, b.PutObject(ctx, "live/main/1-ab", []byte("again")), "a deleted name is free")
}

func objectNames(t *testing.T, ctx context.Context, b bus.Bus) {
	for _, bad := range []string{"", "/a", "a/", "a//b", "a b", "ä", strings.Repeat("x", 300)} {
		require.Error(t, b.PutObject(ctx, bad, nil), bad)
	}
}

func values(t *testing.T, ctx context.Context, b bus.Bus) {
	kv := b.State()
	_, err := kv.Get(ctx, "agent.main")
	require.ErrorIs(t, err, bus.ErrNotFound)
	first, err := kv.Put(ctx, "agent.main", []byte("1"))
	require.NoError(t, err)
	second, err := kv.Put(ctx, "agent.main", []byte("2"))
	require.NoError(t, err)
	require.Greater(t, second, first)
	entry, err := kv.Get(ctx, "agent.main")
	require.NoError(t, err)
	require.Equal(t, bus.Entry{Key: "agent.main", Value: []byte("2"), Revision: second}, entry)
	require.NoError(t, kv.Delete(ctx, "agent.main"))
	_, err = kv.Get(ctx, "agent.main")
	require.ErrorIs(t, err, bus.ErrNotFound)
	require.NoError(t, kv.Delete(ctx, "agent.main"))
	_, err = kv.Put(ctx, "empty", nil)
	require.NoError(t, err)
	entry, err = kv.Get(ctx, "empty")
	require.NoError(t, err)
	require.NotNil(t, entry.Value)
	require.Empty(t, entry.Value)
	_, err = b.Roles().Get(ctx, "empty")
	require.ErrorIs(t, err, bus.ErrNotFound, "the buckets are apart")
}

func compareAndSet(t *testing.T, ctx context.Context, b bus.Bus) {
	kv := b.State()
	_, err := kv.Update(ctx, "k", []byte("x"), 7)
	require.ErrorIs(t, err, bus.ErrTaken)
	first, err := kv.Update(ctx, "k", []byte("1"), 0)
	require.NoError(t, err)
	_, err = kv.Update(ctx, "k", []byte("x"), 0)
	require.ErrorIs(t, err, bus.ErrTaken)
	second, err := kv.Update(ctx, "k", []byte("2"), first)
	require.NoError(t, err)
	_, err = kv.Update(ctx, "k", []byte("x"), first)
	require.ErrorIs(t, err, bus.ErrTaken)
	entry, err := kv.Get(ctx, "k")
	require.NoError(t, err)
	require.Equal(t, bus.Entry{Key: "k", Value: []byte("2"), Revision: second}, entry)
	require.NoError(t, kv.Delete(ctx, "k"))
	_, err = kv.Update(ctx, "k", []byte("3"), 0)
	require.NoError(t, err, "a deleted key can be made again")
}

func compareAndSetRace(t *testing.T, ctx context.Context, b bus.Bus) {
	kv := b.State()
	won := make([]bool, 8)
	together(len(won), func(i int) {
		_, err := kv.Update(ctx, "k", []byte{byte(i)}, 0)
		won[i] = err == nil
	})
	winners := 0
	for i, w := range won {
		if w {
			winners++
			entry, err := kv.Get(ctx, "k")
			require.NoError(t, err)
			require.Equal(t, []byte{byte(i)}, entry.Value)
		}
	}
	require.Equal(t, 1, winners)
}

func keys(t *testing.T, ctx context.Context, b bus.Bus) {
	for _, bad := range []string{"", ".", "a.", ".a", "a..b", "a b", "a.*", ">", strings.Repeat("x", 300)} {
		_, err := b.State().Put(ctx, bad, nil)
		require.Error(t, err, bad)
	}
	for _, bad := range []string{".", "a..", "*", "a.*", ">"} {
		_, err := b.State().Watch(ctx, bad)
		require.Error(t, err, bad)
	}
}

func put(t *testing.T, kv bus.KV, key, value string) {
	t.Helper()
	_, err := kv.Put(t.Context(), key, []byte(value))
	require.NoError(t, err)
}

// news waits for a key to be sent with the given value; nil is its end.
func news(t *testing.T, in <-chan bus.Entry, key string, value []byte) {
	t.Helper()
	for {
		e := receive(t, in)
		if e.Key == key && bytes.Equal(e.Value, value) && (e.Value == nil) == (value == nil) {
			return
		}
	}
}

func watches(t *testing.T, ctx context.Context, b bus.Bus) {
	kv := b.State()
	put(t, kv, "a", "1")
	put(t, kv, "b", "1")
	put(t, kv, "gone", "1")
	require.NoError(t, kv.Delete(ctx, "gone"))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	in, err := kv.Watch(ctx, "")
	require.NoError(t, err)
	present := []string{receive(t, in).Key, receive(t, in).Key}
	require.ElementsMatch(t, []string{"a", "b"}, present)
	require.Equal(t, bus.Entry{}, receive(t, in))
	put(t, kv, "a", "2")
	news(t, in, "a", []byte("2"))
	put(t, kv, "new", "1")
	news(t, in, "new", []byte("1"))
	require.NoError(t, kv.Delete(ctx, "b"))
	news(t, in, "b", nil)
	cancel()
	requireClosed(t, in)
}

func watchesPrefix(t *testing.T, ctx context.Context, b bus.Bus) {
	kv := b.State()
	for _, key := range []string{"ledger.a", "ledger", "ledger2.a", "agent.main"} {
		put(t, kv, key, "1")
	}
	began := time.Now()
	in, err := kv.Watch(ctx, "ledger.")
	require.NoError(t, err)
	require.Equal(t, "ledger.a", receive(t, in).Key)
	require.Equal(t, bus.Entry{}, receive(t, in))
	require.Less(t, time.Since(began), 4*time.Second, "the one that starts must not wait for news to know what is there")
	whole, err := kv.Watch(ctx, "agent.main")
	require.NoError(t, err)
	require.Equal(t, "agent.main", receive(t, whole).Key)
	require.Equal(t, bus.Entry{}, receive(t, whole))
	put(t, kv, "ledger", "2")
	put(t, kv, "agent.main", "2")
	put(t, kv, "ledger.b", "2")
	require.Equal(t, "ledger.b", receive(t, in).Key)
	require.Equal(t, "2", string(receive(t, whole).Value))
	none, err := kv.Watch(ctx, "population.")
	require.NoError(t, err)
	require.Equal(t, bus.Entry{}, receive(t, none))
}

func rolesExpire(t *testing.T, ctx context.Context, b bus.Bus) {
	kv := b.Roles()
	in, err := kv.Watch(ctx, "")
	require.NoError(t, err)
	require.Equal(t, bus.Entry{}, receive(t, in))
	put(t, kv, "actor.a", "alive")
	news(t, in, "actor.a", []byte("alive"))
	news(t, in, "actor.a", nil)
	_, err = kv.Get(ctx, "actor.a")
	require.ErrorIs(t, err, bus.ErrNotFound)
	put(t, kv, "actor.a", "back")
	news(t, in, "actor.a", []byte("back"))
}
