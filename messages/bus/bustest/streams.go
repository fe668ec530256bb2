package bustest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/messages/bus"
)

func refusesSubjects(t *testing.T, ctx context.Context, b bus.Bus) {
	for _, bad := range []string{"a.", "a.b.c", "a.main", "a.*"} {
		require.Error(t, b.Publish(ctx, bus.Experience, bad, nil), bad)
		require.Error(t, b.Publish(ctx, bus.Curves, bad, nil), bad)
	}
	require.Error(t, b.Publish(ctx, bus.Matches, "a.b", nil))
	for _, bad := range []string{">", "a..b", "a b", "a.>"} {
		_, err := b.Consume(ctx, bus.Experience, "learner", bad)
		require.ErrorContains(t, err, "filter", bad)
	}
	for _, bad := range []string{"", "*", ">", "a b", "ä", strings.Repeat("x", 100)} {
		require.Error(t, b.Publish(ctx, bus.Experience, bad, nil), bad)
		require.Error(t, b.Publish(ctx, bus.Results, "m."+bad, nil), bad)
		_, err := b.Consume(ctx, bus.Experience, bad, "")
		require.Error(t, err, bad)
	}
}

func refusesLarge(t *testing.T, ctx context.Context, b bus.Bus) {
	for _, stream := range []bus.Stream{bus.Experience, bus.Curves, bus.Kept} {
		require.NoError(t, b.Publish(ctx, stream, "a", make([]byte, b.MaxMessage(stream))))
		require.ErrorContains(t, b.Publish(ctx, stream, "a", make([]byte, b.MaxMessage(stream)+1)), "limit")
	}
}

func dropsOldest(t *testing.T, ctx context.Context, b bus.Bus) {
	for _, stream := range []bus.Stream{bus.Experience, bus.Kept} {
		const count = 40
		for i := range count {
			publish(t, b, stream, "actor", fmt.Sprintf("%02d%s", i, strings.Repeat(".", 8<<10)))
		}
		require.Eventually(t, func() bool {
			info, err := b.Info(ctx, stream)
			return err == nil && info.Last == count
		}, patience, time.Millisecond)
		info, err := b.Info(ctx, stream)
		require.NoError(t, err)
		require.Less(t, info.Messages, uint64(9))
		require.Equal(t, uint64(count), info.First+info.Messages-1)
		require.LessOrEqual(t, info.Bytes, uint64(64<<10))
		m := fetch(t, consume(t, b, stream, "reader"), 1)[0]
		require.Equal(t, info.First, m.Sequence())
		require.Equal(t, fmt.Sprintf("%02d", info.First-1), string(m.Data()[:2]))
	}
}

// floods has one actor send far more than a stream keeps, between two batches of another.
func floods(t *testing.T, ctx context.Context, b bus.Bus) {
	for _, stream := range []bus.Stream{bus.Experience, bus.Kept} {
		limit := b.MaxMessage(stream)
		require.Equal(t, Limits().BatchBytes, limit)
		require.Error(t, b.Publish(ctx, stream, "flood", make([]byte, limit+1)))
		publish(t, b, stream, "honest", "first")
		for i := range 100 {
			publish(t, b, stream, "flood", fmt.Sprint(i))
		}
		publish(t, b, stream, "honest", "second")
		require.Eventually(t, func() bool {
			info, err := b.Info(ctx, stream)
			return err == nil && info.Last == 102
		}, patience, time.Millisecond)
		c := consume(t, b, stream, "reader")
		var honest, flood []string
		for len(honest) < 2 {
			for _, m := range fetch(t, c, 1) {
				if m.Subject() == "honest" {
					honest = append(honest, string(m.Data()))
				} else {
					flood = append(flood, string(m.Data()))
				}
			}
		}
		require.Equal(t, []string{"first", "second"}, honest)
		require.Len(t, flood, Limits().ActorBatches)
		require.Equal(t, "99", flood[len(flood)-1], "the newest stay")
	}
}

