// Package bustest is the suite that every implementation of bus.Bus passes.
package bustest

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/messages/bus"
)

// Limits are the options with which the suite's buses are to be made: small enough
// to be met within a test.
func Limits() bus.Options {
	return bus.Options{
		ExperienceBytes: 64 << 10,
		MatchBytes:      64 << 10,
		ResultBytes:     64 << 10,
		CurveBytes:      64 << 10,
		ObjectBytes:     8 << 20,
		MaxObject:       1 << 20,
		StateBytes:      1 << 20,
		Lease:           time.Second,
		MaxDeliver:      2,
		RoleTTL:         time.Second,
		MaxMessage:      32 << 10,
	}
}

// patience is how long something that must happen may take.
const patience = 20 * time.Second

// Run checks that buses meet their contract. open returns a new and empty bus with
// Limits; closing it is the suite's business.
func Run(t *testing.T, open func(t *testing.T) bus.Bus) {
	tests := []struct {
		name string
		run  func(t *testing.T, ctx context.Context, b bus.Bus)
	}{
		{"publish and fetch", fetches},
		{"fetch returns what there is", fetchesAtOnce},
		{"fetch ends with its wait", fetchWaits},
		{"fetch ends with its context", fetchContext},
		{"consumers divide the stream", dividesStream},
		{"subjects are tokens", refusesSubjects},
		{"messages are bounded", refusesLarge},
		{"experience drops the oldest", dropsOldest},
		{"matches are leased", leases},
		{"a lease can be renewed", renews},
		{"matches come back", naks},
		{"matches are dropped in the end", givesUp},
		{"matches are a queue", queue},
		{"a full queue refuses", queueFull},
		{"results are taken once", resultsOnce},
		{"results taken once by many", resultsRace},
		{"read from the beginning", reads},
		{"read from a sequence", readsFrom},
		{"read an empty stream", readsEmpty},
		{"objects", objects},
		{"object names", objectNames},
		{"values", values},
		{"compare and set", compareAndSet},
		{"compare and set by many", compareAndSetRace},
		{"keys", keys},
		{"watch", watches},
		{"watch a prefix", watchesPrefix},
		{"roles expire", rolesExpire},
		{"closed", closed},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 3*patience)
			defer cancel()
			b := open(t)
			defer b.Close()
			require.True(t, b.Connected())
			test.run(t, ctx, b)
			require.NoError(t, b.Close())
		})
	}
}

func publish(t *testing.T, b bus.Bus, stream bus.Stream, subject, data string) {
	t.Helper()
	require.NoError(t, b.Publish(t.Context(), stream, subject, []byte(data)))
}

func consume(t *testing.T, b bus.Bus, stream bus.Stream, name string) bus.Consumer {
	t.Helper()
	c, err := b.Consume(t.Context(), stream, name)
	require.NoError(t, err)
	return c
}

// fetch returns exactly n messages, in the order in which they came.
func fetch(t *testing.T, c bus.Consumer, n int) []bus.Message {
	t.Helper()
	var out []bus.Message
	for deadline := time.Now().Add(patience); len(out) < n; {
		require.False(t, time.Now().After(deadline), "only %d of %d messages came", len(out), n)
		got, err := c.Fetch(t.Context(), n-len(out), time.Second)
		require.NoError(t, err)
		require.LessOrEqual(t, len(got), n-len(out))
		out = append(out, got...)
	}
	return out
}

// nothing asserts that there is nothing to fetch just now.
func nothing(t *testing.T, c bus.Consumer) {
	t.Helper()
	got, err := c.Fetch(t.Context(), 1, 50*time.Millisecond)
	require.NoError(t, err)
	require.Empty(t, got)
}

func receive[T any](t *testing.T, in <-chan T) T {
	t.Helper()
	select {
	case v, ok := <-in:
		require.True(t, ok, "the channel was closed")
		return v
	case <-time.After(patience):
		require.FailNow(t, "nothing came")
		panic("unreachable")
	}
}

func requireClosed[T any](t *testing.T, in <-chan T) {
	t.Helper()
	for deadline := time.After(patience); ; {
		select {
		case _, ok := <-in:
			if !ok {
				return
			}
		case <-deadline:
			require.FailNow(t, "the channel stays open")
		}
	}
}

