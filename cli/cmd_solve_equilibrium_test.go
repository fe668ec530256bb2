package cli

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/solver"
)

func TestSolvePokerFindsThePublishedValues(t *testing.T) {
	for _, test := range []struct {
		args  []string
		value float64
		bound float64
	}{
		{[]string{"kuhn"}, -1.0 / 18, 1e-6},
		{[]string{"kuhn", "--algorithm", "linear"}, -1.0 / 18, 1e-4},
		{[]string{"kuhn", "--algorithm", "cfr"}, -1.0 / 18, 1e-3},
		{[]string{"kuhn", "--algorithm", "mccfr", "--seed", "3"}, -1.0 / 18, 1e-2},
		{[]string{"leduc", "--target", "1e-4"}, -0.085606, 1e-4},
	} {
		var s solver.EquilibriumAnswer
		out := succeed(t, "", append(append([]string{"solve"}, test.args...), "--json")...)
		require.NoError(t, json.Unmarshal([]byte(out), &s))
		require.LessOrEqual(t, s.Exploitability, test.bound, "%v", test.args)
		require.InDelta(t, test.value, s.Value, 2*test.bound, "%v", test.args)
		require.Positive(t, s.Iterations)
		require.Positive(t, s.Seconds)
	}
}

func TestSolvePokerStopsAtTheIterations(t *testing.T) {
	var s solver.EquilibriumAnswer
	require.NoError(t, json.Unmarshal([]byte(succeed(t, "", "solve", "leduc", "--iterations", "30", "--json")), &s))
	require.Equal(t, 30, s.Iterations)
	require.Contains(t, succeed(t, "", "solve", "leduc", "--iterations", "30"), "iterations       30 in ")
}

func TestSolvePokerWritesItsStrategy(t *testing.T) {
	dir := t.TempDir()
	table, document := filepath.Join(dir, "kuhn.csv"), filepath.Join(dir, "kuhn.json")
	succeed(t, "", "solve", "kuhn", "--out", table)
	succeed(t, "", "solve", "kuhn", "--out", document)
	f, err := os.Open(table)
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	var entries []solver.Entry
	readJSON(t, document, &entries)
	require.Len(t, rows, 1+2*6*2)
	require.Len(t, entries, len(rows)-1)
	for i, e := range entries {
		row := rows[i+1]
		probability, err := strconv.ParseFloat(row[4], 64)
		require.NoError(t, err)
		require.Equal(t, e.Seen, row[1])
		require.Equal(t, e.Probability, probability)
		if e.Seen == "? K bet" && e.Name == "call" {
			require.InDelta(t, 1, e.Probability, 1e-3)
			require.InDelta(t, 2, e.Value, 1e-9)
		}
	}
}

func TestSolvePokerRefuses(t *testing.T) {
	require.Contains(t, refused(t, 2, "solve", "kuhn", "--seed", "3"), "--seed has an effect only with --algorithm mccfr")
	require.Contains(t, refused(t, 2, "solve", "kuhn", "--algorithm", "dfs"), "cfr+, linear, cfr, mccfr")
	require.Contains(t, refused(t, 2, "solve", "kuhn", "--iterations", "0"), "--iterations 0")
	require.Contains(t, refused(t, 2, "solve", "kuhn", "--target", "NaN"), "--target NaN")
	require.Contains(t, refused(t, 2, "solve", "kuhn", "--out", "-"), "--out -")
	require.Contains(t, refused(t, 1, "solve", "kuhn", "--out", "no-such-dir/x"), "no-such-dir")
}
