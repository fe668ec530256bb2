package solve

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/policy"
)

// TestMatchIsWhatIsPlayed compares with games whose results are counted.
func TestMatchIsWhatIsPlayed(t *testing.T) {
	for _, repoll := range []bool{true, false} {
		g := newGame(t, 2, 3, repoll)
		o := solve(t, g, 500)
		for _, name := range append(g.Bots().References, "threshold(300)", "random") {
			m, err := o.Against(t.Context(), g, func() policy.Policy { return bot(t, g, name) }, 4000, 1)
			require.NoError(t, err)
			require.Equal(t, 4000, m.Games)
			counted, width := 0.0, 0.0
			for seat := range 2 {
				seats := []policy.Policy{o.Policy(), o.Policy()}
				seats[seat] = bot(t, g, name)
				mean, half := play(t, g, 4000, seat, seats...)
				counted, width = counted+mean/2, max(width, half)
			}
			t.Logf("repoll %v, %s: %.4f ± %.4f, counted %.4f ± %.4f", repoll, name, m.Wins, m.Within, counted, width)
			require.InDelta(t, counted, m.Wins, m.Within+width)
			require.Less(t, m.Within, 1.7*width)
		}
	}
}

// TestMatchOfTheOptimum: nothing is given away.
func TestMatchOfTheOptimum(t *testing.T) {
	g := newGame(t, 2, 10, true)
	o := solve(t, g, 500)
	m, err := o.Against(t.Context(), g, func() policy.Policy { return o.Policy() }, 2000, 1)
	require.NoError(t, err)
	require.InDelta(t, 0.5, m.Wins, 1e-12)
	require.InDelta(t, 0, m.Within, 1e-12)
}

// rarely banks once in a hundred decisions.
type rarely struct{ policy.Random }

func (rarely) Choose(_ engine.State, _ []int, rng *engine.RNG) int {
	if rng.Float64() < 0.01 {
		return 1
	}
	return 0
}

func (rarely) Distribution(_ engine.State, _ []int, dst []float64) { dst[0], dst[1] = 0.99, 0.01 }

// TestMatchWeighsProbabilities: with and without them it is the same mean, and a narrower
// interval with them.
func TestMatchWeighsProbabilities(t *testing.T) {
	g := newGame(t, 2, 5, true)
	o := solve(t, g, 500)
	match := func(newPolicy func() policy.Policy) Match {
		m, err := o.Against(t.Context(), g, newPolicy, 6000, 1)
		require.NoError(t, err)
		return m
	}
	told := match(func() policy.Policy { return rarely{} })
	untold := match(func() policy.Policy { return policy.Bot(engine.BotFunc(rarely{}.Choose)) })
	t.Log(told, untold)
	require.InDelta(t, told.Wins, untold.Wins, told.Within+untold.Within)
	require.Less(t, told.Within, 0.8*untold.Within)
}
