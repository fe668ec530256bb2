package learner

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
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
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if a.agent.Version < l.reached.Load() {
			a.follow(ctx, o.Bus)
		}
		deliver(t, o, l.ingestion, a.id, encode(t, a.batch(200)))
		defer func() { l.ingestion.intake.reset() }()
		return settled(t, l, l.iterate(t.Context(), l.ingestion.intake))
	}
}

// TestCollapseIsUndone: with a learning rate that ruins the network at once, nothing ruined is
// published, and smaller steps are taken until training goes on.
func TestCollapseIsUndone(t *testing.T) {
	o := testOptions(t)
	o.Config.PPO.Samples = 1 << 20 // iterate decides when
	o.Config.LearningRateStart, o.Config.LearningRateEnd = 50, 50
	l, iterate := iterating(t, o)
	published := l.reached.Load()
	require.NoError(t, iterate())
	require.Equal(t, published, l.reached.Load(), "the ruined weights are not published")
	require.ErrorContains(t, l.Healthy(), "iterations are undone since ")
	require.InDelta(t, 12.5, ppoOf(l).learningRate(0), 1e-9)
	for l.reached.Load() < published+3 {
		require.NoError(t, iterate())
		r := rolloutOf(l.ingestion)
		require.Zero(t, r.len(), "the intake is empty again")
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
	ppoOf(l).workers[0].graph = &poisoned{gradienter: ppoOf(l).workers[0].graph, poison: float32(math.NaN())}
	before, published := ppoOf(l).network, l.reached.Load()
	var err error
	for i := 1; err == nil; i++ {
		require.LessOrEqual(t, i, maxUndone)
		err = iterate()
	}
	require.ErrorIs(t, err, errUnsound)
	require.ErrorContains(t, err, "training has collapsed: 12 iterations in succession were undone")
	require.ErrorContains(t, err, "lower learner.learning_rate_start")
	require.Same(t, before, ppoOf(l).network)
	require.Equal(t, published, l.reached.Load())
}

// TestLimitsOfAnIteration: weights that move the policy too far, or its values out of all
// proportion, are refused with the reason.
func TestLimitsOfAnIteration(t *testing.T) {
	o := testOptions(t)
	o.Config.PPO.Samples = 1 << 20
	l, err := New(o)
	require.NoError(t, err)
	a := playingActor(t, o, "actor-1", 0)
	deliver(t, o, l.ingestion, a.id, encode(t, a.batch(100)))
	r, p := rolloutOf(l.ingestion), ppoOf(l)
	r.prepare(p.steps, 0)
	for _, test := range []struct {
		head  string
		scale float32
		want  string
	}{
		{"", 1.01, ""},
		{"policy.", 2000, "nats, the limit is 1"},
		{"value", 1000, "the value of a decision is"},
	} {
		copy(p.weights, p.network.Weights)
		for i, parameter := range p.network.Layout.Parameters {
			if strings.HasPrefix(parameter.Name, test.head) {
				for k := range p.network.Layout.Slice(p.weights, i) {
					p.network.Layout.Slice(p.weights, i)[k] *= test.scale
				}
			}
		}
		network := p.network
		err := p.accept(r)
		p.network = network
		if test.want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, errUnsound)
		require.ErrorContains(t, err, test.want)
	}
}

func TestDivergence(t *testing.T) {
	r := &rollout{}
	r.legalEnd = []int{2, 3, 5, 7} // a decision of two actions, a forced one, two more
	p := []float32{0.5, 0.5, 1, 0.25, 0.75}
	q := []float32{0.5, 0.5, 1, 0.75, 0.25}
	require.Zero(t, r.divergence(p, p))
	require.InDelta(t, (0.25*math.Log(1.0/3)+0.75*math.Log(3))/2, r.divergence(p, q), 1e-6, "forced decisions do not dilute it")
}

func TestCaution(t *testing.T) {
	c := caution{scale: 1}
	c.heed(errors.New("the run ends"))
	require.Equal(t, caution{scale: 1}, c)
	c.heed(errUnsound)
	c.heed(errUnsound)
	require.Equal(t, 1.0/16, c.scale)
	for range confident - 1 {
		c.heed(nil)
	}
	require.Equal(t, 1.0/16, c.scale)
	for range 10 * confident {
		c.heed(nil)
	}
	require.Equal(t, 1.0, c.scale, "never above what is configured")
}