func fetches(t *testing.T, ctx context.Context, b bus.Bus) {
	for _, stream := range []bus.Stream{bus.Experience, bus.Matches, bus.Results, bus.Curves} {
		for i := range 3 {
			publish(t, b, stream, fmt.Sprintf("s-%d", i), fmt.Sprintf("data %d", i))
		}
		c := consume(t, b, stream, "reader")
		require.Eventually(t, func() bool {
			pending, err := c.Pending(ctx)
			return err == nil && pending == 3
		}, patience, time.Millisecond)
		for i, m := range fetch(t, c, 3) {
			require.Equal(t, fmt.Sprintf("s-%d", i), m.Subject())
			require.Equal(t, fmt.Sprintf("data %d", i), string(m.Data()))
			require.EqualValues(t, i+1, m.Sequence())
			require.Equal(t, 1, m.Deliveries())
			require.NoError(t, m.Ack(ctx))
		}
		pending, err := c.Pending(ctx)
		require.NoError(t, err)
		require.Zero(t, pending)
		require.NoError(t, c.Close())
		again := consume(t, b, stream, "reader")
		publish(t, b, stream, "s-3", "later")
		require.Equal(t, "later", string(fetch(t, again, 1)[0].Data()), "a durable place is kept")
	}
}

func fetchesAtOnce(t *testing.T, ctx context.Context, b bus.Bus) {
	c := consume(t, b, bus.Matches, "arena")
	publish(t, b, bus.Matches, "m", "x")
	began := time.Now()
	got, err := c.Fetch(ctx, 10, patience)
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.Less(t, time.Since(began), patience/2)

	go func() {
		time.Sleep(50 * time.Millisecond)
		_ = b.Publish(ctx, bus.Matches, "n", nil)
	}()
	got, err = c.Fetch(ctx, 10, patience)
	require.NoError(t, err)
	require.NotEmpty(t, got)
	require.Less(t, time.Since(began), patience/2)
}

func fetchWaits(t *testing.T, ctx context.Context, b bus.Bus) {
	c := consume(t, b, bus.Matches, "arena")
	began := time.Now()
	got, err := c.Fetch(ctx, 1, 200*time.Millisecond)
	require.NoError(t, err)
	require.Empty(t, got)
	require.GreaterOrEqual(t, time.Since(began), 150*time.Millisecond)
}

