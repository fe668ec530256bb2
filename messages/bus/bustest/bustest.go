// Package bustest is the suite that every implementation of bus.Bus passes.
package bustest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/messages/bus"
)

// Limits are the options with which the suite's buses are to be made: small enough
// to be met within a test.
func Limits() bus.Options {
	return bus.Options{
		Sizes: bus.Sizes{
			ExperienceBytes: 64 << 10,
			KeptBytes:       64 << 10,
			MatchBytes:      64 << 10,
			ResultBytes:     64 << 10,
			CurveBytes:      64 << 10,
			ObjectBytes:     8 << 20,
			StateBytes:      1 << 20,
		},
		BatchBytes:   16 << 10,
		ActorBatches: 24,
		MaxObject:    1 << 20,
		Lease:        time.Second,
		MatchLease:   time.Second,
		MaxDeliver:   2,
		RoleTTL:      time.Second,
		MaxMessage:   32 << 10,
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
		{"a hasty fetch leaves nothing behind", fetchesInHaste},
		{"a fetch that is given up loses nothing", fetchesAfterCancels},
		{"a closed consumer keeps nothing", closesWhileItWaits},
		{"fetch ends with its context", fetchContext},
		{"consumers divide the stream", dividesStream},
		{"a filter selects messages", filters},
		{"subjects are tokens", refusesSubjects},
		{"messages are bounded", refusesLarge},
		{"full streams in memory drop the oldest", dropsOldest},
		{"a flood of one subject drives out nobody else", floods},
		{"matches are leased", leases},
		{"a lease can be renewed", renews},
		{"matches come back", naks},
		{"matches are dropped in the end", givesUp},
		{"matches are a queue", queue},
		{"a full queue refuses", queueFull},
		{"tournaments have queues of their own", contests},
		{"results are taken once", resultsOnce},
		{"results taken once by many", resultsRace},
		{"trimmed results are gone", trims},
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
		{"datagrams", datagrams},
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
	c, err := b.Consume(t.Context(), stream, name, "")
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

// nothing asserts that there is nothing to fetch: the next message that comes is one that is published now. Its subject
// must be new in the stream.
func nothing(t *testing.T, b bus.Bus, stream bus.Stream, subject string, c bus.Consumer) {
	t.Helper()
	publish(t, b, stream, subject, "fence")
	m := fetch(t, c, 1)[0]
	require.Equal(t, "fence", string(m.Data()))
	require.Equal(t, subject, m.Subject())
	require.NoError(t, m.Ack(t.Context()))
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
	for stream, subject := range map[bus.Stream]string{bus.Experience: "a", bus.Results: "m.a"} {
		require.ErrorIs(t, b.Publish(ctx, stream, subject, nil), bus.ErrClosed)
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
