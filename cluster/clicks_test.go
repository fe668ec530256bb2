package cluster

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"os/exec"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"croupier/archive"
	"croupier/games/standard"
	"croupier/web/webtest"
)

// What people come for most is few clicks away: whether a training has become better and when it is over, how strong
// the best is and how sure that is, its worst moment on the board, two runs side by side, and a seat at any game.
func TestClicks(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	for _, name := range []string{"evening", "night"} {
		keepPig(t, f.ended(name, "pig", 20), 20)
		f.write(name, "ladder.json", `{"game": "pig", "seats": 2, "scale": {"kind": "elo", "unit": "Elo", "zero": "hold(20)", "decimals": 0},
			"agents": [{"name": "greedy:main@8", "kind": "network", "rating": 42, "low": 30, "high": 54, "games": 400, "best": true},
				{"name": "hold(20)", "kind": "bot", "rating": 0, "low": 0, "high": 0, "games": 400}],
			"payoff": [{"a": "greedy:main@8", "b": "hold(20)", "games": 400, "share_a": 0.56,
				"share_low": 0.53, "share_high": 0.59}]}`)
	}
	quiet := slog.New(slog.DiscardHandler)
	judge(t, f.path+"/evening")
	j := newJudging(standard.Games, func(...string) *exec.Cmd { return saying("") }, f.runs.lookedAt, quiet)
	f.Handler = RunsServer{Catalog: standard.Games, Dir: f.path, Log: quiet}.handler(t.Context(), f.runs, j)
	server := httptest.NewServer(f)
	t.Cleanup(server.Close) // after the browser has left the page, whose requests it waits for
	b := webtest.NewBrowser(t, 1400, 900)
	task := func(begin, shown string, clicks ...string) {
		t.Helper()
		b.Do(chromedp.Navigate("about:blank"), chromedp.Navigate(server.URL+begin))
		for _, selector := range clicks {
			b.Until(`document.querySelector(` + "`" + selector + "`" + `) !== null`)
			b.Click(selector)
		}
		b.Until(shown)
	}
	const run = "/runs/evening/"
	task(run, `document.getElementById("summary").innerText.includes("Version 8 beats hold(20) (53.0") &&
		document.getElementById("ending").innerText.includes("Training ended")`)
	task(run, `document.getElementById("verdict").innerText.startsWith("Best: Version 8") &&
		document.querySelector(".ladder .forest [title], .ladder [title] .forest") !== null`, `nav a[href="/runs/evening/league"]`)
	task(run, `location.pathname === "/replay" && document.getElementById("board").children.length > 0 &&
		document.getElementById("caption").textContent.startsWith("Step ")`, "#moments-list a")
	task("/", `location.pathname === "/compare" && document.querySelectorAll("#charts .line").length >= 2`,
		`[data-tick="evening"]`, `[data-tick="night"]`, "#compare")
	task("/", `location.pathname === "/replay" && document.getElementById("board").children.length > 0`,
		`th a[href="/runs/evening/"]`, "#moments-list a")
	task("/game/pig", seated, `.doors a[href^="/play"]`, "#sit-down")
	for _, game := range standard.Games.Games() {
		task("/play", seated+` && document.querySelector("#board > *") !== null && document.querySelector("#sitting .you") !== null`,
			`#games input[value="`+game.Name+`"]`, "#sit-down")
	}
	b.Clean()
}

// judge enters a review of each game that the best version has lost.
func judge(t *testing.T, dir string) {
	t.Helper()
	found, err := archive.Read(dir).Find(context.Background(), archive.Query{Agent: "greedy:main@8", Result: archive.Lost,
		Purpose: archive.ArenaPurpose, Unjudged: true})
	require.NoError(t, err)
	require.NotEmpty(t, found.Games)
	reviews := map[archive.ID]archive.Review{}
	for i, g := range found.Games {
		m := archive.Mistake{Loss: 0.02 * float64(i+1), Step: g.Steps - 1, Seat: 0, Taken: "roll", Best: "hold"}
		reviews[g.ID] = archive.Review{Judge: "solver:optimal", Why: "exact solution", Unit: "win probability", Exact: true,
			Loss: m.Loss, Step: m.Step, Seat: m.Seat, Taken: m.Taken, Best: m.Best, Mistakes: []archive.Mistake{m}}
	}
	require.NoError(t, archive.AddReviews(dir, reviews))
}