func fetchContext(t *testing.T, ctx context.Context, b bus.Bus) {
	c := consume(t, b, bus.Matches, "arena")
	ctx, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	_, err := c.Fetch(ctx, 1, patience)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func dividesStream(t *testing.T, ctx context.Context, b bus.Bus) {
	for i := range 20 {
		publish(t, b, bus.Experience, "actor", fmt.Sprint(i))
	}
	one, other := consume(t, b, bus.Experience, "learner"), consume(t, b, bus.Experience, "learner")
	seen := map[string]bool{}
	for range 10 {
		for _, c := range []bus.Consumer{one, other} {
			m := fetch(t, c, 1)[0]
			require.False(t, seen[string(m.Data())], "delivered twice")
			seen[string(m.Data())] = true
			require.NoError(t, m.Ack(ctx))
		}
	}
	nothing(t, one)
	require.Len(t, fetch(t, consume(t, b, bus.Experience, "archive"), 20), 20, "another name sees all")
}

func refusesSubjects(t *testing.T, ctx context.Context, b bus.Bus) {
	for _, bad := range []string{"", "a.b", "*", ">", "a b", "ä", strings.Repeat("x", 100)} {
		require.Error(t, b.Publish(ctx, bus.Experience, bad, nil), bad)
		require.Error(t, b.Publish(ctx, bus.Results, bad, nil), bad)
		_, err := b.Consume(ctx, bus.Experience, bad)
		require.Error(t, err, bad)
	}
}

func refusesLarge(t *testing.T, ctx context.Context, b bus.Bus) {
	for _, stream := range []bus.Stream{bus.Experience, bus.Curves} {
		require.NoError(t, b.Publish(ctx, stream, "a", make([]byte, Limits().MaxMessage)))
		require.ErrorContains(t, b.Publish(ctx, stream, "a", make([]byte, Limits().MaxMessage+1)), "limit")
	}
}

func dropsOldest(t *testing.T, ctx context.Context, b bus.Bus) {
	const count = 40
	for i := range count {
		publish(t, b, bus.Experience, "actor", fmt.Sprintf("%02d%s", i, strings.Repeat(".", 8<<10)))
	}
	require.Eventually(t, func() bool {
		info, err := b.Info(ctx, bus.Experience)
		return err == nil && info.Last == count
	}, patience, time.Millisecond)
	info, err := b.Info(ctx, bus.Experience)
	require.NoError(t, err)
	require.Less(t, info.Messages, uint64(9))
	require.Equal(t, uint64(count), info.First+info.Messages-1)
	require.LessOrEqual(t, info.Bytes, uint64(Limits().ExperienceBytes))
	m := fetch(t, consume(t, b, bus.Experience, "learner"), 1)[0]
	require.Equal(t, info.First, m.Sequence())
	require.Equal(t, fmt.Sprintf("%02d", info.First-1), string(m.Data()[:2]))
}

func leases(t *testing.T, ctx context.Context, b bus.Bus) {
	publish(t, b, bus.Matches, "m", "x")
	c := consume(t, b, bus.Matches, "arena")
	first := fetch(t, c, 1)[0]
	nothing(t, c)
	second := fetch(t, c, 1)[0]
	require.Equal(t, first.Sequence(), second.Sequence())
	require.Equal(t, 2, second.Deliveries())
	require.NoError(t, second.Ack(ctx))
	time.Sleep(Limits().Lease + 100*time.Millisecond)
	nothing(t, c)
}

func renews(t *testing.T, ctx context.Context, b bus.Bus) {
	publish(t, b, bus.Matches, "m", "x")
	c := consume(t, b, bus.Matches, "arena")
	m := fetch(t, c, 1)[0]
	for range 6 {
		nothing(t, c)
		require.NoError(t, m.InProgress())
		time.Sleep(Limits().Lease / 4)
	}
	require.NoError(t, m.Ack(ctx))
}

func naks(t *testing.T, ctx context.Context, b bus.Bus) {
	publish(t, b, bus.Matches, "m", "x")
	c := consume(t, b, bus.Matches, "arena")
	require.NoError(t, fetch(t, c, 1)[0].Nak(0))
	began := time.Now()
	m := fetch(t, c, 1)[0]
	require.Equal(t, 2, m.Deliveries())
	require.Less(t, time.Since(began), patience/2)
	require.NoError(t, m.Ack(ctx))
}

func givesUp(t *testing.T, ctx context.Context, b bus.Bus) {
	publish(t, b, bus.Matches, "poison", "x")
	c := consume(t, b, bus.Matches, "arena")
	for i := range Limits().MaxDeliver {
		m := fetch(t, c, 1)[0]
		require.Equal(t, i+1, m.Deliveries())
		require.NoError(t, m.Nak(0))
	}
	require.Eventually(t, func() bool {
		nothing(t, c)
		info, err := b.Info(ctx, bus.Matches)
		return err == nil && info.Messages == 0
	}, patience, 10*time.Millisecond)

	publish(t, b, bus.Results, "result", "x")
	c = consume(t, b, bus.Results, "league")
	for range Limits().MaxDeliver + 2 {
		require.NoError(t, fetch(t, c, 1)[0].Nak(0), "results are never given up")
	}
}

func queue(t *testing.T, ctx context.Context, b bus.Bus) {
	for i := range 3 {
		publish(t, b, bus.Matches, fmt.Sprintf("m%d", i), "x")
	}
	c := consume(t, b, bus.Matches, "arena")
	got := fetch(t, c, 3)
	require.NoError(t, got[1].Ack(ctx))
	info, err := b.Info(ctx, bus.Matches)
	require.NoError(t, err)
	require.EqualValues(t, 2, info.Messages)
	require.EqualValues(t, 3, info.Last)
	_, err = b.Consume(ctx, bus.Matches, "other")
	require.Error(t, err)
	_, err = b.Read(ctx, bus.Matches, 1)
	require.Error(t, err)
}

func queueFull(t *testing.T, ctx context.Context, b bus.Bus) {
	var err error
	for i := 0; err == nil && i < 100; i++ {
		err = b.Publish(ctx, bus.Matches, fmt.Sprintf("m%d", i), make([]byte, 8<<10))
	}
	require.Error(t, err)
	require.NotErrorIs(t, err, bus.ErrTaken)
	m := fetch(t, consume(t, b, bus.Matches, "arena"), 1)[0]
	require.Equal(t, "m0", m.Subject())
	require.NoError(t, m.Ack(ctx))
	publish(t, b, bus.Matches, "later", "x")
}

func resultsOnce(t *testing.T, ctx context.Context, b bus.Bus) {
	publish(t, b, bus.Results, "m1", "first")
	publish(t, b, bus.Results, "m2", "first")
	for range 2 {
		require.ErrorIs(t, b.Publish(ctx, bus.Results, "m1", []byte("first")), bus.ErrTaken)
		require.ErrorIs(t, b.Publish(ctx, bus.Results, "m1", []byte("second")), bus.ErrTaken)
	}
	c := consume(t, b, bus.Results, "league")
	for _, m := range fetch(t, c, 2) {
		require.Equal(t, "first", string(m.Data()))
		require.NoError(t, m.Ack(ctx))
	}
	nothing(t, c)
	require.ErrorIs(t, b.Publish(ctx, bus.Results, "m1", []byte("late")), bus.ErrTaken)
	info, err := b.Info(ctx, bus.Results)
	require.NoError(t, err)
	require.EqualValues(t, 2, info.Messages)
}

func resultsRace(t *testing.T, ctx context.Context, b bus.Bus) {
	errs := make([]error, 8)
	together(len(errs), func(i int) { errs[i] = b.Publish(ctx, bus.Results, "m", []byte{byte(i)}) })
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else {
			require.ErrorIs(t, err, bus.ErrTaken)
		}
	}
	require.Equal(t, 1, won)
}

