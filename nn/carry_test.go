package nn

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
)

// enlarged returns the specification with that many more columns in each segment and another segment at the end.
func enlarged(spec *engine.Spec, more int) *engine.Spec {
	var segments, groups []int
	for _, s := range spec.Segments {
		segments = append(segments, s.Size+more)
	}
	for _, g := range spec.ActionGroups {
		groups = append(groups, g.Count)
	}
	return makeSpec(append(segments, 3), groups)
}

// A network that carries on the weights of another one computes the same, whatever it observes besides.
func TestCarriedWeightsComputeTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := drawSpec(t)
		d := drawDescription(t, spec)
		old := makeNetwork(t, d, spec, rapid.Uint64().Draw(t, "seed"))
		larger := enlarged(spec, rapid.IntRange(0, 2).Draw(t, "more"))
		layout, err := NewLayout(d, larger)
		if err != nil { // tokens of attention have a fixed number of features
			larger = enlarged(spec, 0)
			layout, err = NewLayout(d, larger)
		}
		require.NoError(t, err)
		weights, err := layout.Carry(old)
		require.NoError(t, err)
		now, err := NewNetwork(layout, weights)
		require.NoError(t, err)

		rng := rand.New(rand.NewPCG(1, 2))
		seen, wide := randomObservation(spec.ObservationSize, rng), randomObservation(larger.ObservationSize, rng)
		for i, s := range spec.Segments {
			copy(wide[larger.Segments[i].Offset:], seen[s.Offset:s.Offset+s.Size])
		}
		a, b := old.NewEvaluator(1, 1), now.NewEvaluator(1, 1)
		for range 3 { // steps of a recurrent network
			copy(a.Observation(0), seen)
			copy(b.Observation(0), wide)
			for _, e := range []*Evaluator{a, b} {
				e.SetLegal(0, all(spec.Actions))
				e.Forward(1)
			}
			require.InDelta(t, a.Value(0), b.Value(0), 1e-4)
			require.InDeltaSlice(t, a.LogProbs(0), b.LogProbs(0), 1e-4)
		}
	})
}

// Weights are carried between networks with the same layers and actions, and from fewer observations to more.
func TestWeightsThatCannotBeCarried(t *testing.T) {
	small, large := makeSpec([]int{2, 3}, []int{2}), makeSpec([]int{2, 4}, []int{2})
	layout := func(d string, spec *engine.Spec) *Layout {
		description, err := ParseDescription([]byte(d))
		require.NoError(t, err)
		l, err := NewLayout(description, spec)
		require.NoError(t, err)
		return l
	}
	network := func(d string, spec *engine.Spec) *Network {
		l := layout(d, spec)
		n, err := NewNetwork(l, l.Init(1))
		require.NoError(t, err)
		return n
	}
	for _, test := range []struct {
		to   *Layout
		from *Network
		want string
	}{
		{layout("dense: [8]", small), network("dense: [8]", large), "it reads value 3 of s1, which is not observed here"},
		{layout("dense: [8]", small), network("dense: [9]", small),
			"its dense.0.weight has the shape [5 9] instead of [5 8]"},
		{layout("dense: [8]", small), network("dense: [8, 8]", small), "it has other layers"},
		{layout("dense: [8]", small), network("lstm: [8]", small), "it has other layers"},
		{layout("dense: [8]", small), network("dense: [8]", makeSpec([]int{2, 3}, []int{3})),
			"its policy.g0.0.weight has the shape [8 3] instead of [8 2]"},
		{layout("dense: [8]", makeSpec([]int{3, 2}, []int{2})), network("dense: [8]", small), "it reads value 2 of s1"},
	} {
		_, err := test.to.Carry(test.from)
		require.ErrorContains(t, err, test.want)
	}
}