// inTime runs a part of a test in which nothing may take as long as a lease, with another match each time. A busy
// machine may have taken longer, of which do returns the longest: then it says nothing, and is tried again.
func inTime(t *testing.T, do func(match string) (longest time.Duration, wrong error)) {
	t.Helper()
	for attempt := range 20 {
		longest, wrong := do(fmt.Sprintf("m%d", attempt))
		if longest < Limits().MatchLease {
			require.NoError(t, wrong)
			return
		}
	}
	require.Fail(t, "each time took longer than a lease")
}

func leases(t *testing.T, ctx context.Context, b bus.Bus) {
	c := consume(t, b, bus.Matches, "arena")
	inTime(t, func(match string) (time.Duration, error) {
		publish(t, b, bus.Matches, match, "x")
		began := time.Now()
		first := fetch(t, c, 1)[0]
		publish(t, b, bus.Matches, match+"-later", "x")
		other := fetch(t, c, 1)[0]
		took := time.Since(began)
		if other.Subject() == match { // its lease is over
			first, other = other, fetch(t, c, 1)[0]
			require.NoError(t, first.Ack(ctx))
			require.NoError(t, other.Ack(ctx))
			return took, fmt.Errorf("a match that is leased came again, %d deliveries", first.Deliveries())
		}
		require.NoError(t, other.Ack(ctx))
		second := fetch(t, c, 1)[0]
		require.Equal(t, first.Sequence(), second.Sequence())
		require.Equal(t, 2, second.Deliveries())
		require.NoError(t, second.Ack(ctx))
		nothing(t, b, bus.Matches, match+"-fence", c)
		return took, nil
	})
	info, err := b.Info(ctx, bus.Matches)
	require.NoError(t, err)
	require.Zero(t, info.Messages)
}

func renews(t *testing.T, ctx context.Context, b bus.Bus) {
	c := consume(t, b, bus.Matches, "arena")
	inTime(t, func(match string) (longest time.Duration, wrong error) {
		publish(t, b, bus.Matches, match, "x")
		renewed := time.Now()
		m := fetch(t, c, 1)[0]
		for end := time.Now().Add(Limits().MatchLease * 3 / 2); time.Now().Before(end); {
			require.NoError(t, m.InProgress())
			longest = max(longest, time.Since(renewed))
			renewed = time.Now()
			time.Sleep(Limits().MatchLease / 4)
		}
		publish(t, b, bus.Matches, match+"-later", "x")
		later := fetch(t, c, 1)[0]
		longest = max(longest, time.Since(renewed))
		if later.Subject() == match {
			m, later = later, fetch(t, c, 1)[0]
			wrong = errors.New("a match came again whose lease was renewed")
		}
		require.NoError(t, m.Ack(ctx))
		require.NoError(t, later.Ack(ctx))
		return longest, wrong
	})
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
	require.Eventually(t, func() bool { // it is dropped while somebody asks
		got, err := c.Fetch(ctx, 1, 50*time.Millisecond)
		require.NoError(t, err)
		require.Empty(t, got)
		info, err := b.Info(ctx, bus.Matches)
		return err == nil && info.Messages == 0
	}, patience, 10*time.Millisecond)

	publish(t, b, bus.Results, "result.a-0", "x")
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
	queued, err := b.Queued(ctx)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"m0", "m2"}, queued, "those that nobody has acknowledged")
	_, err = b.Consume(ctx, bus.Matches, "other", "")
	require.Error(t, err)
	_, err = b.Read(ctx, bus.Matches, 1)
	require.Error(t, err)
}

