package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"croupier/archive"
	"croupier/engine"
	"croupier/engine/history"
	"croupier/games/standard"
	"croupier/internal/seed"
	"croupier/messages"
	"croupier/web/webtest"
)

// oneArchive has the archive of one run.
type oneArchive struct{ dir string }

func (o oneArchive) Archive(_ context.Context, run string) (*KeptGames, error) {
	if run != "" && run != "bank-1" {
		return nil, errors.New("there is no such run")
	}
	return &KeptGames{Run: "bank-1", Game: "kuhn", Unit: "antes", Money: true, LimitBytes: 1 << 20,
		Archive: archive.Read(o.dir), Catalog: standard.Games}, nil
}

func (o oneArchive) Review(_ context.Context, _ string, id archive.ID) (*archive.Review, error) {
	r := archive.Review{Judge: "solver:equilibrium", Loss: 0.25, Unit: "antes", Step: 3, Seat: 0, Taken: "pass",
		Best: "bet"}
	return &r, archive.AddReviews(o.dir, map[archive.ID]archive.Review{id: r})
}

// keepKuhn fills an archive with games of Kuhn poker: every third is of training.
func keepKuhn(t testing.TB, n int) oneArchive {
	dir := t.TempDir()
	w, _, err := archive.Open(dir, 1<<20)
	require.NoError(t, err)
	game, err := standard.Games.New("kuhn", nil)
	require.NoError(t, err)
	simulator, err := history.NewSimulator(game)
	require.NoError(t, err)
	random := engine.BotFunc(func(_ engine.State, legal []int, rng *engine.RNG) int { return legal[rng.IntN(len(legal))] })
	for i := range n {
		var rec history.Record
		require.NoError(t, simulator.Play(uint64(i), []engine.Bot{random, random}, &rec))
		g := &archive.Game{Game: "kuhn", Rules: []byte("{}"), Seed: seed.Number(i), Width: 1}
		g.Time, g.Steps, g.Returns = time.Unix(int64(1e9+i), 0), len(rec.History), rec.Returns
		g.Agents = []archive.Agent{{Name: fmt.Sprint("main@", i%3+1)}, {Name: "random"}}
		for _, step := range rec.History {
			g.History = messages.AppendStep(g.History, 1, step)
		}
		require.NoError(t, w.Add([]archive.Class{archive.Arena, archive.Best, archive.Training}[i%3], g))
	}
	require.NoError(t, w.Close())
	return oneArchive{dir}
}

func TestGamesAPI(t *testing.T) {
	mux := http.NewServeMux()
	for pattern, handler := range GamesPage(keepKuhn(t, 90), quiet).API {
		mux.Handle(pattern, handler)
	}
	ask := func(method, path, kind string, answer any) int {
		t.Helper()
		request := httptest.NewRequest(method, path, nil)
		request.Header.Set("Content-Type", kind)
		recorder := httptest.NewRecorder()
		mux.ServeHTTP(recorder, request)
		require.NoError(t, json.Unmarshal(recorder.Body.Bytes(), answer), recorder.Body.String())
		return recorder.Code
	}
	require.Equal(t, http.StatusOK, ask("GET", "/api/games", "", &struct{}{}))
	var found struct {
		Run        string
		Total      int
		Bytes      int64
		LimitBytes int64 `json:"limit_bytes"`
		Games      []struct{ ID string }
	}
	require.Equal(t, http.StatusOK, ask("GET", "/api/games?run=bank-1&agent=main@2&against=random&limit=7&offset=3", "",
		&found))
	require.Equal(t, "bank-1", found.Run)
	require.Equal(t, 30, found.Total)
	require.Len(t, found.Games, 7)
	require.EqualValues(t, 1<<20, found.LimitBytes)
	require.Positive(t, found.Bytes)
	var game struct {
		ID, History string
		Seed        uint64
	}
	require.Equal(t, http.StatusOK, ask("GET", "/api/games/"+found.Games[0].ID, "", &game))
	require.Equal(t, found.Games[0].ID, game.ID)
	var rec history.Record
	require.NoError(t, history.Decode([]byte(game.History), &rec))
	require.EqualValues(t, game.Seed, *rec.Seed)
	require.Equal(t, http.StatusOK, ask("POST", "/api/games/"+game.ID+"/review", "application/json", &struct{}{}))
	require.Equal(t, http.StatusOK, ask("GET", "/api/games?sort=worst", "", &found))
	require.Len(t, found.Games, 1)
	require.Equal(t, game.ID, found.Games[0].ID)
	for _, wrong := range []struct {
		method, path, kind string
		status             int
		message            string
	}{
		{"GET", "/api/games?run=other", "", 422, "there is no such run"},
		{"GET", "/api/games?limit=many", "", 422, `limit: "many" is not a whole number`},
		{"GET", "/api/games?limit=501", "", 422, "limit: 501 is not in 1..500"},
		{"GET", "/api/games?limit=0", "", 422, "limit: 0 is not in 1..500"},
		{"GET", "/api/games?offset=9999", "", 422, "offset and limit: they must be at most 10000 together"},
		{"GET", "/api/games?result=won", "", 422, "against and result are of an agent: say which"},
		{"GET", "/api/games?sort=fun", "", 422, `sort: "fun" is not one of newest, longest, worst`},
		{"GET", "/api/games/x", "", 422, `invalid ID of a game "x": it must look like a12.345`},
		{"GET", "/api/games/a7.1", "", 404, "game a7.1: " + archive.ErrNoGame.Error()},
		{"POST", "/api/games/a1.0/review", "text/plain", 415, "questions are application/json"},
	} {
		var p problem
		require.Equal(t, wrong.status, ask(wrong.method, wrong.path, wrong.kind, &p), wrong.path)
		require.Equal(t, wrong.message, p.Error)
	}
}

