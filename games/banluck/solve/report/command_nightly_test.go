//go:build nightly

package report

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The whole report and the charts, from the command line into files.
func TestSolveBanluckReportsInFull(t *testing.T) {
	dir := t.TempDir()
	written, charts := filepath.Join(dir, "report.md"), filepath.Join(dir, "charts")
	program.Succeed(t, "", "solve", "banluck", "--report", written, "--charts", charts, "--simulate", "500", "--seed", "7",
		"--players", "2")
	text := readText(t, written)
	require.Contains(t, text, "--simulate 500 --seed 7 --players 2\n")
	require.Contains(t, text, "house edge of 8.60 %")
	for _, kind := range []string{"svg", "png"} {
		drawn, err := filepath.Glob(filepath.Join(charts, "*."+kind))
		require.NoError(t, err)
		require.Len(t, drawn, 1+4+4+2)
	}
}

// The game of two players against the dealer is solved, and played through the engine.
func TestSolveBanluckForTwoPlayers(t *testing.T) {
	var crowd Crowd
	out := program.Succeed(t, "", "solve", "banluck", "--players", "2", "--simulate", "100000", "--json")
	require.NoError(t, json.Unmarshal([]byte(out), &crowd))
	require.Equal(t, 2, crowd.Players)
	require.Less(t, crowd.PlayerGain.Mean, 1e-3)
	require.Less(t, crowd.DealerGain.Mean, 1e-3)
	require.Less(t, crowd.EV.Mean, 0.0, "the dealer has the edge")
	require.Equal(t, 100000, crowd.Played.Hands)
	require.Less(t, crowd.Played.EV.Low, crowd.EV.Mean)
	require.Greater(t, crowd.Played.EV.High, crowd.EV.Mean)
	require.Contains(t, program.Succeed(t, "", "solve", "banluck", "--players", "2"), " 3 soft ")
}
