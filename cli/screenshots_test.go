//go:build screenshots

package cli

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"croupier/games/standard"
	"croupier/web/webtest"
)

// pictures is where the documents have theirs.
const pictures = "../docs/images"

// TestScreenshots makes the pictures of the documents again; "make screenshots" runs it. It trains an
// agent for BANK! for a minute, and plays games to their middle.
func TestScreenshots(t *testing.T) {
	runs := t.TempDir()
	evening := filepath.Join(runs, "evening")
	succeed(t, "", "train", "bank", "--for", "60s", "--run", evening, "--listen", "off", "--quiet")
	at := showRuns(t, runs)
	b := webtest.NewBrowser(t, 1120, 760)
	require.NoError(t, os.MkdirAll(pictures, 0o755))
	shoot := func(name, path, ready string) {
		b.Do(chromedp.Navigate("about:blank"), chromedp.Navigate(at+path))
		b.Until(ready)
		b.Still()
		require.NoError(t, os.WriteFile(filepath.Join(pictures, name+".png"), b.Picture(), 0o644))
	}
	b.Scheme("light")
	shoot("training", "/runs/evening/", `document.querySelectorAll(".curve").length > 2`)
	shoot("league", "/runs/evening/league", `document.querySelectorAll(".ladder tbody tr").length > 3`)
	shoot("games", "/games?run=evening", `document.querySelectorAll("tbody tr").length > 0`)
	kept, _ := anyGame(t, at)
	shoot("replay", "/replay?run=evening&game="+kept+"&step=40", `document.querySelectorAll("#board *").length > 3 &&
		document.querySelector("#graph svg") !== null`)
	shoot("advice", "/advice", `document.querySelectorAll("#advised-game option").length > 5`)
	shoot("drill", "/drill", `document.querySelectorAll("#board *").length > 3`)
	shoot("rules", "/rules", `document.querySelectorAll(".rule").length > 0`)
	for _, entry := range standard.Games.Games() {
		place := middle(t, at, entry.Name)
		const ready = `document.getElementById("turn").textContent !== "" && document.querySelectorAll("#board *").length > 8`
		b.Scheme("light")
		shoot("board-"+entry.Name, place, ready)
		b.Resize(390, 844)
		b.Scheme("dark")
		shoot("board-"+entry.Name+"-phone", place, ready)
		b.Resize(1120, 760)
	}
	b.Clean()
}

// middle lays a table on which a game has come to a decision with a choice of the first seat, beyond the
// middle where there is one, and returns the page of that seat.
func middle(t *testing.T, at, game string) string {
	t.Helper()
	g, err := standard.Games.New(game, nil)
	require.NoError(t, err)
	line := succeed(t, "", "simulate", game, "--seed", "5", "--policy", installed.agentsOf(g, "").StrongestBot())
	var record struct{ History []int }
	require.NoError(t, json.Unmarshal([]byte(line), &record))
	seats := []any{map[string]string{"person": "You"}}
	for range g.Spec().Seats - 1 {
		seats = append(seats, map[string]string{"agent": installed.agentsOf(g, "").StrongestBot()})
	}
	s, step := g.NewState(), 0
	for i, taken := range record.History {
		choice := s.Player() == 0 && len(s.LegalActions(nil)) > 1
		if choice && (step == 0 || i <= len(record.History)*11/20) {
			step = i
		}
		require.NoError(t, s.Apply(taken))
	}
	body, err := json.Marshal(map[string]any{"game": game, "seats": seats, "pace": "none", "timeout_seconds": 0,
		"from": map[string]any{"history": strings.TrimSpace(line), "step": step}})
	require.NoError(t, err)
	response, err := http.Post(at+"/api/tables", "application/json", bytes.NewReader(body))
	require.NoError(t, err)
	defer response.Body.Close()
	var laid struct {
		Table, Error string
		Keys         []string
	}
	require.NoError(t, json.NewDecoder(response.Body).Decode(&laid))
	require.Equal(t, http.StatusOK, response.StatusCode, laid.Error)
	return "/play#" + url.Values{"table": {laid.Table}, "key": {laid.Keys[0]}}.Encode()
}
