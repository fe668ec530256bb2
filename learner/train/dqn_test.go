package train

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
	"croupier/nn"
)

// TestNStepTargets compares with the definition.
func TestNStepTargets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length, n := rapid.IntRange(1, 12).Draw(t, "length"), rapid.IntRange(1, 15).Draw(t, "n")
		gamma := rapid.Float64Range(0.5, 1).Draw(t, "gamma")
		r := NewRollout(testLayoutSpec)
		r.Sequences = []Sequence{{First: 0, Length: 2, Result: -1}, {First: 2, Length: length, Result: 0.5}}
		r.Actions, r.Spans = make([]int32, 2+length), ones(2+length)
		r.Rewards = rapid.SliceOfN(rapid.Float32Range(-1, 1), 2+length, 2+length).Draw(t, "rewards")
		r.Values = rapid.SliceOfN(rapid.Float32Range(-1, 1), 2+length, 2+length).Draw(t, "values")
		r.estimateActions(n, float32(gamma))
		for _, s := range r.Sequences {
			for k := range s.Length {
				want := math.Pow(gamma, float64(s.Length-1-k)) * float64(s.Result)
				if k+n < s.Length {
					want = math.Pow(gamma, float64(n)) * float64(r.Values[s.First+k+n])
				}
				for j := range min(n, s.Length-k) {
					want += math.Pow(gamma, float64(j)) * float64(r.Rewards[s.First+k+j])
				}
				require.InDelta(t, want, r.Targets[s.First+k], 1e-5)
			}
		}
	})
}

var testLayoutSpec = &engine.Spec{Seats: 1, Actions: 2, ObservationSize: 1}

// TestDoubleValues: the network chooses, the target network values the choice, and the
// prediction is the network's own value of the action taken.
func TestDoubleValues(t *testing.T) {
	o := dqnTrial(t, nn.Description{Dense: []int{8}})
	tr := o.dqn(t)
	var err error
	tr.target, err = nn.NewNetwork(o.Layout, o.Layout.Init(2))
	require.NoError(t, err)
	in := recordingOf(o.Game, tr)
	playRandomly(t, o.Game, in, 40, 1)
	_, err = tr.Learn(t.Context(), in.Rollout, 0)
	require.NoError(t, err)

	tr.draw(500, 1)
	r := tr.rollout
	require.GreaterOrEqual(t, r.Len(), 500)
	r.prepare(1, 0)
	tr.Evaluate(tr.target, r, takeAll)
	tr.predicted = resize(tr.predicted, r.Len())
	tr.Evaluate(tr.Network, r, tr.takeDouble)
	choose, evaluatePositions := tr.Network.NewEvaluator(1, 0), tr.target.NewEvaluator(1, 0)
	differ := 0
	for i := range r.Len() {
		start, end := r.LegalRange(i)
		for _, e := range []*nn.Evaluator{choose, evaluatePositions} {
			copy(e.Observation(0), r.Observation(i))
			e.SetLegal(0, r.Legal[start:end])
			e.Forward(1)
		}
		q := choose.ActionValues(0)
		best := slices.Index(q, choose.Value(0))
		require.Equal(t, evaluatePositions.ActionValues(0)[best], r.Values[i])
		require.Equal(t, q[r.Actions[i]], tr.predicted[i])
		if r.Values[i] != evaluatePositions.Value(0) {
			differ++
		}
	}
	require.Positive(t, differ, "the networks choose differently somewhere")
}

// TestDQNForgetsItsGamesWithItsWeights: the replay buffer is that of the weights that are gone, and with it goes what
// was the target network. A setback, after which smaller steps are taken, keeps the games.
func TestDQNForgetsItsGamesWithItsWeights(t *testing.T) {
	o := dqnTrial(t, nn.Description{Dense: []int{8}})
	d := o.dqn(t)
	in := recordingOf(o.Game, d)
	playRandomly(t, o.Game, in, 20, 1)
	_, err := d.Learn(t.Context(), in.Rollout, 0)
	require.NoError(t, err)
	require.Equal(t, 20, d.replay.games())
	d.Adopt(d.Network, true)
	require.Equal(t, 20, d.replay.games())
	fresh, err := nn.NewNetwork(o.Layout, o.Layout.Init(3))
	require.NoError(t, err)
	d.Adopt(fresh, false)
	require.Zero(t, d.replay.games())
	require.Same(t, fresh, d.Network)
	require.Same(t, fresh, d.target)
	d.replay.insert(game{samples: 1})
	require.Equal(t, 1, d.replay.games())
}
