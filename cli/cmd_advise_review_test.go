package cli

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/advice"
	"croupier/engine"
	"croupier/games/standard"
)

func TestReviewOfTheOptimumFindsNothing(t *testing.T) {
	status, lines, stderr := croupier("", "simulate", "pig", "--policy", "solver:optimal", "--games", "3")
	require.Zero(t, status, stderr)
	status, stdout, stderr := croupier(lines, "advise", "review", "-", "--json")
	require.Zero(t, status, stderr)
	var r advice.Report
	require.NoError(t, json.Unmarshal([]byte(stdout), &r))
	require.Equal(t, "pig", r.Game)
	require.Equal(t, "solver:optimal", r.Agent)
	require.True(t, r.Exact)
	require.Equal(t, 3, r.Games)
	require.Greater(t, len(r.Decisions), 30)
	for _, s := range r.Seats {
		require.Zero(t, s.LossPerDecision)
		require.Equal(t, 100.0, s.Accuracy)
		require.Zero(t, s.Mistakes)
	}
}

func TestReviewSumsUpAndGivesPositions(t *testing.T) {
	for _, game := range []string{"bank", "kuhn"} {
		status, lines, stderr := croupier("", "simulate", game, "--games", "2")
		require.Zero(t, status, stderr)
		args := []string{"advise", "review", "-", "--agent", "random", "--samples", "5"}
		status, stdout, stderr := croupier(lines, append(args, "--json")...)
		require.Zero(t, status, stderr)
		var r advice.Report
		require.NoError(t, json.Unmarshal([]byte(stdout), &r))
		g, err := standard.Games.New(game, nil)
		require.NoError(t, err)
		decisions := make([]int, len(r.Seats))
		for _, d := range r.Decisions {
			s, _, err := g.(engine.Positioned).ParsePosition(d.Position, engine.NewRNG(1, 0))
			require.NoError(t, err)
			require.Equal(t, d.Seat, s.Player())
			require.Equal(t, d.TakenName, s.ActionName(d.Taken))
			decisions[d.Seat]++
		}
		for seat, s := range r.Seats {
			require.Equal(t, decisions[seat], s.Decisions)
			require.True(t, s.LossLow <= s.LossPerDecision && s.LossPerDecision <= s.LossHigh)
		}
		status, text, stderr := croupier(lines, append(args, "--top", "1")...)
		require.Zero(t, status, stderr)
		require.Contains(t, text, "2 games of "+game+", judged by random (estimated)")
		require.Contains(t, text, "The worst moments")
		require.Regexp(t, `(?m)^ +1 +\d+`, text, "seats count from 1")
		require.NotRegexp(t, `(?m)^ +0 +\d+ +\d+ +[\d.]+ +[\d.]+ +-?[\d.]+ \.\.`, text, "seats count from 1")
	}
}

func TestReviewRefuses(t *testing.T) {
	pig := `{"game": "pig", "rules": {"target": 1}, "history": [0, 4, 1]}` + "\n"
	for _, test := range []struct {
		lines, message string
		status         int
	}{
		{"", "standard input: there are no games", 1},
		{`{"game": "pig"}`, `line 1: key "history" is missing`, 1},
		{pig + `{"game": "kuhn", "history": [0, 1, 0, 0]}`, `line 2: a review covers one game: this record is of kuhn`, 1},
		{pig + `{"game": "pig", "history": [0, 4, 1]}`,
			`line 2: a review covers one game: this record is of pig {"target":100}`, 1},
		{`{"game": "pig", "history": [0]}`, "line 1: step 1: the history stops", 1},
		{`{"game": "pig", "history": [5]}`, "line 1: step 0: illegal action 5", 1},
	} {
		status, stdout, stderr := croupier(test.lines, "advise", "review", "-")
		require.Equal(t, test.status, status, test.lines)
		require.Empty(t, stdout)
		require.Contains(t, stderr, test.message)
	}
	require.Contains(t, refused(t, 1, "advise", "review", "/nowhere"), "/nowhere")
	require.Contains(t, refused(t, 2, "advise", "review", "-", "--top", "-1"), "--top -1")
}
