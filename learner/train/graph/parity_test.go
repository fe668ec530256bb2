package graph

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/standard"
	"croupier/nn"
)

// TestParity compares the graph with what the actors run, for every kind of layer and every
// game, with the recurrent state carried from step to step across resets.
func TestParity(t *testing.T) {
	forEachDescription(t, requireParity)
	for _, e := range standard.Games.Games() {
		game, err := e.New(nil)
		require.NoError(t, err)
		segments := game.Spec().Segments
		first, tokens := segments[0].Name, segments[len(segments)-1].Size
		encoders := []nn.Encoder{{Segments: []string{first}, Dense: []int{8}}}
		attention := &nn.Attention{Tokens: tokens, Size: 8, Heads: 2, Output: 3}
		for _, s := range segments {
			if s.Size == tokens {
				attention.Segments = append(attention.Segments, s.Name)
			}
		}
		for _, d := range []nn.Description{
			{Dense: []int{16, 16}},
			{Encoders: encoders, Dense: []int{16}, LSTM: []int{16}, PolicyHidden: []int{8}, ValueHidden: []int{8}},
			{Dense: []int{16, 16}, Dueling: true},
			{Dense: []int{16, 16}, Outputs: nn.ActionValueOutputs},
			{Encoders: encoders, Attention: attention, LSTM: []int{16, 8}},
		} {
			t.Run(e.Name+nameOf(t, d), func(t *testing.T) { requireParity(t, newLayout(t, d, game.Spec())) })
		}
	}
}

func requireParity(t *testing.T, l *nn.Layout) {
	const rows, steps = 3, 5
	rng := engine.NewRNG(6, 0)
	parameters, b := randomParameters(l, rng), randomBatch(l, rows, steps, rng)
	g := newGraph(t, l, rows, steps)
	_, err := gradientOf(g, parameters, b, lossOf(l, testLoss), make([]float32, l.Size))
	require.NoError(t, err)
	outputs, values := g.Outputs()

	network, err := nn.NewNetwork(l, parameters)
	require.NoError(t, err)
	e := network.NewEvaluator(rows, rows)
	for row := range rows {
		e.SetState(row, initialState(b, row))
	}
	for step := range steps {
		for row := range rows {
			i := step*rows + row
			copy(e.Observation(row), observationOf(b, i, l.Spec))
			e.SetLegal(row, b.Legal(i))
			if b.Reset[i] != 0 {
				e.ResetSlot(row)
			}
		}
		e.Forward(rows)
		for row := range rows {
			i := step*rows + row
			want := e.LogProbs(row)
			if l.Description.ActionValues() {
				want = e.ActionValues(row)
			}
			requireClose(t, widen(want), outputs[i*l.Spec.Actions:][:l.Spec.Actions])
			require.InDelta(t, e.Value(row), values[i], 2e-5)
		}
	}
}

// initialState returns a row's state in the order of nn.Evaluator.
func initialState(b *Batch, row int) (state []float32) {
	for _, s := range b.InitialState {
		hidden := len(s) / b.Rows
		state = append(state, s[row*hidden:][:hidden]...)
	}
	return state
}
