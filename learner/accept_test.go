package learner

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"croupier/nn"
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
		defer func() { l.ingestion.rollout.reset() }()
		return settled(t, l, l.iterate(t.Context(), l.ingestion.rollout))
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
		require.Zero(t, r.len(), "the rollout is empty again")
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

// judged returns a learner with games that new weights of its trainer can be tried on.
func judged(t *testing.T, o Options) (*Learner, *rollout) {
	t.Helper()
	o.Config.PPO.Samples = 1 << 20
	l, err := New(o)
	require.NoError(t, err)
	a := playingActor(t, o, "actor-1", 0)
	deliver(t, o, l.ingestion, a.id, encode(t, a.batch(100)))
	r, p := rolloutOf(l.ingestion), ppoOf(l)
	r.prepare(p.steps, 0)
	p.evaluate(p.network, r, takeAll)
	r.estimate(r.values, 1, 1)
	return l, r
}

// change applies a function to each weight of the layers whose names begin so.
func change(l *nn.Layout, weights []float32, prefix string, f func(k int, w float32) float32) {
	for i, parameter := range l.Parameters {
		if strings.HasPrefix(parameter.Name, prefix) {
			for k, w := range l.Slice(weights, i) {
				l.Slice(weights, i)[k] = f(k, w)
			}
		}
	}
}

// scaled multiplies by a number.
func scaled(by float32) func(int, float32) float32 {
	return func(_ int, w float32) float32 { return by * w }
}

// leaning makes a list the differences between the first action and the others.
func leaning(by float32) func(int, float32) float32 {
	return func(k int, _ float32) float32 {
		if k == 0 {
			return by
		}
		return 0
	}
}

// TestLimitsOfAnIteration: weights that move the policy too far, take too much of its entropy, or make
// its values wrong or put them out of all proportion, are refused with the reason.
func TestLimitsOfAnIteration(t *testing.T) {
	l, r := judged(t, testOptions(t))
	p := ppoOf(l)
	initial := slices.Clone(p.network.Weights)
	const bias = "policy.betting.0.bias"
	for _, test := range []struct {
		name          string
		head          string
		before, after func(k int, w float32) float32
		want          string
	}{
		{"small", "", scaled(1), scaled(1.01), ""},
		{"far", "policy.", scaled(1), scaled(2000), "nats, the limit is 1"},
		{"sharp", bias, leaning(2.2), leaning(5), "one iteration lowered the policy's entropy from 0.3"},
		{"blunt", bias, leaning(5), leaning(2.2), ""},
		{"sharp in the end", bias, leaning(6), leaning(12), ""},
		{"wrong", "value", scaled(1), scaled(10), "one iteration raised the value loss from 0."},
		{"huge", "value", scaled(1), scaled(1000), "the value of a decision is"},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := slices.Clone(initial)
			change(p.network.Layout, before, test.head, test.before)
			network, err := nn.NewNetwork(p.network.Layout, before)
			require.NoError(t, err)
			p.network = network
			copy(p.weights, before)
			change(p.network.Layout, p.weights, test.head, test.after)
			err = p.accept(r)
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, errUnsound)
			require.ErrorContains(t, err, test.want)
			require.Same(t, network, p.network)
		})
	}
}

func TestDivergence(t *testing.T) {
	r := &rollout{}
	r.legalEnd = []int{2, 3, 5, 7} // a decision of two actions, a forced one, two more
	p := logs(0.5, 0.5, 1, 0.25, 0.75)
	q := logs(0.5, 0.5, 1, 0.75, 0.25)
	require.Zero(t, r.divergence(p, p))
	require.InDelta(t, (0.25*math.Log(1.0/3)+0.75*math.Log(3))/2, r.divergence(p, q), 1e-6, "forced decisions do not dilute it")
}

func logs(probabilities ...float64) (list []float32) {
	for _, p := range probabilities {
		list = append(list, float32(math.Log(p)))
	}
	return list
}

func TestEntropy(t *testing.T) {
	r := &rollout{}
	r.legalEnd = []int{2, 3, 5, 7} // a choice, a forced decision, a choice that is made, and one beyond the probe
	p := logs(0.5, 0.5, 1, 1, 1e-10)
	require.InDelta(t, math.Ln2/2, r.entropy(p), 1e-6, "forced decisions do not dilute it")
	require.Zero(t, r.entropy(nil))
}

func TestValueLoss(t *testing.T) {
	r := &rollout{}
	r.spans = []int32{2, 0, 1, 1} // the second is forced and has no target
	r.targets = []float32{1, 0, -1, 5}
	require.InDelta(t, (0.25+4)/4, r.valueLoss([]float32{0.5, 9, 1}), 1e-6)
	require.Zero(t, r.valueLoss([]float32{1, 9, -1, 5}))
	require.Zero(t, r.valueLoss(nil))
}

// TestLimitsOfActionValues: the value loss is that of the actions taken, which have targets.
func TestLimitsOfActionValues(t *testing.T) {
	o := dqnOptions(t, nn.Description{Dense: []int{8}})
	network, err := nn.NewNetwork(o.Layout, o.Layout.Init(1))
	require.NoError(t, err)
	tr, err := newDQN(o.Config.DQN, testSetup(o, network, 2))
	require.NoError(t, err)
	g := testIngestion(t, o, 5)
	a := playingActor(t, o, "actor-1", 4)
	a.exploration = 1
	require.NoError(t, g.batch(t.Context(), fakeMessage{encode(t, a.batch(500))}))
	_, err = tr.learn(t.Context(), g.rollout, 0)
	require.NoError(t, err)

	r := tr.rollout
	values, q := tr.try(tr.network, r)
	for i, v := range values {
		start, end := r.legalRange(i)
		require.Equal(t, q[start:end][slices.Index(r.legal[start:end], int(r.actions[i]))], v)
	}
	require.NoError(t, tr.accept(r))
	change(o.Layout, tr.weights, "value.0.bias", func(int, float32) float32 { return 5 })
	require.ErrorContains(t, tr.accept(r), "one iteration raised the value loss from 0.")
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
