package peers

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/standard"
	"croupier/internal/testproc"
	"croupier/policy"
	"croupier/solver"
)

// TestOpenSpielUnits: what a player at random can lose is the same number here and there, so that exploitabilities
// can be compared, and the script's learners learn.
func TestOpenSpielUnits(t *testing.T) {
	python := peer(t, "OPENSPIEL_PYTHON", "pyspiel", "torch", "tree")
	learnt := func(arguments ...string) float64 {
		command := python(append([]string{"openspiel_learning.py"}, append(arguments, "--points", "1")...)...)
		command.Stderr = os.Stderr
		out, err := testproc.Output(command)
		require.NoError(t, err)
		var point struct{ Exploitability float64 }
		require.NoError(t, json.Unmarshal(bytes.TrimSpace(out), &point))
		return point.Exploitability
	}
	for name, there := range map[string]string{"kuhn": "kuhn_poker", "leduc": "leduc_poker"} {
		game, err := standard.Games.New(name, nil)
		require.NoError(t, err)
		require.InDelta(t, uniform(t, game), learnt("uniform", there, "0.01"), 1e-9, name)
	}
	require.Less(t, learnt("deep-cfr", "kuhn_poker", "5"), 0.4, "0.458 is what a player at random loses")
}

// uniform is what a player at random can lose, per game.
func uniform(t *testing.T, game engine.Game) float64 {
	tree, err := solver.NewTree(game, 1_000_000)
	require.NoError(t, err)
	s, err := solver.StrategyOf(tree, func() policy.Policy { return policy.Random{} })
	require.NoError(t, err)
	return s.Exploitability()
}
