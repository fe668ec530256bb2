package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/catalog"
	"croupier/engine/enginetest/liarsdice"
	"croupier/messages"
	"croupier/settings"
	"croupier/solver"
)

// withLiarsDice puts a game on the list that has nothing but its rules, as somebody else's has.
func withLiarsDice(t *testing.T) {
	all := installed
	installed = program{all.catalog.With(catalog.Game{Name: "liars-dice", New: liarsdice.New})}
	t.Cleanup(func() { installed = all })
}

// Every game for two whose tree is small enough is solved, whatever its author. With six faces the value is -7/258, as
// published for Bluff(1,1) (Lanctot 2013, Monte Carlo Sampling and Regret Minimization for Equilibrium Computation,
// 3.3.2); with fewer it is positive, as small dice are more often right.
func TestSolveAGameOfSomebodyElse(t *testing.T) {
	withLiarsDice(t)
	for _, test := range []struct {
		faces, target string
		value, bound  float64
	}{{"2", "1e-6", 1.0 / 2, 1e-6}, {"3", "1e-5", 1.0 / 9, 1e-5}, {"4", "1e-4", 1.0 / 16, 1e-4},
		{"6", "3e-3", -7.0 / 258, 3e-3}} {
		var s solver.EquilibriumAnswer
		out := succeed(t, "", "solve", "liars-dice", "--set", "rules.faces="+test.faces, "--target", test.target, "--json")
		require.NoError(t, json.Unmarshal([]byte(out), &s))
		require.LessOrEqual(t, s.Exploitability, test.bound, test.faces)
		require.InDelta(t, test.value, s.Value, 2*test.bound, test.faces)
	}
	require.Contains(t, succeed(t, "", "solve", "liars-dice", "--set", "rules.faces=2"),
		"liars-dice, cfr+\nvalue of seat 1 ")
	three := []string{"liars-dice", "--set", "rules.faces=3"}
	require.InDelta(t, 0, measured(t, "exploitability", "solver:equilibrium", three...), 1e-5)
	require.Greater(t, measured(t, "exploitability", "random", three...), 0.5)
	table := filepath.Join(t.TempDir(), "liars-dice.csv")
	succeed(t, "", append([]string{"solve", "--out", table}, three...)...)
	rows, err := os.ReadFile(table)
	require.NoError(t, err)
	require.Contains(t, string(rows), "\n0,1 ?,0,1x1,")
	require.Contains(t, refused(t, 2, "solve"), "kuhn, lange-strasse, leduc, liars-dice, pig, tysiac")
	require.Contains(t, refused(t, 1, "solve", "bank-cards"), "bank-cards: its histories are too long")
}

// Such a game is trained with the settings of games of hidden information, has a curve of exploitability, of which the
// best version knows, and advice.
func TestTrainAGameOfSomebodyElse(t *testing.T) {
	withLiarsDice(t)
	config, err := settings.Default(installed.catalog, "liars-dice")
	require.NoError(t, err)
	require.Equal(t, "average", config.Learner.PPO.Magnet, "as in hidden.yaml")
	dir := filepath.Join(t.TempDir(), "night")
	succeed(t, "", trainArgs("liars-dice", "--run", dir, "--set", "rules.faces=2", "--games", "2000")...)
	ladder, err := messages.ParseLadder([]byte(succeed(t, "", "ladder", "--run", dir, "--json")))
	require.NoError(t, err)
	best, found := ladder.Best()
	require.True(t, found)
	require.NotNil(t, best.Exploitability)
	require.Less(t, *best.Exploitability, 1.0)
	out := succeed(t, `{"die": 1, "bids": ["1x2"]}`, "advise", "liars-dice", "--position", "-")
	require.Contains(t, out, "liar")
	require.Contains(t, out, "solver:equilibrium")
}
