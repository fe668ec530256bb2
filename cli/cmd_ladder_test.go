package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/rundir"
	"croupier/internal/rundir/rundirtest"
	"croupier/league/rating"
	"croupier/messages"
)

func TestLadderCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	ladder := func(o ladderOptions) (string, error) {
		var out bytes.Buffer
		err := showLadder(t.Context(), &o, &out)
		return out.String(), err
	}
	_, err := ladder(ladderOptions{})
	require.ErrorContains(t, err, "no run below runs")
	_, err = ladder(ladderOptions{run: "elsewhere"})
	require.ErrorIs(t, err, rundir.ErrNoRun)

	now := time.Unix(1_000_000_000, 0)
	for i, name := range []string{"older", "newer"} {
		created := now.Add(time.Duration(i) * time.Hour)
		rundirtest.Create(t, filepath.Join("runs", name), rundir.Info{ID: name, Game: "pig", Created: created})
	}
	_, err = ladder(ladderOptions{})
	require.ErrorContains(t, err, "no ladder yet")
	doc := `{"game": "pig", "agents": [{"name": "main@3", "kind": "network", "rating": 12, "low": -5, "high": 29, ` +
		`"games": 40, "best": true}], "payoff": []}`
	require.NoError(t, os.WriteFile(filepath.Join("runs", "newer", "ladder.json"), []byte(doc), 0o644))

	text, err := ladder(ladderOptions{})
	require.NoError(t, err)
	require.Regexp(t, `main@3\s.*12\s.*-5 … 29\s.*40\s.*best`, text)
	text, err = ladder(ladderOptions{json: true})
	require.NoError(t, err)
	var got, want map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &got))
	require.NoError(t, json.Unmarshal([]byte(doc), &want))
	// of a document without one
	want["scale"] = map[string]any{"kind": "elo", "unit": "Elo", "zero": messages.MeanZero, "decimals": 0.0}
	require.Equal(t, want, got)
}

func TestLadderAnalysis(t *testing.T) {
	t.Chdir(t.TempDir())
	succeed(t, "", "arena", "hold(20)", "hold(5)", "random", "--game", "pig", "--games", "300", "--out", "runs/cup")
	out := succeed(t, "", "ladder", "--run", "runs/cup", "--analysis")
	require.Regexp(t, `hold\(20\) +1\.000 `, out)
	require.Contains(t, out, "No three agents beat one another in a circle")
	var analysis rating.Analysis
	require.NoError(t, json.Unmarshal([]byte(succeed(t, "", "ladder", "--run", "runs/cup", "--analysis", "--json")),
		&analysis))
	require.Len(t, analysis.Agents, 3)
}
