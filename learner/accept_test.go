package learner

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"croupier/learner/train"
)

// iterating returns a learner that is open and a function that plays games with its newest
// weights and lets it learn from them.
func iterating(t *testing.T, o Options) (l *Learner, iterate func() error) {
	t.Helper()
	l, err := New(o)
	require.NoError(t, err)
	require.NoError(t, l.open(t.Context()))
	a := newTestActor(t, o.Game, "actor-1")
	a.agent.Name = o.Agent
	return l, func() error {
		if a.agent.Version < l.reached.Load() {
			a.follow(t.Context(), o.Bus)
		}
		deliver(t, o, l.ingestion, a.id, encode(t, a.batch(200)))
		defer func() { l.ingestion.rollout.reset() }()
		return settled(t, l, l.iterate(t.Context(), l.ingestion.rollout))
	}
}

// TestCollapseIsUndone: with a learning rate that ruins the network at once, nothing ruined is
// published, and smaller steps are taken until training continues.
func TestCollapseIsUndone(t *testing.T) {
	o := testOptions(t)
	o.Config.PPO.Samples = 1 << 20 // iterate decides when
	o.Config.LearningRateStart, o.Config.LearningRateEnd = 50, 50
	l, iterate := iterating(t, o)
	published := l.reached.Load()
	require.NoError(t, iterate())
	require.Equal(t, published, l.reached.Load(), "the ruined weights are not published")
	require.ErrorContains(t, l.Healthy(), "iterations are undone since ")
	require.InDelta(t, 12.5, rate(l), 1e-9)
	for l.reached.Load() < published+3 {
		require.NoError(t, iterate())
		r := rolloutOf(l.ingestion)
		require.Zero(t, r.Len(), "the rollout is empty again")
	}
	require.NoError(t, l.Healthy())
	require.GreaterOrEqual(t, testutil.ToFloat64(l.metrics.rollbacks), 3.0)
	require.Less(t, testutil.ToFloat64(l.metrics.series["learning_rate"]), 1.0)
}

// TestHopelessTrainingEnds: if not even the smallest steps help, the learner ends with a
// sentence that says what to do, and the weights are those from before.
func TestHopelessTrainingEnds(t *testing.T) {
	o := testOptions(t)
	o.Config.Workers, o.Config.PPO.Samples = 1, 1<<20
	l, iterate := iterating(t, o)
	l.trainer = &unsound{Trainer: l.trainer}
	before, published := l.trainer.Published(), l.reached.Load()
	var err error
	for i := 1; err == nil; i++ {
		require.LessOrEqual(t, i, maxUndone)
		err = iterate()
	}
	require.ErrorIs(t, err, train.ErrUnsound)
	require.ErrorContains(t, err, "training has collapsed: 12 iterations in succession were undone")
	require.ErrorContains(t, err, "lower learner.learning_rate_start")
	require.Same(t, before, l.trainer.Published())
	require.Equal(t, published, l.reached.Load())
}