func contests(t *testing.T, ctx context.Context, b bus.Bus) {
	for _, cup := range []string{"one", "other"} {
		for i := range 2 {
			publish(t, b, bus.Contests, fmt.Sprintf("%s.m%d", cup, i), cup)
		}
	}
	c := consume(t, b, bus.Contests, "arena")
	m := fetch(t, c, 1)[0]
	require.Equal(t, "one.m0", m.Subject())
	publish(t, b, bus.Outcomes, "one.m0.actor", "result")
	publish(t, b, bus.Outcomes, "other.m0.actor", "result")
	require.NoError(t, m.Ack(ctx))
	outcomes, err := b.Read(ctx, bus.Outcomes, 1)
	require.NoError(t, err)
	require.Equal(t, "one.m0.actor", (<-outcomes).Subject())
	require.Equal(t, "other.m0.actor", (<-outcomes).Subject())

	require.NoError(t, b.Withdraw(ctx, "one"))
	for stream, left := range map[bus.Stream]uint64{bus.Contests: 2, bus.Outcomes: 1} {
		info, err := b.Info(ctx, stream)
		require.NoError(t, err)
		require.Equal(t, left, info.Messages, stream)
	}
	for _, m := range fetch(t, c, 2) {
		require.Equal(t, "other", string(m.Data()))
	}
	nothing(t, b, bus.Contests, "fence.m", c)
	require.Error(t, b.Withdraw(ctx, ">"))
	for _, bad := range []string{"m", "one.m.a", "one.*", ".m"} {
		require.Error(t, b.Publish(ctx, bus.Contests, bad, nil), bad)
	}
	for _, bad := range []string{"one.m", "one.m.>", "one.m.a.b"} {
		require.Error(t, b.Publish(ctx, bus.Outcomes, bad, nil), bad)
	}
	_, err = b.Read(ctx, bus.Contests, 1)
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
	publish(t, b, bus.Results, "m1.a-0", "first")
	publish(t, b, bus.Results, "m2.a-0", "first")
	for range 2 {
		require.ErrorIs(t, b.Publish(ctx, bus.Results, "m1.a-0", []byte("first")), bus.ErrTaken)
		require.ErrorIs(t, b.Publish(ctx, bus.Results, "m1.a-0", []byte("second")), bus.ErrTaken)
	}
	c := consume(t, b, bus.Results, "league")
	for _, m := range fetch(t, c, 2) {
		require.Equal(t, "first", string(m.Data()))
		require.NoError(t, m.Ack(ctx))
	}
	nothing(t, b, bus.Results, "m3.a-0", c)
	require.ErrorIs(t, b.Publish(ctx, bus.Results, "m1.a-0", []byte("late")), bus.ErrTaken)
	info, err := b.Info(ctx, bus.Results)
	require.NoError(t, err)
	require.EqualValues(t, 3, info.Messages)
}

func trims(t *testing.T, ctx context.Context, b bus.Bus) {
	for i := range 5 {
		publish(t, b, bus.Results, fmt.Sprintf("m%d.a", i), "x")
	}
	for _, trim := range []struct{ below, first uint64 }{{0, 1}, {1, 1}, {4, 4}, {2, 4}} {
		require.NoError(t, b.Trim(ctx, trim.below))
		info, err := b.Info(ctx, bus.Results)
		require.NoError(t, err)
		require.Equal(t, trim.first, info.First)
		require.EqualValues(t, 5, info.Last)
	}
	publish(t, b, bus.Results, "m5.a", "x")
	reading, stop := context.WithCancel(ctx)
	defer stop()
	in, err := b.Read(reading, bus.Results, 1)
	require.NoError(t, err)
	var left []uint64
	for m := range in {
		if m == nil {
			break
		}
		left = append(left, m.Sequence())
	}
	require.Equal(t, []uint64{4, 5, 6}, left)
}

func resultsRace(t *testing.T, ctx context.Context, b bus.Bus) {
	errs := make([]error, 8)
	together(len(errs), func(i int) { errs[i] = b.Publish(ctx, bus.Results, "m.a-0", []byte{byte(i)}) })
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
		publish(t, b, bus.Results, fmt.Sprintf("m%d.a", i), fmt.Sprint(i))
	}
	in, err := b.Read(ctx, bus.Results, 4)
	require.NoError(t, err)
	require.EqualValues(t, 4, receive(t, in).Sequence())
	require.EqualValues(t, 5, receive(t, in).Sequence())
	require.Nil(t, receive(t, in))

	after, err := b.Read(ctx, bus.Results, 6)
	require.NoError(t, err)
	require.Nil(t, receive(t, after))
	publish(t, b, bus.Results, "m5.a", "5")
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
