package cli

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// measured runs solve with --agent and --json, and returns the number of that name, which with
// the agent's name must be all there is.
func measured(t *testing.T, number, agent string, args ...string) float64 {
	t.Helper()
	var answer map[string]any
	out := succeed(t, "", append([]string{"solve"}, append(args, "--agent", agent, "--json")...)...)
	require.NoError(t, json.Unmarshal([]byte(out), &answer))
	require.Len(t, answer, 2)
	require.Equal(t, agent, answer["agent"])
	require.IsType(t, 0.0, answer[number])
	return answer[number].(float64)
}

// TestSolveMeasuresAgents compares with what is published or computed otherwise.
func TestSolveMeasuresAgents(t *testing.T) {
	const e, p = "exploitability", "win_probability"
	require.InDelta(t, 0.916667/2, measured(t, e, "random", "kuhn"), 1e-6)
	require.InDelta(t, 4.747222/2, measured(t, e, "random", "leduc"), 1e-6)
	require.InDelta(t, 0, measured(t, e, "equilibrium(0.2)", "kuhn"), 1e-12)
	require.InDelta(t, 0, measured(t, e, "solver:equilibrium", "leduc"), 1e-5)
	require.InDelta(t, 0.5, measured(t, p, "solver:optimal", "pig"), 1e-9)
	require.InDelta(t, 1-(0.5715+0.5083)/2, measured(t, p, "hold(20)", "pig"), 1e-4)
	require.InDelta(t, 0.5, measured(t, p, "solver:optimal", "bank", "--size", "300", "--simulate", "200"), 1e-9)
	short := []string{"bank", "--size", "300", "--set", "rules.rounds=2", "--simulate", "400"}
	require.InDelta(t, 0.25, measured(t, p, "threshold(100)", short...), 0.1)
	require.InDelta(t, 0.25, measured(t, p, "threshold(100)", append(short, "--set", "rules.repoll=false")...), 0.1)
}

// TestSolveMeasuresVersions: networks by all their names, sampled and greedy.
func TestSolveMeasuresVersions(t *testing.T) {
	dir := trained(t)
	sampled := measured(t, "exploitability", "main@1", "kuhn", "--run", dir)
	greedy := measured(t, "exploitability", "greedy:main@1", "kuhn", "--run", dir)
	require.Greater(t, sampled, 0.0)
	require.NotEqual(t, sampled, greedy)
	require.Contains(t, succeed(t, "", "solve", "kuhn", "--agent", "main@1", "--run", dir), " antes a game\n")
	require.Contains(t, refused(t, 1, "solve", "leduc", "--agent", "main@1", "--run", dir), "it is for kuhn, not leduc")
	require.Contains(t, refused(t, 2, "solve", "kuhn", "--agent", "main@99", "--run", dir), "has no version main@99")
	require.Contains(t, refused(t, 1, "solve", "kuhn", "--agent", "main@1", "--run", dir+"/no-such"), "no-such")
	require.Contains(t, refused(t, 2, "solve", "kuhn", "--agent", "main@1"), "needs --run")
}

func TestSolveAgentForPeople(t *testing.T) {
	require.Contains(t, succeed(t, "", "solve", "kuhn", "--agent", "random"),
		"kuhn, random: exploitability 0.458333 antes a game\n")
	require.Contains(t, succeed(t, "", "solve", "pig", "--agent", "hold(20)"), "going first 0.4916")
	require.Contains(t, succeed(t, "", "solve", "bank", "--size", "300", "--simulate", "200", "--agent", "solver:optimal"),
		"solver:optimal against the optimum: wins 0.5000 ± 0 of the games\n(a draw is half a win; 95 % interval from 200 ")
	require.Contains(t, refused(t, 2, "solve", "pig", "--run", "x"), "--run x: it is for --agent")
	require.Contains(t, refused(t, 2, "solve", "pig", "--agent", "random", "--out", "x"), "--out: ")
	require.Contains(t, refused(t, 2, "solve", "leduc", "--agent", "random", "--target", "1"), "--target: ")
	require.Contains(t, refused(t, 2, "solve", "bank", "--agent", "random", "--against", "random"), "--against: ")
	require.Contains(t, refused(t, 1, "solve", "bank", "--agent", "random", "--players", "3"), "computed for 2 players")
	require.Contains(t, refused(t, 2, "solve", "kuhn", "--agent", "hold(20)"), `unknown agent "hold(20)" of kuhn`)
}

// exponent and minusZero are what people are not to read.
var (
	exponent  = regexp.MustCompile(`\d[eE][-+]\d`)
	minusZero = regexp.MustCompile(`[-−]0(\.0*)?($|[^.\d])`)
)

func TestSolveWritesNumbersForPeople(t *testing.T) {
	for _, args := range [][]string{
		{"kuhn"}, {"leduc", "--target", "1e-4"}, {"kuhn", "--agent", "solver:equilibrium"}, {"pig"},
		{"bank", "--size", "300"}, {"bank", "--size", "300", "--set", "rules.repoll=false", "--set", "rules.rounds=2"},
		{"bank", "--size", "300", "--set", "rules.rounds=1", "--against", "threshold(2)"}, {"banluck"},
	} {
		out := succeed(t, "", append([]string{"solve"}, args...)...)
		require.NotRegexp(t, exponent, out, "%v", args)
		require.NotRegexp(t, minusZero, out, "%v", args)
	}
}

// TestSolveBankSaysEqualTablesInASentence: with repoll every lead wins, without it does not.
func TestSolveBankSaysEqualTablesInASentence(t *testing.T) {
	out := succeed(t, "", "solve", "bank", "--size", "300")
	require.Contains(t, out,
		"With a lead of 1 to 200 points, and whatever the number of rounds left, seat 1's share of the win is 1.0000.\n")
	require.NotContains(t, out, "rounds left  ")
	out = succeed(t, "", "solve", "bank", "--size", "300", "--set", "rules.repoll=false", "--set", "rules.rounds=2")
	cell := regexp.MustCompile(`(?m)^ +1 +(\d\.\d+) ± `).FindStringSubmatch(out)
	require.NotNil(t, cell, out)
	share, err := strconv.ParseFloat(cell[1], 64)
	require.NoError(t, err)
	require.Less(t, math.Abs(share-0.861), 0.01, "as games/bank/README.md says")
}

func TestSolveNeedsAGame(t *testing.T) {
	require.Contains(t, refused(t, 2, "solve"), "there are bank, banluck, kuhn, lange-strasse, leduc, pig, tysiac")
	status, _, stderr := croupier("", "solve", "chess")
	require.Equal(t, 2, status)
	require.Contains(t, stderr, "chess")
}
