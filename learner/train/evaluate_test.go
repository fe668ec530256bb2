package train

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/leduc"
	"croupier/nn"
)

// randomRollout plays random games until there are that many samples.
func randomRollout(t testing.TB, game engine.Game, samples int) *Rollout {
	seats := game.Spec().Seats
	rng := engine.NewRNG(3, engine.ActionStream)
	r := NewRollout(game.Spec())
	s := game.NewState()
	for r.Len() < samples {
		s.Reset()
		records := make([]seatRows, seats)
		for seat := range records {
			records[seat].spec = game.Spec()
			records[seat].clear()
		}
		play := engine.Play{State: s, Chance: rng, Choose: func(seat int, legal []int) int {
			action := legal[rng.IntN(len(legal))]
			records[seat].visit(s, seat, action, legal, float32(-math.Log(float64(len(legal)))), false)
			return action
		}}
		require.NoError(t, play.ToEnd())
		returns := make([]float64, seats)
		s.Returns(returns)
		for seat := range records {
			r.addSequence(&records[seat], float32(returns[seat]/game.Spec().MaxReturn), 1, 1)
		}
		r.Size.Games++
	}
	return r
}

// TestEvaluationEqualsOneAfterTheOther compares the evaluation of many sequences
// side by side, on several workers, with one sequence at a time.
func TestEvaluationEqualsOneAfterTheOther(t *testing.T) {
	r := randomRollout(t, leducGame(t), 1600) // of more games than an evaluation has lanes
	require.Greater(t, len(r.Sequences), 2*evaluationRows)
	layout := testLayout(t, leducGame(t), nn.Description{Dense: []int{8}, LSTM: []int{6, 4}})
	n, err := nn.NewNetwork(layout, layout.Init(5))
	require.NoError(t, err)
	c := DefaultConfig()
	c.SequenceLength = 2
	tr, err := newPPO(c.PPO, Setup{c, []engine.Game{leducGame(t)}, n, 1, 3, nil, 0, nil})
	require.NoError(t, err)
	r.prepare(tr.steps, layout.StateSize)
	r.moved = resize(r.moved, r.Len())
	tr.Evaluate(n, r, func(e *Evaluation, r *Rollout, i, row int) {
		takePolicy(e, r, i, row)
		takeAll(e, r, i, row)
	})

	one := n.NewEvaluator(1, 1)
	for _, s := range r.Sequences {
		one.ResetSlot(0)
		for k := range s.Length {
			i := s.First + k
			if k > 0 && k%2 == 0 {
				at := s.state + k/2 - 1
				require.Equal(t, one.State(0), r.states[at*layout.StateSize:(at+1)*layout.StateSize])
			}
			copy(one.Observation(0), r.Observation(i))
			start, end := r.LegalRange(i)
			one.SetLegal(0, r.Legal[start:end])
			one.Forward(1)
			require.Equal(t, one.Value(0), r.Values[i])
			sum := 0.0
			for at := start; at < end; at++ {
				sum += math.Exp(float64(r.reference[at]))
				require.Equal(t, one.LogProbs(0)[r.Legal[at]], r.reference[at])
			}
			require.InDelta(t, 1, sum, 1e-5)
			ratio := math.Exp(float64(one.LogProbs(0)[r.Actions[i]] - r.LogProbs[i]))
			require.InDelta(t, ratio-1-math.Log(ratio), r.moved[i], 1e-5)
		}
	}
}

func leducGame(t testing.TB) engine.Game {
	t.Helper()
	game, err := leduc.New(nil)
	require.NoError(t, err)
	return game
}

// estimate computes the advantages and targets of all sequences.
func (r *Rollout) estimate(values []float32, gamma, lambda float64) {
	r.estimator(values, gamma, lambda)(0, len(r.Sequences))
}