func together(n int, do func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

func reads(t *testing.T, ctx context.Context, b bus.Bus) {
	for i := range 5 {
		publish(t, b, bus.Curves, "learner", fmt.Sprint(i))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	in, err := b.Read(ctx, bus.Curves, 1)
	require.NoError(t, err)
	for i := range 5 {
		m := receive(t, in)
		require.NotNil(t, m, "the mark came before the end")
		require.Equal(t, fmt.Sprint(i), string(m.Data()))
		require.Equal(t, "learner", m.Subject())
		require.EqualValues(t, i+1, m.Sequence())
		require.Equal(t, 1, m.Deliveries())
		require.NoError(t, m.Ack(ctx))
	}
	require.Nil(t, receive(t, in))
	publish(t, b, bus.Curves, "league", "more")
	require.Equal(t, "more", string(receive(t, in).Data()))
	cancel()
	requireClosed(t, in)
}

func readsFrom(t *testing.T, ctx context.Context, b bus.Bus) {
	for i := range 5 {
		publish(t, b, bus.Results, fmt.Sprintf("m%d", i), fmt.Sprint(i))
	}
	in, err := b.Read(ctx, bus.Results, 4)
	require.NoError(t, err)
	require.EqualValues(t, 4, receive(t, in).Sequence())
	require.EqualValues(t, 5, receive(t, in).Sequence())
	require.Nil(t, receive(t, in))

	after, err := b.Read(ctx, bus.Results, 6)
	require.NoError(t, err)
	require.Nil(t, receive(t, after))
	publish(t, b, bus.Results, "m5", "5")
	require.EqualValues(t, 6, receive(t, in).Sequence())
	require.EqualValues(t, 6, receive(t, after).Sequence())
}

func readsEmpty(t *testing.T, ctx context.Context, b bus.Bus) {
	in, err := b.Read(ctx, bus.Curves, 1)
	require.NoError(t, err)
	require.Nil(t, receive(t, in))
	publish(t, b, bus.Curves, "learner", "first")
	require.Equal(t, "first", string(receive(t, in).Data()))
}

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
	in, err := kv.Watch(ctx, "ledger.")
	require.NoError(t, err)
	require.Equal(t, "ledger.a", receive(t, in).Key)
	require.Equal(t, bus.Entry{}, receive(t, in))
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

func closed(t *testing.T, ctx context.Context, b bus.Bus) {
	c := consume(t, b, bus.Experience, "learner")
	read, err := b.Read(ctx, bus.Curves, 1)
	require.NoError(t, err)
	watched, err := b.State().Watch(ctx, "")
	require.NoError(t, err)
	require.NoError(t, b.Close())
	requireClosed(t, read)
	requireClosed(t, watched)
	require.False(t, b.Connected())
	for _, stream := range []bus.Stream{bus.Experience, bus.Results} {
		require.ErrorIs(t, b.Publish(ctx, stream, "a", nil), bus.ErrClosed)
	}
	_, err = c.Fetch(ctx, 1, time.Second)
	require.ErrorIs(t, err, bus.ErrClosed)
	_, err = b.State().Put(ctx, "a", nil)
	require.ErrorIs(t, err, bus.ErrClosed)
	_, err = b.State().Watch(ctx, "")
	require.ErrorIs(t, err, bus.ErrClosed)
	_, err = b.Read(ctx, bus.Curves, 1)
	require.ErrorIs(t, err, bus.ErrClosed)
	_, err = b.GetObject(ctx, "a")
	require.ErrorIs(t, err, bus.ErrClosed)
}
