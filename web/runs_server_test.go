package web

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"croupier/games/standard"
	"croupier/internal/strict"
	"croupier/messages"
)

// testRuns are a directory with the run "evening", which can be deleted, and "live", which cannot. What else is asked
// for is not there; "broken" cannot be read.
type testRuns struct {
	opened  map[string]*View
	problem error
	held    int
	label   Label // of "live"
}

func newTestRuns(t *testing.T) *testRuns {
	kept := Kept{
		Config: []byte("game: bank\n"), Ladder: ladder(2), Newest: &messages.Pointer{Version: 2}, Live: true,
		Population: []*messages.Member{{Name: "main"}},
		Curves: []*messages.Points{{Source: "learner", Seconds: 3, Samples: 4096,
			Points: []*messages.Point{value("entropy", 0.5)}}},
	}
	r := &testRuns{opened: map[string]*View{
		"evening": {ID: "evening", Feed: NewKept("bank-7", nil, Kept{Config: []byte("- no settings"), Ladder: ladder(1),
			Ending: &Ending{State: "ended"}}, quiet)},
		"live": {ID: "live", Feed: NewKept("bank-8", nil, kept, quiet), Closed: make(chan struct{}),
			Pages: []Page{tumblerPage}},
	}}
	r.opened["live"].Label = func() Label { return r.label }
	return r
}

func (r *testRuns) List(context.Context) ([]RunSummary, error) {
	return []RunSummary{{ID: "live", Label: r.label, Root: RootOf("live"), Game: "bank"}}, r.problem
}

func (r *testRuns) Open(id string) (*View, func(), error) {
	if o := r.opened[id]; o != nil {
		r.held++
		return o, func() { r.held-- }, nil
	}
	if id == "broken" {
		return nil, nil, errors.New("its files cannot be read")
	}
	return nil, nil, fmt.Errorf("%s: %w", id, ErrNoSuchRun)
}

func (r *testRuns) Delete(id string) error {
	switch {
	case id == "live":
		return fmt.Errorf("it is running: %w", ErrNotNow)
	case id == "foreign":
		return ErrNotHere
	case r.opened[id] == nil:
		return ErrNoSuchRun
	}
	delete(r.opened, id)
	return nil
}

func (r *testRuns) Relabel(id string, before, after Label) error {
	switch {
	case id == "foreign":
		return ErrNotHere
	case before != r.label:
		return fmt.Errorf("%w: it is another", ErrNotNow)
	case after.Name == "no name":
		return strict.Errorf("name", "that is none")
	}
	r.label = after
	return nil
}

func (r *testRuns) Export(_ context.Context, id string) ([]byte, error) {
	if id == "live" {
		return []byte("weights"), r.problem
	}
	return nil, ErrNoSuchRun
}

// A directory of runs has a list, the pages of each run, and pages about none or one of them.
func TestHub(t *testing.T) {
	runs, registry := newTestRuns(t), prometheus.NewRegistry()
	h := NewRunsServer(Options{Log: quiet, Registerer: registry, Gatherer: registry,
		Boards: standard.Games.Boards(), Global: []Page{RulesPage(standard.Games, quiet)}},
		runs, []Page{RunsPage(runs, standard.Games, nil, quiet)}, []Page{tumblerPage})
	require.Contains(t, get(h, "GET", "/").Body.String(), `src="/assets/runs.js"`)
	require.Contains(t, get(h, "GET", "/api/runs").Body.String(), `"root":"/runs/live"`)
	require.Equal(t, "ok\n", get(h, "GET", "/healthz").Body.String())
	moved := get(h, "GET", "/runs/evening")
	require.Equal(t, http.StatusSeeOther, moved.Code)
	require.Equal(t, "/runs/evening/", moved.Header().Get("Location"))

	require.Contains(t, get(h, "GET", "/runs/evening/league").Body.String(), `href="/runs/evening/cluster"`)
	require.NotContains(t, get(h, "GET", "/runs/evening/").Body.String(), "Tumbler")
	require.Contains(t, get(h, "GET", "/runs/live/tumbler").Body.String(), `<h1>Tumbler</h1>`)
	require.Equal(t, http.StatusOK, get(h, "GET", "/assets/tumbler.js").Code)
	require.Contains(t, get(h, "GET", "/runs/live/api/ladder").Body.String(), "main@2")
	runs.opened["live"].Feed.SetLadder(ladder(3))
	require.Contains(t, get(h, "GET", "/runs/live/api/ladder").Body.String(), "main@3")
	require.Contains(t, get(h, "GET", "/runs/live/api/run").Body.String(), `"game":"bank"`)
	require.Contains(t, get(h, "GET", "/runs/evening/api/run").Body.String(), `"state":"ended"`)
	require.NotContains(t, get(h, "GET", "/rules").Body.String(), "/runs/live/league")
	require.Contains(t, get(h, "GET", "/rules?run=live").Body.String(), "/runs/live/league")

	for path, code := range map[string]int{
		"/runs/nothing/": 404, "/runs/nothing/api/run": 404, "/runs/broken/": 500, "/rules?run=nothing": 404,
		"/runs/evening/nothing": 404,
	} {
		require.Equal(t, code, get(h, "GET", path).Code, path)
	}
	for _, path := range []string{"/nothing", "/runs/nothing/", "/runs/evening/nothing", "/rules?run=nothing"} {
		w := get(h, "GET", path)
		require.Equal(t, "text/html; charset=utf-8", w.Header().Get("Content-Type"), path)
		require.Contains(t, w.Body.String(), "<h1>Not found</h1>", path)
		require.Equal(t, strings.HasPrefix(path, "/runs/evening"), strings.Contains(w.Body.String(), "/runs/evening/league"),
			"%s: the navigation is that of the run", path)
	}
	for _, path := range []string{"/api/nothing", "/runs/nothing/api/run", "/runs/evening/api/nothing"} {
		require.Equal(t, "application/json", get(h, "GET", path).Header().Get("Content-Type"), path)
	}
	require.Equal(t, http.StatusMethodNotAllowed, get(h, "POST", "/").Code)
	for id, code := range map[string]int{"live": 409, "foreign": 403, "nothing": 404, "evening": 204} {
		require.Equal(t, code, get(h, "DELETE", "/api/runs/"+id).Code, id)
	}
	runs.problem = errors.New("the directory cannot be read")
	require.Equal(t, http.StatusInternalServerError, get(h, "GET", "/api/runs").Code)
	require.Zero(t, runs.held, "all runs are released")
}

