package learner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/learner/train"
	"croupier/messages"
	"croupier/messages/bus"
)

// crammed is a bus whose object store refuses everything while it is full.
type crammed struct {
	bus.Bus
	full    atomic.Bool
	refused atomic.Int64
}

var errCrammed = errors.New("maximum bytes exceeded")

func (c *crammed) PutObject(ctx context.Context, name string, data []byte) error {
	if c.full.Load() {
		c.refused.Add(1)
		return errCrammed
	}
	return c.Bus.PutObject(ctx, name, data)
}

// TestPublishingThatFailsFast: nothing that was not published makes games stale, training does
// not run away from what plays, and it continues by itself when there is room again.
func TestPublishingThatFailsFast(t *testing.T) {
	o := testOptions(t)
	o.Config.PPO.MaxLag = 2
	c := &crammed{Bus: o.Bus}
	o.Bus = c
	l, stop := start(t, o)
	a := newTestActor(t, o.Game, "actor-1")
	first := a.follow(t.Context(), o.Bus)
	require.NoError(t, l.Healthy())
	c.full.Store(true)
	const batches = 8
	for range batches {
		a.send(t.Context(), o.Bus, a.batch(o.Config.PPO.Samples))
	}
	require.Eventually(t, func() bool { return l.newest.Load() == first.Version+o.Config.PPO.MaxLag+1 },
		20*time.Second, 10*time.Millisecond)
	require.ErrorIs(t, l.publisher.publish(t.Context(), &release{network: l.trainer.Published(), counters: l.now()}),
		errCrammed)
	require.ErrorContains(t, l.Healthy(), "learner: weights are not published since ")
	require.ErrorContains(t, l.Healthy(), errCrammed.Error())
	refused := c.refused.Load()
	require.Eventually(t, func() bool { return c.refused.Load() >= refused+2 }, time.Minute, 10*time.Millisecond,
		"it is tried again")
	require.Equal(t, first.Version+o.Config.PPO.MaxLag+1, l.newest.Load(), "training waits")
	require.Equal(t, first.Version, l.reached.Load())
	require.Zero(t, l.ingestion.totals()["stale"])

	c.full.Store(false)
	require.Eventually(t, func() bool { return l.Healthy() == nil && l.reached.Load() >= first.Version+3 },
		20*time.Second, 10*time.Millisecond)
	a.follow(t.Context(), o.Bus)
	trainFor(t, o, a, 2)
	require.NoError(t, stop())
}

// TestWeightsWithoutACheckpoint: a run that has published what it learnt and has no checkpoint
// has lost it, and does not begin afresh in silence.
func TestWeightsWithoutACheckpoint(t *testing.T) {
	o := testOptions(t)
	pointer, err := messages.Encode(&messages.Pointer{Schema: messages.SchemaVersion, Agent: "main", Version: 40,
		Object: "live/main/40-0011223344556677", Updates: 7})
	require.NoError(t, err)
	_, err = o.Bus.State().Put(t.Context(), messages.PointerKey("main"), pointer)
	require.NoError(t, err)
	o.Resume = true
	l, err := New(o)
	require.NoError(t, err)
	require.ErrorContains(t, l.Run(t.Context()),
		"the broker has weights of this run after 7 updates, and "+o.Dir+" has no checkpoint")
	require.NoDirExists(t, filepath.Join(o.Dir, checkpointFolder, "000000000041.safetensors"))
}

// slow is a bus on which weights take as long as the test wants.
type slow struct {
	bus.Bus
	gate  atomic.Pointer[chan struct{}] // nil: open
	names chan string
}

