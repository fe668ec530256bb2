package actor

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/messages"
	"croupier/messages/backlog"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
)

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

// lateBus answers questions for the backlog of experience, after the first, only when the test lets it.
type lateBus struct {
	bus.Bus
	answer chan struct{}
	first  *atomic.Uint64 // batches in the first answer
}

type lateConsumer struct {
	bus.Consumer
	bus   lateBus
	asked atomic.Uint64
}

func (b lateBus) Consume(ctx context.Context, stream bus.Stream, name, filter string) (bus.Consumer, error) {
	c, err := b.Bus.Consume(ctx, stream, name, filter)
	if stream != bus.Experience || err != nil {
		return c, err
	}
	return &lateConsumer{Consumer: c, bus: b}, nil
}

func (c *lateConsumer) Pending(ctx context.Context) (all, own uint64, err error) {
	if c.asked.Add(1) == 1 {
		all, own, err = c.Consumer.Pending(ctx)
		c.bus.first.Store(own)
		return all, own, err
	}
	select {
	case <-c.bus.answer:
	case <-ctx.Done():
		return 0, 0, ctx.Err()
	}
	return c.Consumer.Pending(ctx)
}

// A machine that is so busy that it hears late how far the learner is behind does not play more meanwhile than the
// broker keeps: else games were lost that need not be lost.
func TestNoExperienceIsLostWhileTheBacklogIsNotKnown(t *testing.T) {
	synctest.Test(t, noExperienceIsLost)
}

func noExperienceIsLost(t *testing.T) {
	game := leducGame(t)
	b := memory.New(bus.Options{})
	defer b.Close()
	learner := learnerOn(t, b)
	publishWeights(t, b, game, 1)
	late, dir := lateBus{b, make(chan struct{}), new(atomic.Uint64)}, t.TempDir()
	a := newActor(t, late, game, players{}, dir)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	require.Eventually(t, func() bool { return a.links[0].waits() }, time.Minute, time.Millisecond)
	time.Sleep(5 * time.Second) // of a fake clock, which moves once everybody waits
	sent, _, err := learner.Pending(t.Context())
	require.NoError(t, err)
	require.LessOrEqual(t, sent, late.first.Load()+maxUnread+2, "those of the answer, and one of each worker")

	close(late.answer)
	played := a.counts.games.Load()
	batches := drain(t, learner, game, func(*messages.Experience) bool { return a.counts.games.Load() > 2*played })
	cancel()
	require.NoError(t, <-done)
	requireComplete(t, append(batches, drain(t, learner, game, nil)...), dir)
}

// countingBus counts the questions for the backlog of experience.
type countingBus struct {
	bus.Bus
	asked *atomic.Int64
}

type countingConsumer struct {
	bus.Consumer
	asked *atomic.Int64
}

func (b countingBus) Consume(ctx context.Context, stream bus.Stream, name, filter string) (bus.Consumer, error) {
	c, err := b.Bus.Consume(ctx, stream, name, filter)
	if stream != bus.Experience || err != nil {
		return c, err
	}
	return countingConsumer{c, b.asked}, nil
}

func (c countingConsumer) Pending(ctx context.Context) (all, own uint64, err error) {
	c.asked.Add(1)
	return c.Consumer.Pending(ctx)
}

// While the learner reports how much waits for it, actors go by that and do not ask; once no report has come for three
// seconds they ask, until the next report.
func TestActorsHearTheBacklog(t *testing.T) { synctest.Test(t, actorsHearTheBacklog) }

func actorsHearTheBacklog(t *testing.T) {
	b := memory.New(bus.Options{})
	defer b.Close()
	asked := &atomic.Int64{}
	a := newActor(t, countingBus{b, asked}, leducGame(t), players{}, "")
	l := a.links[0]
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- a.watchBacklog(ctx, l) }()
	tell := func(r backlog.Report) {
		data, err := json.Marshal(r)
		require.NoError(t, err)
		require.NoError(t, b.Send(ctx, messages.BacklogSubject("main"), data))
		synctest.Wait()
	}
	synctest.Wait()
	require.EqualValues(t, 1, asked.Load(), "at the beginning")
	require.False(t, l.waits())

	tell(backlog.Report{Waiting: 9, Room: 3})
	require.True(t, l.waits(), "it is behind")
	require.True(t, l.yields.Load())
	tell(backlog.Report{Waiting: 9, Useless: 0.9, Room: 3})
	require.False(t, l.waits(), "by what is of no use")
	for range 3 {
		require.False(t, l.waits())
		l.sends()
		l.arrives()
	}
	require.True(t, l.waits(), "there is no more room")
	for range 60 {
		time.Sleep(time.Second)
		tell(backlog.Report{Room: 1})
		require.False(t, l.waits())
	}
	require.EqualValues(t, 1, asked.Load(), "it has the report")

	for range askUnseen {
		l.sends()
		l.arrives()
	}
	synctest.Wait()
	require.EqualValues(t, 2, asked.Load(), "for its own batches, once it has sent many")
	require.Less(t, l.unseen.Load(), int64(askUnseen))

	for range 9 {
		require.NoError(t, b.Publish(ctx, bus.Experience, "other", []byte("games")))
	}
	time.Sleep(backlog.Silence - time.Millisecond)
	require.EqualValues(t, 2, asked.Load())
	require.False(t, l.waits())
	time.Sleep(time.Second)
	require.Greater(t, asked.Load(), int64(20), "the learner is silent")
	require.True(t, l.waits())
	tell(backlog.Report{Room: 0})
	require.True(t, l.waits(), "there is no room")
	tell(backlog.Report{Room: 1})
	require.False(t, l.waits())
	before := asked.Load()
	time.Sleep(backlog.Silence / 2)
	require.Equal(t, before, asked.Load(), "it is back")
	cancel()
	require.NoError(t, <-done)
}
