package train

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
	"croupier/games/kuhn"
	"croupier/learner/train/graph"
	"croupier/nn"
	"croupier/nn/kernel"
)

// numbered returns a rollout with sequences of the given lengths in which every decision
// can be recognised: decision i has observation and advantage i+1, and the state before it
// is i+1 everywhere.
func numbered(t testing.TB, lengths []int, steps int) (*Rollout, *nn.Layout) {
	l := testLayout(t, kuhn.Game{}, nn.Description{LSTM: []int{2, 3}})
	r := NewRollout(l.Spec)
	n := 0
	for _, length := range lengths {
		r.Sequences = append(r.Sequences, Sequence{First: n, Length: length, Weight: 1})
		for range length {
			n++
			for range l.Spec.ObservationSize {
				r.Observations = append(r.Observations, float32(n))
			}
			r.Legal = append(r.Legal, n%2)
			r.LegalEnd = append(r.LegalEnd, n)
			r.Actions, r.LogProbs = append(r.Actions, int32(n%2)), append(r.LogProbs, float32(-n))
			r.Advantages = append(r.Advantages, float32(n))
			r.Spans = append(r.Spans, 1)
		}
	}
	r.Targets = r.Advantages
	r.prepare(steps, l.StateSize)
	copy(r.Values, r.Advantages)
	for i := range r.reference {
		r.reference[i] = 1
	}
	for _, c := range r.chunks {
		if c.state != noState {
			for k := range l.StateSize {
				r.states[c.state*l.StateSize+k] = float32(c.first + 1)
			}
		}
	}
	return r, l
}

// TestPackingHasEveryDecisionOnce checks what the batches of an epoch hold: every decision
// once, in the order of its sequence, with the recurrent state that it had.
func TestPackingHasEveryDecisionOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		steps := rapid.IntRange(1, 9).Draw(rt, "steps")
		lengths := rapid.SliceOfN(rapid.IntRange(1, 25), 1, 30).Draw(rt, "lengths")
		r, l := numbered(t, lengths, steps)
		tr := &Descent{steps: steps}
		tr.rng.Seed(rapid.Uint64().Draw(rt, "seed"), 0)
		tr.shuffle(r, &tr.packing)

		seen := make([]int, r.Len()+1)
		g, err := graph.New(graph.NewWeights(l, kernel.FP32), 4, steps)
		require.NoError(rt, err)
		batch := g.Batch
		for _, rows := range split(tr.packing.rows, 4) {
			require.LessOrEqual(rt, len(rows), 4)
			batch.Resize(len(rows))
			for b, row := range rows {
				tr.packing.fill(batch, b, row, r, writePolicyAndMagnet)
			}
			for b := range batch.Rows {
				checkRow(rt, r, batch, b, seen)
			}
		}
		for n := 1; n <= r.Len(); n++ {
			require.Equal(rt, 1, seen[n], "decision %d", n-1)
		}
	})
}

// checkRow checks one row of a batch of a numbered rollout and counts its decisions.
func checkRow(t *rapid.T, r *Rollout, batch *graph.Batch, b int, seen []int) {
	begins := make(map[int]bool)
	for _, s := range r.Sequences {
		begins[s.First+1] = true
	}
	for step := range batch.Steps {
		at := step*batch.Rows + b
		if batch.Weight[at] == 0 {
			require.Zero(t, batch.Reset[at])
			continue
		}
		n := int(batch.Advantages[at])
		seen[n]++
		require.EqualValues(t, n, batch.Observations[0][at*r.spec.ObservationSize])
		require.EqualValues(t, -n, batch.LogProbs[at])
		require.EqualValues(t, n%2, batch.Actions[at])
		require.Equal(t, []int{n % 2}, batch.Legal(at))
		require.EqualValues(t, 1, batch.Reference[at*2+n%2])
		require.Equal(t, begins[n], batch.Reset[at] == 1, "decision %d", n-1)
		switch {
		case begins[n]:
		case step > 0:
			require.EqualValues(t, n-1, batch.Advantages[at-batch.Rows], "the decision before comes before")
		default:
			for i, state := range batch.InitialState {
				require.EqualValues(t, n, state[b*len(state)/batch.Rows], "state %d", i)
			}
		}
	}
}

// TestPackingFillsRows: whole sequences of up to 4 decisions leave few gaps in rows of 16.
func TestPackingFillsRows(t *testing.T) {
	rng := engine.NewRNG(1, 0)
	lengths := make([]int, 2000)
	for i := range lengths {
		lengths[i] = 1 + rng.IntN(4)
	}
	r, _ := numbered(t, lengths, 16)
	tr := &Descent{steps: 16}
	tr.shuffle(r, &tr.packing)
	require.Less(t, len(tr.packing.rows)*16, r.Len()+16)
}

func TestSplitIsEven(t *testing.T) {
	for _, test := range []struct{ rows, size, parts int }{{1, 4, 1}, {8, 4, 2}, {9, 4, 3}, {100, 33, 4}} {
		parts := split(make([]row, test.rows), test.size)
		require.Len(t, parts, test.parts)
		var sizes []int
		for _, p := range parts {
			sizes = append(sizes, len(p))
		}
		require.LessOrEqual(t, slices.Max(sizes), test.size)
		require.LessOrEqual(t, slices.Max(sizes)-slices.Min(sizes), 1)
	}
}