func (s *slow) PutObject(ctx context.Context, name string, data []byte) error {
	if gate := s.gate.Load(); gate != nil {
		select {
		case <-*gate:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	s.names <- name
	return s.Bus.PutObject(ctx, name, data)
}

// TestTrainingGoesOnWhileWeightsArePublished: the next iterations are learnt meanwhile; of their versions the newest
// is published next, and nothing is published after a newer one.
func TestTrainingGoesOnWhileWeightsArePublished(t *testing.T) {
	o := testOptions(t)
	s, gate := &slow{Bus: o.Bus, names: make(chan string, 100)}, make(chan struct{})
	o.Bus = s
	l, stop := start(t, o)
	a := newTestActor(t, o.Game, "actor-1")
	first := a.follow(t.Context(), o.Bus)
	s.gate.Store(&gate)
	const iterations = 4
	for range iterations {
		a.send(t.Context(), o.Bus, a.batch(o.Config.PPO.Samples))
	}
	learnt := func() int { return int(l.now().Samples) / o.Config.PPO.Samples }
	require.Eventually(t, func() bool { return learnt() == iterations }, time.Minute, time.Millisecond)
	require.Eventually(t, func() bool { return l.newest.Load() == first.Version+iterations }, time.Minute,
		time.Millisecond)
	require.Equal(t, first.Version, l.reached.Load())

	close(gate)
	require.Eventually(t, func() bool { return l.reached.Load() == first.Version+iterations }, time.Minute,
		time.Millisecond)
	require.NoError(t, stop())
	close(s.names)
	var versions []uint64
	for name := range s.names {
		_, version, _ := messages.ParseLiveObject(name)
		versions = append(versions, version)
	}
	require.IsIncreasing(t, versions)
	require.Less(t, len(versions), 1+iterations, "two that were owed at once are one publication")
	require.Equal(t, first.Version+iterations, versions[len(versions)-1])
}

// TestPause: publications are followed by a pause, unless many versions are owed, and failures by a longer one.
func TestPause(t *testing.T) {
	o := testOptions(t)
	o.Config.PPO.MaxLag = 6
	l, err := New(o)
	require.NoError(t, err)
	l.reached.Store(10)
	for _, c := range []struct {
		newest  uint64
		err     error
		between [2]time.Duration
	}{
		{11, nil, [2]time.Duration{time.Hour, 3 * time.Hour}},
		{13, nil, [2]time.Duration{time.Hour, 3 * time.Hour}},
		{14, nil, [2]time.Duration{0, 0}},
		{14, errCrammed, [2]time.Duration{time.Nanosecond, publishRetry}},
	} {
		l.newest.Store(c.newest)
		l.took = time.Hour
		require.Equal(t, c.err, l.published(t.Context(), c.err))
		require.GreaterOrEqual(t, l.pause(), c.between[0], "%+v", c)
		require.LessOrEqual(t, l.pause(), c.between[1], "%+v", c)
	}
}

// TestCheckpointsAreDueByTimeOrUpdates: the first is due at once; then they come by the interval, whose updates an
// iteration may pass.
func TestCheckpointsAreDueByTimeOrUpdates(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	byTime := checkpointDue{every: "30s"}
	require.True(t, byTime.reached(now, 1))
	require.False(t, byTime.reached(now.Add(29*time.Second), 1_000_000))
	require.True(t, byTime.reached(now.Add(31*time.Second), 1_000_000))
	require.False(t, byTime.reached(now.Add(60*time.Second), 1_000_000))
	byUpdates := checkpointDue{every: "100"}
	require.True(t, byUpdates.reached(now, 8))
	require.False(t, byUpdates.reached(now.Add(time.Hour), 107))
	require.True(t, byUpdates.reached(now, 112))
	require.False(t, byUpdates.reached(now, 211))
	require.True(t, byUpdates.reached(now, 212))
}

// TestCheckpointsByUpdates: an interval of one update has a checkpoint after each iteration, a long one after the first
// alone.
func TestCheckpointsByUpdates(t *testing.T) {
	for interval, want := range map[train.Interval]int{"1": 2, "1000000 updates": 1} {
		o := testOptions(t)
		o.Config.CheckpointInterval = interval
		l, stop := start(t, o)
		a := newTestActor(t, o.Game, "actor-1")
		first := a.follow(t.Context(), o.Bus)
		for range 3 {
			a.send(t.Context(), o.Bus, a.batch(o.Config.PPO.Samples))
		}
		require.Eventually(t, func() bool { return l.newest.Load() == first.Version+3 }, time.Minute, time.Millisecond)
		// The iteration before the newest has had its checkpoint.
		written := 0
		for version := first.Version + 1; version <= first.Version+2; version++ {
			name := fmt.Sprintf("%012d.safetensors", version)
			if _, err := os.Stat(filepath.Join(o.Dir, checkpointFolder, name)); err == nil {
				written++
			}
		}
		require.Equal(t, want, written, interval)
		require.NoError(t, stop())
	}
}

// TestTheLastCheckpointWaitsForNoBroker: it is there while the last weights are still being published.
func TestTheLastCheckpointWaitsForNoBroker(t *testing.T) {
	o := testOptions(t)
	o.Config.CheckpointInterval = train.Every(time.Hour)
	s, gate := &slow{Bus: o.Bus, names: make(chan string, 100)}, make(chan struct{})
	o.Bus = s
	l, stop := start(t, o)
	a := newTestActor(t, o.Game, "actor-1")
	first := a.follow(t.Context(), o.Bus)
	s.gate.Store(&gate)
	a.send(t.Context(), o.Bus, a.batch(o.Config.PPO.Samples))
	a.send(t.Context(), o.Bus, a.batch(o.Config.PPO.Samples))
	require.Eventually(t, func() bool { return l.newest.Load() == first.Version+2 }, time.Minute, time.Millisecond)
	ended := make(chan error, 1)
	go func() { ended <- stop() }()
	last := filepath.Join(o.Dir, checkpointFolder, fmt.Sprintf("%012d.safetensors", first.Version+2))
	require.Eventually(t, func() bool { _, err := os.Stat(last); return err == nil }, time.Minute, time.Millisecond)
	close(gate)
	require.NoError(t, <-ended)
	require.Equal(t, first.Version+2, l.reached.Load(), "it was not given up before")
}
