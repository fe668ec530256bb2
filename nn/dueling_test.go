package nn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
)

// valuing returns an evaluator of a random network of action values whose only row has been
// evaluated.
func valuing(t require.TestingT, seed uint64, dueling bool, legal []int, exploration float64) *Evaluator {
	d := allLayers
	d.Outputs, d.Dueling = ActionValueOutputs, dueling
	l, err := NewLayout(d, allLayersSpec)
	require.NoError(t, err)
	// Larger than initial weights, which make the advantages hardly differ.
	weights, rng := l.Init(seed), rand.New(rand.NewPCG(seed, 0))
	for i := range weights {
		weights[i] += float32(rng.NormFloat64() / 4)
	}
	n, err := NewNetwork(l, weights)
	require.NoError(t, err)
	e := n.NewEvaluator(1, 1)
	e.SetExploration(exploration)
	copy(e.Observation(0), randomObservation(l.Spec.ObservationSize, rng))
	e.SetLegal(0, legal)
	e.Forward(1)
	return e
}

// TestActionValuesAgainstReference compares with the formula in float64 and checks that
// play is ε-greedy.
func TestActionValuesAgainstReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		legal := rapid.SliceOfNDistinct(rapid.IntRange(0, allLayersSpec.Actions-1), 1, allLayersSpec.Actions,
			rapid.ID).Draw(t, "legal")
		slices.Sort(legal)
		exploration := rapid.SampledFrom([]float64{0, 0.001, 0.3, 1}).Draw(t, "exploration")
		duels := rapid.Bool().Draw(t, "dueling")
		e := valuing(t, rapid.Uint64Range(0, 100).Draw(t, "seed"), duels, legal, exploration)
		heads, value := newReference(e.network).step(e.Observation(0))
		mean := 0.0
		for _, a := range legal {
			mean += heads[a] / float64(len(legal))
		}
		best := legal[0]
		total := 0.0
		for a, q := range e.ActionValues(0) {
			if !slices.Contains(legal, a) {
				require.True(t, math.IsInf(float64(q), -1), "illegal action %d", a)
				require.True(t, math.IsInf(float64(e.LogProbs(0)[a]), -1), "illegal action %d", a)
				continue
			}
			want := heads[a]
			if duels {
				want = value + heads[a] - mean
			}
			require.InDelta(t, want, q, 1e-4*(1+math.Abs(want)))
			if q > e.ActionValues(0)[best] {
				best = a
			}
			total += math.Exp(float64(e.LogProbs(0)[a]))
		}
		require.InDelta(t, 1, total, 1e-6)
		require.Equal(t, e.ActionValues(0)[best], e.Value(0))
		for _, a := range legal {
			want := exploration / float64(len(legal))
			if a == best {
				want += 1 - exploration
			}
			require.InDelta(t, want, math.Exp(float64(e.LogProbs(0)[a])), 1e-6)
			require.LessOrEqual(t, e.LogProbs(0)[a], float32(0))
		}
	})
}

func TestGreedyPlayIsDeterministic(t *testing.T) {
	legal := []int{0, 2, 5, 6}
	for seed := range uint64(20) {
		e := valuing(t, seed, true, legal, 0)
		rng := engine.NewRNG(seed, 0)
		for range 20 {
			action, logProb := e.Sample(0, rng)
			require.Equal(t, e.Value(0), e.ActionValues(0)[action])
			require.Zero(t, logProb)
		}
	}
}

func TestEqualActionsPlayTheFirst(t *testing.T) {
	q := make([]float32, 5)
	dueling, plain := Description{Dueling: true}, Description{Outputs: ActionValueOutputs}
	require.Equal(t, 1, dueling.ValueActions(q, []float32{9, 3, 2, 3, 8}, 1, []int{1, 2, 3}))
	infinity := float32(math.Inf(1))
	require.InDeltaSlice(t, []float32{4. / 3, 1. / 3, 4. / 3}, q[1:4], 1e-6)
	require.Equal(t, []float32{-infinity, -infinity}, []float32{q[0], q[4]})
	require.Equal(t, 1, plain.ValueActions(q, []float32{9, 3, 2, 3, 8}, 1, []int{1, 2, 3}))
	require.Equal(t, []float32{-infinity, 3, 2, 3, -infinity}, q)
}

// TestOutputsArePartOfTheFile: an exported network plays as it was trained to, including
// one exported before there were Outputs.
func TestOutputsArePartOfTheFile(t *testing.T) {
	game := newFakeGame(fakeRules{Segments: []int{3}, Groups: []int{4}})
	dueling := Description{Dueling: true}
	for description, d := range map[string]Description{
		`{}`:                          {},
		`{"dueling":true}`:            dueling,
		`{"outputs":"action_values"}`: {Outputs: ActionValueOutputs},
	} {
		l, err := NewLayout(d, game.Spec())
		require.NoError(t, err)
		n, err := NewNetwork(l, l.Init(1))
		require.NoError(t, err)
		file, err := NewFile(n, game, nil)
		require.NoError(t, err)
		require.Equal(t, description, file.Metadata[DescriptionKey], "as it has always been written")
		data, err := file.Encode()
		require.NoError(t, err)
		back, _, err := Decode(data, makeFakeGame)
		require.NoError(t, err)
		require.Equal(t, d, back.Network.Layout.Description)
		require.Equal(t, description != `{}`, d.ActionValues())
		other, err := NewLayout(dueling, game.Spec())
		require.NoError(t, err)
		require.Equal(t, d.Dueling, l.Same(other), "weights of different kinds are not interchangeable")
	}
}

func TestImpossibleOutputs(t *testing.T) {
	spec := newFakeGame(fakeRules{Segments: []int{3}, Groups: []int{4}}).Spec()
	require.EqualError(t, Description{Outputs: "odds"}.Validate(spec),
		`network description: outputs: "odds" is not policy or action_values`)
	require.EqualError(t, Description{Outputs: PolicyOutputs, Dueling: true}.Validate(spec),
		"network description: outputs: a dueling network gives action values, not a policy")
}
