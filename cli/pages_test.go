package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"croupier/cluster"
	"croupier/games/standard"
	"croupier/internal/nightly"
	"croupier/sweep"
	"croupier/web"
	"croupier/web/webtest"
)

// showRuns serves the page of the runs in a directory, and returns where.
func showRuns(t *testing.T, dir string) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	quiet := slog.New(slog.DiscardHandler)
	hub := cluster.RunsServer{
		Catalog: standard.Games,
		Dir:     dir, Page: cluster.Page{Listener: listener}, Home: []web.Page{sweep.Page(standard.Games, dir, quiet)},
		Log: quiet,
	}
	go func() { done <- hub.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-done)
	})
	return "http://" + listener.Addr().String()
}

// Every page fits every window, and axe finds nothing on it, light and dark. The layout is that of both schemes. Of the
// four combinations of scheme and window, axe sees two for each change, in which both schemes and both windows are
// there, and all of them in the nightly list. Pages that axe sees in the tests of package web, in both schemes, it sees
// here in the nightly list alone: they are large, and axe takes seconds for them. With go test -artifacts the pictures
// are kept.
func TestEveryPageFits(t *testing.T) {
	t.Parallel()
	runs := t.TempDir()
	for _, name := range []string{"evening", "night"} {
		require.NoError(t, os.Rename(trained(t), filepath.Join(runs, name)))
	}
	require.NoError(t, os.CopyFS(filepath.Join(runs, "rates"), os.DirFS("testdata/sweep")))
	at := showRuns(t, runs)
	game, match := anyGame(t, at)
	b := webtest.NewBrowser(t, 1280, 900)
	for _, page := range []struct{ name, path, ready string }{
		{"rules", "/rules", `document.querySelectorAll(".rule").length > 0`},
		{"runs", "/", `document.querySelectorAll("tbody tr").length === 2`},
		{"sweeps", "/sweeps", `document.querySelectorAll("tbody tr").length === 8 && document.querySelectorAll(".curve").length === 2`},
		{"compare", "/compare?run=evening&run=night", `document.querySelectorAll(".curve").length > 2`},
		{"training", "/runs/evening/", `document.querySelectorAll(".curve").length > 2`},
		{"league", "/runs/evening/league", `document.querySelectorAll(".ladder tbody tr").length > 3`},
		{"cluster", "/runs/evening/cluster", `document.querySelector("#main pre") !== null`},
		{"play", "/play?game=tysiac", `document.querySelectorAll("#seats select").length === 2 && !document.getElementById("seating").hidden`},
		{"games", "/games?run=evening&match=" + match, `document.querySelectorAll("tbody tr").length > 0`},
		{"replay", "/replay?run=evening&game=" + game, `document.querySelectorAll("#board *").length > 3`},
		{"advice", "/advice", `document.querySelectorAll("#advised-game option").length > 5`},
		{"drill", "/drill", `document.querySelectorAll("#board *").length > 3`},
		{"companion", "/companion", `document.querySelectorAll("#companion-game option").length > 1`},
	} {
		look := func(window, scheme string) {
			b.Scheme(scheme)
			if nightly.On || !seenInWeb[page.name] && (window == "desk") == (scheme == "light") {
				b.Axe()
			}
			b.Keep(page.name + "-" + window + "-" + scheme)
		}
		b.Scheme("light")
		b.Resize(1280, 900)
		b.Do(chromedp.Navigate(at + page.path))
		b.Until(page.ready)
		look("desk", "dark")
		look("desk", "light")
		for _, width := range []int64{1024, 768, 390, 320} {
			b.Resize(width, 800)
			requireFits(t, b, page.name, width)
			if width >= 768 {
				require.Empty(t, webtest.Evaluate[string](b, clipped), "tables that are wider than their cards: %s at %d pixels",
					page.name, width)
			}
		}
		look("phone", "light")
		look("phone", "dark")
	}
	b.Clean()
}

// clipped names what is scrolled sideways in its card, but for the payoff matrix, which has a row and a column for each
// agent, and settings of runs side by side.
const clipped = `[...document.querySelectorAll(".scroll")].filter((e) => e.scrollWidth > e.clientWidth + 1 &&
	!["payoff", "settings"].includes(e.id)).map((e) => e.id || e.className).join(" ")`

// seenInWeb are the pages that axe sees in web.TestPagesFit and web.TestGamesPage.
var seenInWeb = map[string]bool{"training": true, "league": true, "cluster": true, "games": true}

// requireFits requires that the page is not wider than the window. It is given time, as it may still be laid out.
func requireFits(t *testing.T, b *webtest.Browser, name string, width int64) {
	t.Helper()
	// (A phone shows a page that is too wide as if its window were wider.)
	fits := func() bool { return webtest.Evaluate[int64](b, "document.documentElement.scrollWidth") <= width }
	for end := time.Now().Add(patience); !fits(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			require.Fail(t, "the page is too wide", "%s for %d pixels, because of %s", name, width, tooWide(b, width))
		}
	}
}

// tooWide names the innermost elements that reach beyond the window.
func tooWide(b *webtest.Browser, width int64) string {
	beyond := fmt.Sprintf("getBoundingClientRect().right > %d", width)
	return webtest.Evaluate[string](b, `[...document.querySelectorAll("#main *")].filter((e) => e.`+beyond+
		` && ![...e.children].some((c) => c.`+beyond+`)).slice(0, 5).map((e) => e.outerHTML.slice(0, 150)).join(" ")`)
}

// The page of all runs answers a question that names no run as the terminal does, byte for byte: with
// the versions of the newest run of the game.
func TestPageAndTerminalKnowTheSameRun(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("runs", 0o755))
	require.NoError(t, os.Rename(trained(t), filepath.Join("runs", "evening")))
	at := showRuns(t, "runs")
	const position = `{"card":"Q","moves":["bet"]}`
	for _, agent := range []string{"main@1", ""} {
		question := fmt.Sprintf(`{"game": "kuhn", "agent": %q, "position": %s}`, agent, position)
		response, err := http.Post(at+"/api/advice", "application/json", strings.NewReader(question))
		require.NoError(t, err)
		page, err := io.ReadAll(response.Body)
		response.Body.Close()
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, response.StatusCode, string(page))
		status, terminal, stderr := croupier(position, "advise", "kuhn", "--position", "-", "--json", "--agent", agent)
		require.Zero(t, status, stderr)
		require.Equal(t, terminal, string(page), agent)
	}
}

// anyGame returns a game that the run evening has kept, and its match, of which there are fewer games on a page than of
// all.
func anyGame(t *testing.T, at string) (game, match string) {
	t.Helper()
	response, err := http.Get(at + "/api/games?run=evening&purpose=arena&limit=1")
	require.NoError(t, err)
	defer response.Body.Close()
	var list struct {
		Games []struct {
			ID    string `json:"id"`
			Match string `json:"match"`
		} `json:"games"`
	}
	require.NoError(t, json.NewDecoder(response.Body).Decode(&list))
	require.NotEmpty(t, list.Games, "the run has kept no game")
	return list.Games[0].ID, list.Games[0].Match
}