// Somebody looks for games, has one judged, and follows a link to a cell of the payoff matrix.
func TestGamesPage(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	server := serveHandler(t, NewServer(Options{
		Feed: newTrial(t).follow(), Log: quiet, Registerer: registry, Gatherer: registry, Boards: standard.Games.Boards(),
		Pages: []Page{GamesPage(keepKuhn(t, 90), quiet)},
	}), "127.0.0.1:0")
	b := webtest.NewBrowser(t, 360, 800)
	rows := `document.querySelectorAll(".games-found > li").length`
	b.Do(chromedp.Navigate("http://" + server.address + "/games"))
	b.Until(rows + " === 50")
	b.Click("#further")
	b.Until(rows + " === 90")
	require.LessOrEqual(t, webtest.Evaluate[int](b, "document.documentElement.scrollWidth - innerWidth"), 0)
	b.Do(chromedp.SendKeys("#agent", "main@2"), chromedp.SetValue("#sort", "worst"), chromedp.SendKeys("#agent", kb.Enter))
	b.Until(`document.getElementById("found").textContent.startsWith("none of these games has been judged yet")`)
	count := func() string { return webtest.Evaluate[string](b, `document.getElementById("count").textContent`) }
	require.Equal(t, "0 judged of 30 games", count())
	b.Click("#judge-more")
	b.Until(rows + " === 10")
	require.Equal(t, "10 judged of 30 games", count())
	require.Regexp(t, `^−0\.250 antes, step \d+: main@2 chose `, webtest.Evaluate[string](
		b, `document.querySelector(".games-found .about:has(.mistake)").textContent`), "whose mistake it was")
	b.Do(chromedp.SetValue("#sort", "newest"), chromedp.SendKeys("#agent", kb.Enter))
	b.Until(rows + " === 30")
	require.Regexp(t, `^\?run=bank-1&agent=main%402$`, webtest.Evaluate[string](b, "location.search"))
	b.Click(".games-found li:first-child button")
	b.Until(`document.querySelector(".games-found li .mistake")?.textContent === "−0.250 antes"`)
	link := webtest.Evaluate[string](b, `document.querySelector(".games-found .do a").getAttribute("href")`)
	require.Regexp(t, `^/replay\?run=bank-1&game=b1\.\d+&step=3$`, link)
	b.Axe()
	b.Scheme("dark")
	b.Axe()
	b.Keep("games-phone-dark")
	b.Do(chromedp.Navigate("http://" + server.address + "/games?run=bank-1&agent=main@1&against=random&result=lost"))
	b.Until(rows + " > 0")
	require.Equal(t, "random", webtest.Evaluate[string](b, `document.getElementById("against").value`))
	require.Equal(t, "lost", webtest.Evaluate[string](b, `document.getElementById("result").value`))
	b.Clean()
	b.Do(chromedp.Navigate("http://" + server.address + "/games?run=other"))
	b.Until(`document.getElementById("problem").textContent === "There is no such run."`)
}
