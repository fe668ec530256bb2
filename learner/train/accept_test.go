package train

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/nn"
)

// judged returns a trainer and games that new weights of its can be tried on.
func judged(t *testing.T) (*ppo, *Rollout) {
	t.Helper()
	o := kuhnTrial(t)
	p := o.ppo(t, 2)
	in := recordingOf(o.Game, p)
	playRandomly(t, o.Game, in, 50, 1)
	in.prepare(p.steps, 0)
	p.Evaluate(p.Network, in.Rollout, takeAll)
	in.estimate(in.Values, 1, 1)
	return p, in.Rollout
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
	p, r := judged(t)
	initial := slices.Clone(p.Network.Weights)
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
			change(p.Network.Layout, before, test.head, test.before)
			network, err := nn.NewNetwork(p.Network.Layout, before)
			require.NoError(t, err)
			p.Network = network
			copy(p.weights, before)
			change(p.Network.Layout, p.weights, test.head, test.after)
			err = p.accept(r)
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, ErrUnsound)
			require.ErrorContains(t, err, test.want)
			require.Same(t, network, p.Network)
		})
	}
}

func TestDivergence(t *testing.T) {
	r := &Rollout{}
	r.LegalEnd = []int{2, 3, 5, 7} // a decision of two actions, a forced one, two more
	p := logs(0.5, 0.5, 1, 0.25, 0.75)
	q := logs(0.5, 0.5, 1, 0.75, 0.25)
	require.Zero(t, r.divergence(p, p))
	require.InDelta(t, (0.25*math.Log(1.0/3)+0.75*math.Log(3))/2, r.divergence(p, q), 1e-6,
		"forced decisions do not dilute it")
}

func logs(probabilities ...float64) (list []float32) {
	for _, p := range probabilities {
		list = append(list, float32(math.Log(p)))
	}
	return list
}

func TestEntropy(t *testing.T) {
	r := &Rollout{}
	r.LegalEnd = []int{2, 3, 5, 7} // a choice, a forced decision, a choice that is made, and one beyond the probe
	p := logs(0.5, 0.5, 1, 1, 1e-10)
	require.InDelta(t, math.Ln2/2, r.entropy(p), 1e-6, "forced decisions do not dilute it")
	require.Zero(t, r.entropy(nil))
}

func TestValueLoss(t *testing.T) {
	r := &Rollout{}
	r.Spans = []int32{2, 0, 1, 1} // the second is forced and has no target
	r.Targets = []float32{1, 0, -1, 5}
	require.InDelta(t, (0.25+4)/4, r.valueLoss([]float32{0.5, 9, 1}), 1e-6)
	require.Zero(t, r.valueLoss([]float32{1, 9, -1, 5}))
	require.Zero(t, r.valueLoss(nil))
}

// TestLimitsOfActionValues: the value loss is that of the actions taken, which have targets.
func TestLimitsOfActionValues(t *testing.T) {
	o := dqnTrial(t, nn.Description{Dense: []int{8}})
	tr := o.dqn(t)
	in := recordingOf(o.Game, tr)
	playRandomly(t, o.Game, in, 40, 1)
	_, err := tr.Learn(t.Context(), in.Rollout, 0)
	require.NoError(t, err)

	r := tr.rollout
	values, q := tr.try(tr.Network, r)
	for i, v := range values {
		start, end := r.LegalRange(i)
		require.Equal(t, q[start:end][slices.Index(r.Legal[start:end], int(r.Actions[i]))], v)
	}
	require.NoError(t, tr.accept(r))
	change(o.Layout, tr.weights, "value.0.bias", func(int, float32) float32 { return 5 })
	require.ErrorContains(t, tr.accept(r), "one iteration raised the value loss from 0.")
}

func TestCaution(t *testing.T) {
	c := Caution{Scale: 1}
	c.heed(errors.New("the run ends"))
	require.Equal(t, Caution{Scale: 1}, c)
	c.heed(ErrUnsound)
	c.heed(ErrUnsound)
	require.Equal(t, 1.0/16, c.Scale)
	for range confident - 1 {
		c.heed(nil)
	}
	require.Equal(t, 1.0/16, c.Scale)
	for range 10 * confident {
		c.heed(nil)
	}
	require.Equal(t, 1.0, c.Scale, "never above what is configured")
}
