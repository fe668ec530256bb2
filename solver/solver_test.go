package solver

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/leduc"
	"croupier/policy"
)

func TestSolveTables(t *testing.T) {
	for _, game := range smallGames {
		t.Run(game.name, func(t *testing.T) {
			factory, _, err := SolveTables(t.Context(), game.game)
			require.NoError(t, err)
			s, err := StrategyOf(newTree(t, game.game), func() policy.Policy { return factory() })
			require.NoError(t, err)
			require.LessOrEqual(t, s.Exploitability(), equilibriumTarget)
		})
	}
}

// pure is a bot that uses no chance, as a policy.
type pure struct {
	policy.Random
	engine.Bot
}

func (p pure) Choose(s engine.State, legal []int, rng *engine.RNG) int {
	return p.Bot.Choose(s, legal, rng)
}

func (p pure) Distribution(s engine.State, legal []int, dst []float64) {
	action := p.Bot.Choose(s, legal, nil)
	for i, a := range legal {
		dst[i] = 0
		if a == action {
			dst[i] = 1
		}
	}
}

// TestEquilibriumNeverLosesToLeducBots computes exact returns, the mean of both
// seats: an equilibrium loses to no policy by more than its exploitability.
func TestEquilibriumNeverLosesToLeducBots(t *testing.T) {
	factory, _, err := SolveTables(t.Context(), leduc.Game{})
	require.NoError(t, err)
	tree := newTree(t, leduc.Game{})
	equilibrium, err := StrategyOf(tree, func() policy.Policy { return factory() })
	require.NoError(t, err)
	for _, name := range (leduc.Game{}).Bots().References {
		bot, err := leduc.Game{}.Bots().New(name)
		require.NoError(t, err)
		s := tableOf(t, tree, pure{Bot: bot})
		mean := 0.0
		for seat := range 2 {
			pairing := &Strategy{tree: tree, probability: slices.Clone(s.probability)}
			pairing.probability[seat] = equilibrium.probability[seat]
			mean += pairing.Values()[seat] / 2
		}
		t.Logf("%s: loses %.4f chips a game to the equilibrium; exploitability %.4f", name, mean, s.Exploitability())
		require.Greater(t, mean, -2*equilibriumTarget)
		require.GreaterOrEqual(t, s.Exploitability(), mean)
	}
}
