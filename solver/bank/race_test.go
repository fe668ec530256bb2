package bank

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	game "croupier/engine/bank"
	"croupier/policy"
)

func newGame(t testing.TB, players, rounds int, repoll bool) engine.Game {
	t.Helper()
	g, err := game.New(fmt.Appendf(nil, `{"players": %d, "rounds": %d, "repoll": %v}`, players, rounds, repoll))
	require.NoError(t, err)
	return g
}

func solve(t testing.TB, g engine.Game, size int) *Optimum {
	t.Helper()
	o, err := Solve(t.Context(), g, size, nil)
	require.NoError(t, err)
	return o
}

// play plays games and returns the mean share of wins of seat 0 with the half width of
// its 95 % interval.
func play(t testing.TB, g engine.Game, games int, seats ...policy.Policy) (mean, half float64) {
	t.Helper()
	s, returns, legal := g.NewState(), make([]float64, len(seats)), []int{game.Pass, game.Bank}
	chance, actions := engine.NewRNG(1, engine.ChanceStream), engine.NewRNG(1, engine.ActionStream)
	sum, squares := 0.0, 0.0
	for range games {
		for s.Reset(); s.Player() != engine.Terminal; {
			step := 0
			if seat := s.Player(); seat == engine.Chance {
				step = s.SampleChance(chance)
			} else {
				step = seats[seat].Choose(s, legal, actions)
			}
			require.NoError(t, s.Apply(step))
		}
		s.Returns(returns)
		v := share(returns[0])
		sum, squares = sum+v, squares+v*v
	}
	mean = sum / float64(games)
	return mean, 1.96 * math.Sqrt((squares/float64(games)-mean*mean)/float64(games))
}

func bot(t testing.TB, g engine.Game, name string) policy.Policy {
	t.Helper()
	if name == "random" {
		return policy.Random{}
	}
	b, err := g.Bot(name)
	require.NoError(t, err)
	return policy.Bot(b)
}

// Level seats wait for each other for ever: nobody wins.
func TestTheGameIsADraw(t *testing.T) {
	for _, repoll := range []bool{true, false} {
		g := newGame(t, 2, 4, repoll)
		o := solve(t, g, 500)
		value, bound := o.Value()
		require.Zero(t, value)
		require.Zero(t, bound)
		mean, half := play(t, g, 1000, o.Policy(), o.Policy())
		require.Equal(t, 0.5, mean)
		require.Zero(t, half)
	}
}

func TestOptimumBeatsEveryBot(t *testing.T) {
	for _, repoll := range []bool{true, false} {
		g := newGame(t, 2, 10, repoll)
		o := solve(t, g, MinSize)
		for _, name := range append(g.ReferenceBots(), "random", "threshold(300)", "rolls(3)") {
			for seat := range 2 {
				seats := []policy.Policy{bot(t, g, name), bot(t, g, name)}
				seats[seat] = o.Policy()
				mean, half := play(t, g, 2000, seats...)
				if seat == 1 {
					mean = 1 - mean
				}
				t.Logf("repoll %v, seat %d against %s: %.3f ± %.3f", repoll, seat, name, mean, half)
				require.Greater(t, mean-half, 0.5)
			}
		}
	}
}
