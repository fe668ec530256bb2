package solver

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/games/bank"
	"croupier/games/kuhn"
	"croupier/games/leduc"
)

// Uniform play is exploitable by 0.458 in Kuhn poker and 2.37 in Leduc hold'em.
func TestMCCFRApproachesAnEquilibrium(t *testing.T) {
	for _, test := range []struct {
		game       int
		iterations int
		bound      float64
		value      float64
	}{{0, 200_000, 0.01, -1.0 / 18}, {1, 200_000, 0.15, -0.0856}} {
		game := smallGames[test.game]
		t.Run(game.name, func(t *testing.T) {
			m, err := NewMCCFR(game.game, 1)
			require.NoError(t, err)
			tree := newTree(t, game.game)
			s, p, err := m.On(tree).Approach(t.Context(), 0, test.iterations, nil)
			require.NoError(t, err)
			t.Logf("%d iterations: value %.4f, exploitability %.4f", p.Iterations, s.Values()[0], p.Exploitability)
			require.Less(t, p.Exploitability, test.bound)
			require.InDelta(t, test.value, s.Values()[0], 2*test.bound)
			require.Equal(t, tree.InformationSets(0)+tree.InformationSets(1), len(m.first))
		})
	}
}

func TestMCCFRIsFixedByItsSeed(t *testing.T) {
	run := func(seed uint64) []float64 {
		m, err := NewMCCFR(leduc.Game{}, seed)
		require.NoError(t, err)
		m.Run(500)
		return m.average
	}
	require.Equal(t, run(3), run(3))
	require.NotEqual(t, run(3), run(4))
}

func TestMCCFRIsForTwoSeats(t *testing.T) {
	_, err := NewMCCFR(&variant{seats: 3}, 1)
	require.ErrorContains(t, err, "MCCFR is for two seats, kuhn has 3")
}

// BANK! has chance nodes between decisions, and a tree without an end.
func TestMCCFRRunsOnGamesWithoutATree(t *testing.T) {
	g, err := bank.New([]byte(`{"players": 2, "rounds": 1}`))
	require.NoError(t, err)
	m, err := NewMCCFR(g, 1)
	require.NoError(t, err)
	m.Run(100)
	require.Greater(t, len(m.first), 100)
}

func BenchmarkMCCFR(b *testing.B) {
	m, err := NewMCCFR(kuhn.Game{}, 1)
	require.NoError(b, err)
	m.Run(1000)
	b.ReportAllocs()
	for b.Loop() {
		m.Run(1)
	}
}
