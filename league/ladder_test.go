package league

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/messages"
)

func testLadder(t *testing.T, best string) *messages.Ladder {
	s := &simulation{spec: testSpec(3), theta: strengths, rng: engine.NewRNG(1, 1)}
	standing, err := s.league(rated, 100).rate(rated, testKind, best)
	require.NoError(t, err)
	return standing.ladder
}

func TestLadderDocument(t *testing.T) {
	l := testLadder(t, "main@3")
	doc, err := l.JSON()
	require.NoError(t, err)
	var raw struct {
		Game   string
		Agents []map[string]any
		Payoff []map[string]any
	}
	require.NoError(t, json.Unmarshal(doc, &raw))
	require.Equal(t, "test", raw.Game)
	require.Len(t, raw.Agents, 5)
	require.Len(t, raw.Payoff, 20, "every two agents, both ways")
	for _, a := range raw.Agents {
		require.Subset(t, keys(a), []string{"name", "kind", "rating", "low", "high", "games", "best", "figures"})
		require.Len(t, a, 8)
		require.Len(t, a["figures"], 2)
		require.EqualValues(t, 4*600, a["games"])
		require.Equal(t, a["name"] == "main@3", a["best"])
	}
	require.Equal(t, "network", raw.Agents[0]["kind"])
	require.Equal(t, testSpec(3).Figures, l.Figures)
	for _, p := range raw.Payoff {
		require.Subset(t, keys(p), []string{"a", "b", "games", "mean_return_a", "low", "high"})
		require.EqualValues(t, 300, p["games"])
	}
	again, err := messages.ParseLadder(doc)
	require.NoError(t, err)
	require.Equal(t, l, again)
}

func keys(m map[string]any) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	return out
}

func TestLadderForPeople(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Render(&out, testLadder(t, "main@2")))
	require.Contains(t, out.String(), "best")
	require.Regexp(t, `1\s.*main@3\s.*network`, out.String())
	require.Contains(t, out.String(), "share of wins")
	require.Regexp(t, `agent\s+points\s+aces`, out.String())
	require.Regexp(t, `random\s+163 ± 10\s+0.053 ± 0.011`, out.String())
	require.NotRegexp(t, `(?m)^\s*bot\s.*random`, out.String(), "rows of others than the best and the newest")

	out.Reset()
	require.NoError(t, Render(&out, testLadder(t, "")))
	require.Regexp(t, `(?m)^\s*bot\s.*random`, out.String(), "without a best all rows are shown")

	out.Reset()
	require.NoError(t, Render(&out, &messages.Ladder{Game: "pig"}))
	require.Contains(t, out.String(), "pig")
}

func TestReadLadder(t *testing.T) {
	dir := t.TempDir()
	_, err := ReadLadder(dir)
	require.ErrorContains(t, err, "no ladder yet")
	l := testLadder(t, "main@1")
	require.NoError(t, writeLadder(dir, l))
	again, err := ReadLadder(dir)
	require.NoError(t, err)
	require.Equal(t, l, again)
	path := filepath.Join(dir, fileName)
	require.NoError(t, os.WriteFile(path, []byte("{"), 0o644))
	_, err = ReadLadder(dir)
	require.ErrorContains(t, err, path)
}
