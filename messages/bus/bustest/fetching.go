package bustest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/messages"
	"croupier/messages/bus"
)

func fetches(t *testing.T, ctx context.Context, b bus.Bus) {
	for _, stream := range bus.Streams {
		subject := "s-%d"
		switch stream {
		case bus.Results, bus.Contests:
			subject = "s-%d.actor"
		case bus.Outcomes:
			subject = "cup.s-%d.actor"
		}
		for i := range 3 {
			publish(t, b, stream, fmt.Sprintf(subject, i), fmt.Sprintf("data %d", i))
		}
		name := "reader"
		if stream.Queue() {
			name = messages.ArenaConsumer // a queue has one consumer
		}
		c := consume(t, b, stream, name)
		require.Eventually(t, func() bool {
			pending, _, err := c.Pending(ctx)
			return err == nil && pending == 3
		}, patience, time.Millisecond)
		for i, m := range fetch(t, c, 3) {
			require.Equal(t, fmt.Sprintf(subject, i), m.Subject())
			require.Equal(t, fmt.Sprintf("data %d", i), string(m.Data()))
			require.EqualValues(t, i+1, m.Sequence())
			require.Equal(t, 1, m.Deliveries())
			require.NoError(t, m.Ack(ctx))
		}
		pending, _, err := c.Pending(ctx)
		require.NoError(t, err)
		require.Zero(t, pending)
		require.NoError(t, c.Close())
		again := consume(t, b, stream, name)
		publish(t, b, stream, fmt.Sprintf(subject, 3), "later")
		require.Equal(t, "later", string(fetch(t, again, 1)[0].Data()), "a durable place is kept")
	}
}

// fetchesInHaste gives the bus next to no time: what it brings too late for one fetch is there for the next one, in
// order, and not only once its lease has run out.
func fetchesInHaste(t *testing.T, ctx context.Context, b bus.Bus) {
	const messages = 400
	c := consume(t, b, bus.Matches, "arena")
	published := make(chan error, 1)
	go func() {
		for i := range messages {
			if err := b.Publish(ctx, bus.Matches, fmt.Sprintf("m-%d", i), nil); err != nil {
				published <- err
				return
			}
		}
		published <- nil
	}()
	for next, attempt := 0, 0; next < messages; attempt++ {
		got, err := c.Fetch(ctx, 8, time.Duration(attempt%40)*50*time.Microsecond)
		require.NoError(t, err)
		for _, m := range got {
			require.Equal(t, fmt.Sprintf("m-%d", next), m.Subject())
			require.Equal(t, 1, m.Deliveries())
			require.NoError(t, m.Ack(ctx))
			next++
		}
	}
	require.NoError(t, <-published)
}

// fetchesAfterCancels gives up fetches, by their context or their time, at the moment at which a message comes: the
// next one has it at once, and not only once its lease has run out.
func fetchesAfterCancels(t *testing.T, ctx context.Context, b bus.Bus) {
	c := consume(t, b, bus.Matches, "arena")
	for i := range 150 {
		const wait = 6 * time.Millisecond
		hasty, cancel := context.WithCancel(ctx)
		published := make(chan error, 1)
		time.AfterFunc(wait+time.Duration(i%16-8)*50*time.Microsecond, func() {
			published <- b.Publish(ctx, bus.Matches, fmt.Sprintf("m-%d", i), nil)
		})
		var got []bus.Message
		var err error
		if i%2 == 0 {
			time.AfterFunc(wait, cancel)
			got, err = c.Fetch(hasty, 1, patience)
		} else {
			got, err = c.Fetch(hasty, 1, wait)
		}
		if err != nil {
			require.ErrorIs(t, err, context.Canceled)
		}
		cancel()
		require.NoError(t, <-published)
		if len(got) == 0 {
			got = fetch(t, c, 1)
		}
		require.Equal(t, fmt.Sprintf("m-%d", i), got[0].Subject())
		require.Equal(t, 1, got[0].Deliveries())
		require.NoError(t, got[0].Ack(ctx))
	}
}

// closesWhileItWaits closes a consumer whose last fetch was given up: what comes then is another's at once, and not
// only once its lease has run out. A busy machine may delay some of them.
func closesWhileItWaits(t *testing.T, ctx context.Context, b bus.Bus) {
	fastest := patience
	for i := range 10 {
		one := consume(t, b, bus.Matches, "arena")
		hasty, cancel := context.WithCancel(ctx)
		time.AfterFunc(10*time.Millisecond, cancel)
		_, err := one.Fetch(hasty, 1, patience)
		require.ErrorIs(t, err, context.Canceled)
		require.NoError(t, one.Close())
		began := time.Now()
		publish(t, b, bus.Matches, fmt.Sprintf("m-%d", i), "x")
		m := fetch(t, consume(t, b, bus.Matches, "arena"), 1)[0]
		fastest = min(fastest, time.Since(began))
		require.Equal(t, fmt.Sprintf("m-%d", i), m.Subject())
		require.NoError(t, m.Ack(ctx))
	}
	require.Less(t, fastest, Limits().MatchLease)
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
	nothing(t, b, bus.Experience, "fence", one)
	require.Len(t, fetch(t, consume(t, b, bus.Experience, "archive"), 20), 20, "another name sees all")
}

func filters(t *testing.T, ctx context.Context, b bus.Bus) {
	var consumers []bus.Consumer
	agents := []string{messages.LearningAgent, "exploiter"}
	for _, agent := range agents {
		c, err := b.Consume(ctx, bus.Experience, messages.LearnerOf(agent), messages.ExperienceFilter(agent))
		require.NoError(t, err)
		consumers = append(consumers, c)
	}
	for i := range 3 {
		for _, agent := range agents {
			publish(t, b, bus.Experience, messages.ExperienceSubject(fmt.Sprintf("actor-%d", i), agent),
				fmt.Sprintf("%s %d", agent, i))
		}
	}
	publish(t, b, bus.Experience, messages.ExperienceSubject("actor-3", "nobody"), "of an agent without a consumer")
	for k, c := range consumers {
		require.Eventually(t, func() bool {
			pending, own, err := c.Pending(ctx)
			return err == nil && pending == 3 && own == 3
		}, patience, time.Millisecond)
		for i, m := range fetch(t, c, 3) {
			require.Equal(t, fmt.Sprintf("%s %d", agents[k], i), string(m.Data()))
			actor, agent, ok := messages.ParseExperienceSubject(m.Subject())
			require.Equal(t, []any{fmt.Sprintf("actor-%d", i), agents[k], true}, []any{actor, agent, ok})
			require.NoError(t, m.Ack(ctx))
		}
		nothing(t, b, bus.Experience, messages.ExperienceSubject("fence", agents[k]), c)
		require.Eventually(t, func() bool {
			pending, own, err := c.Pending(ctx)
			return err == nil && pending == 0 && own == 0
		}, patience, time.Millisecond)
	}
	require.NoError(t, b.Publish(ctx, bus.Curves, messages.LearnerKey("exploiter"), []byte("points")))
	require.Equal(t, "points", string(fetch(t, consume(t, b, bus.Curves, "reader"), 1)[0].Data()))
}
