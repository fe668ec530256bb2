package solve

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/cli/clitest"
	"croupier/games/kuhn"
	langestrasse "croupier/games/lange-strasse"
	"croupier/internal/nightly"
)

// program has the game, and another one.
var program = clitest.Of(langestrasse.Entry.With(Exact), kuhn.Entry)

func TestSolveLangeStrasse(t *testing.T) {
	var a TurnAnswer
	require.NoError(t, json.Unmarshal([]byte(program.Succeed(t, "", "solve", "lange-strasse", "--json", "--simulate",
		"50000")),
		&a))
	require.InDelta(t, 662.193, a.Turn.ExpectedPoints, 0.001)
	require.InDelta(t, 0.36563, a.Turn.StrichProbability, 0.00001)
	require.Less(t, a.Turn.ErrorBound, 1e-6)
	require.Less(t, a.GreedyStop.ExpectedPoints, a.Turn.ExpectedPoints)
	require.InDelta(t, 720./46656, a.FirstRoll.LangeStrasse, 1e-12)
	mean := 0.0
	for _, s := range a.Turn.Distribution {
		mean += float64(s.Points) * s.Probability
	}
	require.InDelta(t, a.Turn.ExpectedPoints, mean, 1e-3)
	for _, p := range []TurnPlay{a.Turn.TurnPlay, a.GreedyStop} {
		require.InDelta(t, p.ExpectedPoints, p.Simulation.Points.Mean, 3*p.Simulation.Points.Half)
	}
	text := program.Succeed(t, "", "solve", "lange-strasse")
	require.Contains(t, text, "662.1931")
	require.Contains(t, text, "strich   36.56 %  ███")
}

// A table that solve wrote is an agent, and plays as the bot does.
func TestSolveLangeStrasseWritesATable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "turn.table")
	program.Succeed(t, "", "solve", "lange-strasse", "--out", path, "--json")
	bot := program.Succeed(t, "", "simulate", "lange-strasse", "--games", "5", "--policy", "turn-optimum")
	require.Equal(t, bot, program.Succeed(t, "", "simulate", "lange-strasse", "--games", "5", "--policy", "file:"+path))
	require.Contains(t, program.Refuse(t, 1, "simulate", "kuhn", "--policy", "file:"+path),
		"a table of lange-strasse, not of kuhn")
}

func TestSolveLangeStrasseRefuses(t *testing.T) {
	require.Contains(t, program.Refuse(t, 1, "solve", "lange-strasse", "--rules", "none.yaml"), "none.yaml")
	require.Contains(t, program.Refuse(t, 1, "solve", "lange-strasse", "--out", "/no/such/folder/x"), "--out")
	require.Contains(t, program.Refuse(t, 2, "solve", "lange-strasse", "--money"), "--money needs --out FILE")
	for _, flag := range []string{"iterations", "games", "steps", "opening", "validation", "workers"} {
		require.Contains(t, program.Refuse(t, 2, "solve", "lange-strasse", "--"+flag, "3"),
			"--"+flag+" has an effect only with --money")
	}
	require.Contains(t, program.Refuse(t, 2, "solve", "lange-strasse", "--seed", "3"),
		"--seed has an effect only with --money, --simulate, --compare or --coverage")
	require.Contains(t, program.Refuse(t, 2, "solve", "lange-strasse", "--money", "--out", "x", "--games", "0"),
		"games is 0, must be at least 1")
	require.Contains(t, program.Refuse(t, 2, "solve", "lange-strasse", "--money", "--compare", "3"),
		"cannot be combined with --money")
	require.Contains(t, program.Refuse(t, 2, "solve", "lange-strasse", "--money", "--coverage", "3"),
		"cannot be combined with --money")
}

// Values that solve makes are an agent, and the same call makes the same values.
func TestSolveLangeStrasseMakesValues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "money.table")
	// The games of seed 12 are short.
	train := []string{"solve", "lange-strasse", "--money", "--json", "--iterations", "1", "--games", "1", "--steps",
		"20", "--validation", "1", "--opening", "50", "--seed", "12", "--workers", "2", "--out", path}
	var answer struct{ Errors []StageError }
	require.NoError(t, json.Unmarshal([]byte(program.Succeed(t, "", train...)), &answer))
	require.Len(t, answer.Errors, 7)
	require.Len(t, clitest.Lines(program.Succeed(t, "", "simulate", "lange-strasse", "--games", "1", "--policy",
		"file:"+path)), 1)
}

func TestSolveLangeStrasseCompares(t *testing.T) {
	var comparison Comparison
	require.NoError(t, json.Unmarshal([]byte(program.Succeed(t, "", "solve", "lange-strasse", "--compare", "1", "--json")),
		&comparison))
	require.Len(t, comparison.Differences, 6)
	require.Positive(t, comparison.Room.Low.Value)
	require.Greater(t, comparison.Room.High.Value, comparison.Room.Low.Value)
	require.Contains(t, program.Succeed(t, "", "solve", "lange-strasse", "--compare", "1"), "no strich so far")
}

func TestSolveLangeStrasseChecksIntervals(t *testing.T) {
	var coverage Coverage
	positions := nightly.Cases(1, 2)
	answer := program.Succeed(t, "", "solve", "lange-strasse", "--coverage", strconv.Itoa(positions), "--json")
	require.NoError(t, json.Unmarshal([]byte(answer), &coverage))
	require.Equal(t, positions, coverage.Positions)
	require.LessOrEqual(t, coverage.Covered.Low, coverage.Covered.Value)
	require.Positive(t, coverage.Promised)
}