// A page that follows a run comes again when the run is no longer what it was: its stream ends.
func TestHubEndsStreamsOfClosedRuns(t *testing.T) {
	runs, registry := newTestRuns(t), prometheus.NewRegistry()
	closed := make(chan struct{})
	runs.opened["live"].Closed = closed
	server := httptest.NewServer(NewRunsServer(Options{Log: quiet, Registerer: registry, Gatherer: registry,
		Boards: standard.Games.Boards()},
		runs, []Page{RunsPage(runs, standard.Games, nil, quiet)}, []Page{tumblerPage}))
	defer server.Close()
	response, err := http.Get(server.URL + "/runs/live/api/events")
	require.NoError(t, err)
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	require.True(t, lines.Scan())
	close(closed)
	for lines.Scan() {
	}
	require.NoError(t, lines.Err(), "the stream ends in order")
}

// testComparer plays a tournament of two matches, or fails before or after the first.
type testComparer struct{ before, after error }

func (c testComparer) Compare(_ context.Context, runs []string) (*Comparison, error) {
	switch runs[0] {
	case "nothing":
		return nil, ErrNoSuchRun
	case "apart":
		return nil, errors.New("their games differ")
	}
	return &Comparison{Runs: []ComparedRun{{ID: runs[0]}}, References: []string{"random"}}, nil
}

func (c testComparer) Tournament(
	_ context.Context, _ []RunAgent, _ uint64, progress func(played, matches int),
) (*messages.Ladder, error) {
	if c.before != nil {
		return nil, c.before
	}
	progress(1, 2)
	progress(1, 2) // too soon after the first to be told
	return ladder(1), c.after
}

func compareServer(c testComparer) http.Handler { return newTestServer(ComparePage(c, quiet)) }

// Runs are compared by name; how a tournament of their agents goes is reported line by line.
func TestCompareAPI(t *testing.T) {
	h := compareServer(testComparer{})
	for query, want := range map[string]struct {
		code int
		text string
	}{
		"run=evening": {200, `"references":["random"]`}, "run=nothing": {404, "no such run"},
		"run=apart": {422, "their games differ"},
		"":          {400, "0 runs: name 1 to 12"}, strings.Repeat("run=x&", 13): {400, "13 runs"},
	} {
		w := get(h, "GET", "/api/compare?"+query)
		require.Equal(t, want.code, w.Code, query)
		require.Contains(t, w.Body.String(), want.text)
	}

	const question = `{"agents": [{"run": "evening", "agent": "main@1"}, {"agent": "random"}], "games": 10}`
	kind, text := streamed(t, h, "/api/tournament", question)
	require.Equal(t, "application/x-ndjson", kind)
	lines := strings.Split(strings.TrimSpace(text), "\n")
	require.Len(t, lines, 2)
	require.JSONEq(t, `{"played": 1, "matches": 2}`, lines[0])
	require.Contains(t, lines[1], `"ladder":{`)
	for body, code := range map[string]int{`{"agents": [], "games": 10}`: 422,
		strings.Replace(question, "10", "0", 1): 422, `{`: 400} {
		require.Equal(t, code, tell(h, "/api/tournament", body).Code, body)
	}
	w := tell(compareServer(testComparer{before: errors.New("they never met")}), "/api/tournament", question)
	require.Equal(t, http.StatusUnprocessableEntity, w.Code)
	_, text = streamed(t, compareServer(testComparer{after: context.DeadlineExceeded}), "/api/tournament", question)
	require.Contains(t, text, `"error":"it was not over within 10m0s`)
}

