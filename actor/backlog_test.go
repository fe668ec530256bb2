package actor

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
)

// A broker that is slow to answer is asked less often.
func TestBacklogPause(t *testing.T) {
	require.Equal(t, 20*time.Millisecond, BacklogPause(50*time.Microsecond))
	require.Equal(t, 100*time.Millisecond, BacklogPause(100*time.Millisecond))
	require.Equal(t, time.Second, BacklogPause(time.Minute))
}

// A process that was frozen in the middle of a turn while the learner was behind took the 33 s for its own work
// and rested for several times as long.
func TestARestEndsWithTheLearnersNeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worker{link: &learnerLink{}, arenaShare: 0.2, part: 1}
		took := func(turn time.Duration) time.Duration {
			began := time.Now()
			w.yield(turn)
			for w.rests() {
				time.Sleep(idleWait)
			}
			return time.Since(began)
		}
		w.link.yields.Store(true)
		require.Equal(t, 40*time.Millisecond, took(10*time.Millisecond), "its share of the time")
		require.Equal(t, longestRest, took(33*time.Second))
		time.AfterFunc(time.Second, func() { w.link.yields.Store(false) })
		require.LessOrEqual(t, took(33*time.Second), time.Second+idleWait)
		w.link.yields.Store(true)
		w.part = 0.5
		require.Equal(t, 90*time.Millisecond, took(10*time.Millisecond), "its share of its part of the core")
	})
}

// lateBus answers questions for the backlog of experience, after the first, only once it is told to.
type lateBus struct {
	bus.Bus
	answer chan struct{}
}

type lateConsumer struct {
	bus.Consumer
	asked  atomic.Uint64
	answer chan struct{}
}

func (b lateBus) Consume(ctx context.Context, stream bus.Stream, name, filter string) (bus.Consumer, error) {
	c, err := b.Bus.Consume(ctx, stream, name, filter)
	if stream != bus.Experience || err != nil {
		return c, err
	}
	return &lateConsumer{Consumer: c, answer: b.answer}, nil
}

func (c *lateConsumer) Pending(ctx context.Context) (all, own uint64, err error) {
	if c.asked.Add(1) > 1 {
		select {
		case <-c.answer:
		case <-ctx.Done():
			return 0, 0, ctx.Err()
		}
	}
	return c.Consumer.Pending(ctx)
}

// A machine that is so busy that it hears late how far the learner is behind does not play more meanwhile than the
// broker keeps: else games were lost that nobody had to lose.
func TestNoExperienceIsLostWhileTheBacklogIsNotKnown(t *testing.T) {
	synctest.Test(t, noExperienceIsLost)
}

func noExperienceIsLost(t *testing.T) {
	game := leducGame(t)
	b := memory.New(bus.Options{})
	defer b.Close()
	learner := learnerOn(t, b)
	publishWeights(t, b, game, 1)
	late, dir := lateBus{b, make(chan struct{})}, t.TempDir()
	a := newActor(t, late, game, players{}, dir)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	require.Eventually(t, func() bool { return a.links[0].waits() }, 20*time.Second, time.Millisecond)
	time.Sleep(5 * time.Second) // of a fake clock, which moves once everybody waits
	sent, _, err := learner.Pending(t.Context())
	require.NoError(t, err)
	require.LessOrEqual(t, sent, uint64(maxUnread+2), "and one of each worker")

	close(late.answer)
	played := a.counts.games.Load()
	batches := drain(t, learner, game, func(*messages.Experience) bool { return a.counts.games.Load() > 2*played })
	cancel()
	require.NoError(t, <-done)
	requireComplete(t, append(batches, drain(t, learner, game, nil)...), dir)
}