// streamed sends a question to a server, as the answer is written while it is read.
func streamed(t *testing.T, h http.Handler, path, body string) (kind, text string) {
	t.Helper()
	server := httptest.NewServer(h)
	defer server.Close()
	response, err := http.Post(server.URL+path, "application/json", strings.NewReader(body))
	require.NoError(t, err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.Header.Get("Content-Type"), string(answer)
}

// slowComparer plays until end is closed.
type slowComparer struct {
	testComparer
	begun, end chan struct{}
}

func (c slowComparer) Tournament(context.Context, []RunAgent, uint64, func(int, int)) (*messages.Ladder, error) {
	close(c.begun)
	<-c.end
	return ladder(1), nil
}

// One tournament is played at a time.
func TestOneTournamentAtATime(t *testing.T) {
	c := slowComparer{begun: make(chan struct{}), end: make(chan struct{})}
	h := newTestServer(ComparePage(c, quiet))
	const question = `{"agents": [{"agent": "a"}, {"agent": "b"}], "games": 1}`
	done := make(chan string)
	go func() {
		_, text := streamed(t, h, "/api/tournament", question)
		done <- text
	}()
	<-c.begun
	w := tell(h, "/api/tournament", question)
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
	require.Contains(t, w.Body.String(), "another tournament is being played")
	close(c.end)
	require.Contains(t, <-done, `"ladder":{`)
}

// The page of the drills lists its games and deals.
func TestDrillAPI(t *testing.T) {
	h := newTestServer(DrillPage(testDriller{}, quiet))
	require.Contains(t, get(h, "GET", "/api/drill").Body.String(), `"title":"Pig"`)
	require.Equal(t, http.StatusOK, tell(h, "/api/drill", `{"game": "pig", "difficulty": "easy"}`).Code)
	require.Equal(t, http.StatusUnprocessableEntity, tell(h, "/api/drill", `{"game": "pig", "difficulty": "cruel"}`).Code)
}

// The companion and the page of rules need nothing but themselves.
func TestPagesWithoutARun(t *testing.T) {
	h, _ := handler(NewFeed(newTrial(t).bus, "bank-1", nil, quiet), func(o *Options) {
		o.Global = []Page{CompanionPage(), RulesPage(standard.Games, quiet), ReplayPage(standard.Games.New, assessing, quiet)}
	})
	for path, title := range map[string]string{"/companion": "Companion", "/rules": "Rules", "/replay": "Replay"} {
		require.Contains(t, get(h, "GET", path).Body.String(), title, path)
	}
	require.Contains(t, get(h, "GET", "/api/rules").Body.String(), `"bank"`)
	require.Equal(t, http.StatusUnsupportedMediaType, get(h, "POST", "/api/rules").Code)
}

// A run gets a name, which its pages have in their title and at the top.
func TestRunsAreNamed(t *testing.T) {
	runs := newTestRuns(t)
	h := trainingServer(t, runs, nil)
	require.NotContains(t, get(h, "GET", "/runs/live/").Body.String(), `class="named"`)
	for body, want := range map[string]struct {
		status int
		text   string
	}{
		`{"name": "a", "before": {"name": "b"}}`: {http.StatusConflict, "it is another"},
		`{"name": "no name"}`:                    {http.StatusUnprocessableEntity, `"field":"name"`},
		`{"title": "a"}`:                         {http.StatusBadRequest, "title"},
	} {
		w := order(h, "/api/runs/live/name", body)
		require.Equal(t, want.status, w.Code, body)
		require.Contains(t, w.Body.String(), want.text, body)
	}
	require.Equal(t, http.StatusForbidden, order(h, "/api/runs/foreign/name", "{}").Code)
	w := order(h, "/api/runs/live/name", `{"name": "<b>lower rate", "note": "why", "before": {}}`)
	require.Equal(t, http.StatusNoContent, w.Code, w.Body)
	require.Contains(t, get(h, "GET", "/api/runs").Body.String(), `"name":"\u003cb\u003elower rate","note":"why"`)
	page := get(h, "GET", "/runs/live/").Body.String()
	require.Contains(t, page, `<span class="named" title="why">&lt;b&gt;lower rate</span>`)
	require.Contains(t, page, `<title>Training · &lt;b&gt;lower rate · Croupier</title>`)
	require.Contains(t, get(h, "GET", "/runs/evening/").Body.String(), "· evening ·")
}
