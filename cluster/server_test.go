package cluster

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"croupier/games/standard"

	"github.com/stretchr/testify/require"

	"croupier/internal/rundir"
	"croupier/internal/rundir/rundirtest"
	"croupier/messages"
	"croupier/messages/curves"
	"croupier/settings"
	"croupier/web"
)

// folder is a directory of runs with a server.
type folder struct {
	t    *testing.T
	path string
	runs *runList
	http.Handler
}

func newFolder(t *testing.T) *folder {
	path := filepath.Join(t.TempDir(), "runs")
	quiet := slog.New(slog.DiscardHandler)
	runs := newRunList(standard.Games, path, true, quiet)
	server := RunsServer{Catalog: standard.Games, Dir: path, Log: quiet}
	return &folder{t, path, runs, server.handler(t.Context(), runs, nil)}
}

// ended makes the directory of a run that has ended in order.
func (f *folder) ended(name, game string, points int) string {
	f.t.Helper()
	dir := filepath.Join(f.path, name)
	id, err := rundir.ID(dir)
	if err != nil {
		id = "other" // of a directory that was given another name
	}
	rundirtest.Create(f.t, dir, rundir.Info{ID: id, Game: game, Seed: 1, Created: time.Now().UTC()})
	config, err := settings.Default(standard.Games, game)
	require.NoError(f.t, err)
	config.Run = id
	doc, err := config.Encode()
	require.NoError(f.t, err)
	f.write(name, rundir.ConfigFile, string(doc))
	f.write(name, "ladder.json", `{"game": "`+game+`", "scale": {"kind": "elo", "unit": "Elo", "zero": "hold(20)", "decimals": 0},
		"agents": [{"name": "greedy:main@8", "kind": "network", "rating": 42, "low": 30, "high": 54, "games": 400, "best": true}], "payoff": []}`)
	f.write(name, "checkpoints/manifest.json",
		`{"checkpoints": [{"file": "000000000009.safetensors", "version": 9, "samples": 4000, "games": 300, "seconds": 1800}]}`)
	w, err := curves.Open(filepath.Join(dir, rundir.CurvesFile))
	require.NoError(f.t, err)
	for i := range points {
		data, err := messages.Encode(&messages.Points{Schema: messages.SchemaVersion, Source: "learner", Seconds: float64(i),
			Samples: uint64(100 * i), Points: []*messages.Point{{Series: "entropy", Value: 1 / float64(i+1)}}})
		require.NoError(f.t, err)
		require.NoError(f.t, w.Append(uint64(i+1), data))
	}
	require.NoError(f.t, w.Close())
	require.NoError(f.t, rundir.Begin(dir))
	require.NoError(f.t, rundir.End(dir, ""))
	return dir
}

func (f *folder) write(run, file, content string) {
	path := filepath.Join(f.path, run, file)
	require.NoError(f.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(f.t, os.WriteFile(path, []byte(content), 0o644))
}

func (f *folder) ask(method, path, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = "localhost"
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	return w
}

// get answers with the JSON of a path.
func get[T any](f *folder, path string) (v T) {
	f.t.Helper()
	w := f.ask("GET", path, "")
	require.Equal(f.t, http.StatusOK, w.Code, "%s: %s", path, w.Body)
	require.NoError(f.t, json.Unmarshal(w.Body.Bytes(), &v))
	return v
}

func (f *folder) list() map[string]web.RunSummary {
	f.t.Helper()
	byID := map[string]web.RunSummary{}
	for _, r := range get[[]web.RunSummary](f, "/api/runs") {
		byID[r.ID] = r
	}
	return byID
}

type runAnswer struct {
	Run, Game, Config string
	Connected         bool
	CaughtUp          bool `json:"caught_up"`
	Ending            *web.Ending
}

type curvesAnswer struct {
	Curves []struct {
		Series string
		Points [][]float64
	}
}

func TestHubShowsARunThatHasEnded(t *testing.T) {
	f := newFolder(t)
	require.Empty(t, f.list(), "a directory that is not there has no runs")
	f.ended("evening", "pig", 20)
	run := f.list()["evening"]
	require.Equal(t, "ended", run.State)
	require.Equal(t, "pig", run.Game)
	require.Equal(t, "/runs/evening", run.Root)
	require.Equal(t, 1800.0, run.Seconds)
	require.EqualValues(t, 300, run.Games)
	require.Equal(t, "greedy:main@8", run.Best)
	require.Equal(t, 42.0, run.Rating.Value)
	require.Positive(t, run.Bytes)
	require.True(t, run.Deletable)
	require.Empty(t, run.Problem)
	require.WithinDuration(t, time.Now(), run.Ended, time.Minute)

	shown := get[runAnswer](f, "/runs/evening/api/run")
	require.Equal(t, "pig", shown.Game)
	require.True(t, shown.Connected)
	require.Contains(t, shown.Config, "game: pig")
	require.Equal(t, "ended", shown.Ending.State)
	require.Equal(t, "greedy:main@8", shown.Ending.Best)
	require.Empty(t, shown.Ending.Note)
	kept := get[curvesAnswer](f, "/runs/evening/api/curves")
	require.Equal(t, "entropy", kept.Curves[0].Series)
	require.Len(t, kept.Curves[0].Points, 20)
	require.Equal(t, "greedy:main@8", get[messages.Ladder](f, "/runs/evening/api/ladder").Agents[0].Name)

	page := f.ask("GET", "/runs/evening/league", "").Body.String()
	require.Contains(t, page, `data-root="/runs/evening" data-run="evening"`)
	require.Contains(t, page, `href="/runs/evening/cluster"`)
	require.Contains(t, page, `<span id="game">Pig</span>`, "people read the title of a game")
	require.Equal(t, "Pig", get[map[string]any](f, "/runs/evening/api/run")["title"])
	for _, r := range get[[]web.RunSummary](f, "/api/runs") {
		if r.Game == "pig" {
			require.Equal(t, "Pig", r.Title)
		}
	}
	require.Contains(t, page, `href="/advice?run=evening"`)
	require.Contains(t, page, `src="/assets/league.js"`)
	require.Equal(t, http.StatusSeeOther, f.ask("GET", "/runs/evening", "").Code)
	require.Equal(t, http.StatusNotFound, f.ask("GET", "/runs/evening/nothing", "").Code)
	require.Equal(t, http.StatusOK, f.ask("GET", "/api/advice", "").Code, "without a run")
	require.Equal(t, http.StatusOK, f.ask("GET", "/advice?run=evening", "").Code)
}

// A process that was killed leaves a session without an end, and a broker's address that is not true.
func TestInterruptedRun(t *testing.T) {
	f := newFolder(t)
	dir := f.ended("night", "pig", 3)
	require.NoError(t, rundir.Begin(dir))
	_, err := rundir.WriteReach(dir, rundir.Reach{URL: "nats://me:secret@127.0.0.1:1"})
	require.NoError(t, err)
	require.Equal(t, "interrupted", f.list()["night"].State)
	require.Equal(t, "interrupted", get[runAnswer](f, "/runs/night/api/run").Ending.State)
	for _, path := range []string{"/api/runs", "/runs/night/", "/runs/night/api/run", "/runs/night/api/events"} {
		if path != "/runs/night/api/events" {
			require.NotContains(t, f.ask("GET", path, "").Body.String(), "secret")
		}
	}
}

// A run is listed and shown from the moment when its directory is there, which is some time before it trains: its page
// does not speak of a lost connection, and is asked to come again.
func TestRunThatIsStarting(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	dir := filepath.Join(f.path, "night")
	plan, err := Run{Catalog: standard.Games, Dir: dir, Game: "pig"}.Plan(t.Context())
	require.NoError(t, err)
	claim, err := plan.claim(messages.LearnerRole)
	require.NoError(t, err)
	run := f.list()["night"]
	require.Equal(t, "running", run.State)
	require.Empty(t, run.Problem)
	require.Equal(t, http.StatusOK, f.ask("GET", "/runs/night/", "").Code)
	shown := get[runAnswer](f, "/runs/night/api/run")
	require.True(t, shown.Connected)
	require.False(t, shown.CaughtUp)
	require.Equal(t, "pig", shown.Game)
	require.Nil(t, shown.Ending)

	require.NoError(t, rundir.Begin(dir))
	require.False(t, get[runAnswer](f, "/runs/night/api/run").Connected, "its broker should answer now")
	claim.Abandon()
	require.Empty(t, f.list())
}

// A running run whose broker does not answer is shown from its directory, and is not deleted.
func TestRunningRunThatCannotBeReached(t *testing.T) {
	f := newFolder(t)
	dir := f.ended("night", "pig", 3)
	lock, err := rundir.Lock(dir, messages.LearnerRole)
	require.NoError(t, err)
	require.NoError(t, rundir.Begin(dir))
	run := f.list()["night"]
	require.Equal(t, "running", run.State)
	require.False(t, run.Deletable)
	w := f.ask("DELETE", "/api/runs/night", "")
	require.Equal(t, http.StatusConflict, w.Code)
	require.Contains(t, w.Body.String(), "run night is running")
	shown := get[runAnswer](f, "/runs/night/api/run")
	require.False(t, shown.Connected)
	require.Nil(t, shown.Ending)

	require.NoError(t, lock.Close())
	require.NoError(t, rundir.End(dir, ""))
	require.Equal(t, "ended", get[runAnswer](f, "/runs/night/api/run").Ending.State,
		"what was opened before is not shown any more")
}

func TestBrokenRunsAreListedWithWhatIsWrong(t *testing.T) {
	for file, test := range map[string]struct{ content, want string }{
		"run.json":                  {"{", "run.json"},
		"session.json":              {`{"schema": 99}`, "newer version"},
		"config.yaml":               {"game: pig\nlearner: {horizon: many}\n", "config.yaml"},
		"ladder.json":               {`{"agents": 3}`, "ladder.json"},
		"checkpoints/manifest.json": {"[", "manifest.json"},
	} {
		t.Run(file, func(t *testing.T) {
			f := newFolder(t)
			f.ended("good", "pig", 2)
			f.ended("broken", "pig", 2)
			f.write("broken", file, test.content)
			list := f.list()
			require.Empty(t, list["good"].Problem)
			require.Contains(t, list["broken"].Problem, test.want)
			for _, path := range []string{"/runs/broken/", "/runs/broken/api/run", "/runs/broken/api/ladder",
				"/advice?run=broken",
				"/api/compare?run=good&run=broken"} {
				w := f.ask("GET", path, "")
				if w.Code != http.StatusOK {
					require.Contains(t, w.Body.String(), test.want, path)
				}
			}
			require.Equal(t, http.StatusNoContent, f.ask("DELETE", "/api/runs/broken", "").Code,
				"it can be deleted all the same")
		})
	}
}

func TestDamagedCurvesAreTold(t *testing.T) {
	f := newFolder(t)
	dir := f.ended("evening", "pig", 10)
	path := filepath.Join(dir, rundir.CurvesFile)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	text[len(text)/2] ^= 1
	require.NoError(t, os.WriteFile(path, text, 0o600))
	require.Contains(t, get[runAnswer](f, "/runs/evening/api/run").Ending.Note,
		"1 of 10 lines of its learning curves are damaged")
	require.Len(t, get[curvesAnswer](f, "/runs/evening/api/curves").Curves[0].Points, 9)

	older := f.ended("older", "pig", 1)
	require.NoError(t, os.Remove(filepath.Join(older, rundir.CurvesFile)))
	require.NoError(t, os.Remove(filepath.Join(older, "session.json")))
	shown := get[runAnswer](f, "/runs/older/api/run")
	require.Equal(t, "ended", shown.Ending.State)
	require.Contains(t, shown.Ending.Note, "were not kept")
}

func TestUnknownRuns(t *testing.T) {
	f := newFolder(t)
	f.ended("evening", "pig", 1)
	require.NoError(t, os.MkdirAll(filepath.Join(f.path, "nothing"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(f.path), "run.json"), []byte("{}"), 0o600))
	for _, id := range []string{"morning", "nothing", "..", ".", "", "%2e%2e", "..%2fruns%2fevening", "evening%2f..",
		`a\b`, "%00"} {
		for _, path := range []string{"/runs/" + id + "/api/run", "/advice?run=" + id, "/api/compare?run=" + id,
			"/api/advice?run=" + id} {
			w := f.ask("GET", path, "")
			if strings.Contains(path, "advice?run=") && id == "" {
				continue
			}
			require.NotEqual(t, http.StatusOK, w.Code, path)
			require.NotEqual(t, http.StatusInternalServerError, w.Code, path)
		}
		require.NotEqual(t, http.StatusNoContent, f.ask("DELETE", "/api/runs/"+id, "").Code, id)
	}
	require.Len(t, f.list(), 1)
}

func TestDelete(t *testing.T) {
	f := newFolder(t)
	dir := f.ended("evening", "pig", 5)
	outside := f.ended("outside", "pig", 1)
	moved := filepath.Join(t.TempDir(), "elsewhere")
	require.NoError(t, os.Rename(outside, moved))
	require.NoError(t, os.Symlink(moved, filepath.Join(f.path, "link")))
	require.NoError(t, os.Symlink(moved, filepath.Join(dir, "inside")))

	list := f.list()
	require.False(t, list["link"].Deletable)
	require.Equal(t, http.StatusOK, f.ask("GET", "/runs/link/api/run", "").Code, "a link is shown")
	w := f.ask("DELETE", "/api/runs/link", "")
	require.Equal(t, http.StatusConflict, w.Code)
	require.Contains(t, w.Body.String(), "is a link")

	foreign := httptest.NewRequest("DELETE", "/api/runs/evening", nil)
	foreign.Host = "localhost"
	foreign.Header.Set("Sec-Fetch-Site", "cross-site")
	refused := httptest.NewRecorder()
	f.ServeHTTP(refused, foreign)
	require.Equal(t, http.StatusForbidden, refused.Code)

	others := newRunList(standard.Games, f.path, false, slog.New(slog.DiscardHandler))
	require.ErrorIs(t, others.Delete("evening"), web.ErrNotHere)
	require.DirExists(t, dir)

	require.Equal(t, http.StatusOK, f.ask("GET", "/runs/evening/api/run", "").Code)
	require.Equal(t, http.StatusNoContent, f.ask("DELETE", "/api/runs/evening", "").Code)
	require.NoDirExists(t, dir)
	require.Equal(t, http.StatusNotFound, f.ask("GET", "/runs/evening/api/run", "").Code)
	require.FileExists(t, filepath.Join(moved, "run.json"), "what a link in it leads to stays")
	entries, err := os.ReadDir(f.path)
	require.NoError(t, err)
	require.Len(t, entries, 1, "only the link is left")
}

// A run that is taken away, or replaced, while it is open is not shown any longer.
func TestRunGoesWhileOpen(t *testing.T) {
	f := newFolder(t)
	dir := f.ended("evening", "pig", 5)
	opened, release, err := f.runs.Open("evening")
	require.NoError(t, err)
	defer release()
	require.NoError(t, os.RemoveAll(dir))
	require.Equal(t, http.StatusNotFound, f.ask("GET", "/runs/evening/api/run", "").Code)
	<-opened.Closed
	time.Sleep(10 * time.Millisecond) // so that the files have another time
	f.ended("evening", "kuhn", 2)
	require.Equal(t, "kuhn", get[runAnswer](f, "/runs/evening/api/run").Game)
	require.Equal(t, "kuhn", f.list()["evening"].Game)
}

func TestOddNames(t *testing.T) {
	f := newFolder(t)
	for _, name := range []string{"odd näme", "a%2Fb", "a&b=c", `<img src=x>`, "a?b#c", "日本"} {
		f.ended(name, "pig", 1)
		run, found := f.list()[name]
		require.True(t, found, name)
		require.Equal(t, "pig", get[runAnswer](f, run.Root+"/api/run").Game, name)
		page := f.ask("GET", run.Root+"/", "")
		require.Equal(t, http.StatusOK, page.Code, name)
		require.NotContains(t, page.Body.String(), "<img src=x>")
		require.Equal(t, http.StatusNoContent, f.ask("DELETE", strings.Replace(run.Root, "/runs/", "/api/runs/", 1), "").Code,
			name)
	}
}

func TestManyRuns(t *testing.T) {
	f := newFolder(t)
	dir := f.ended("run-0", "pig", 3)
	for i := 1; i < 300; i++ {
		require.NoError(t, os.CopyFS(filepath.Join(f.path, "run-"+string(rune('a'+i%26))+time.Duration(i).String()),
			os.DirFS(dir)))
	}
	before := f.list()
	require.Len(t, before, 300)
	path := filepath.Join(dir, "run.json")
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, make([]byte, info.Size()), 0o644))
	require.NoError(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
	require.Equal(t, before, f.list(), "what did not change, by length and time, is not read again")
}

func TestCompare(t *testing.T) {
	f := newFolder(t)
	f.ended("a", "pig", 2)
	f.ended("b", "pig", 2)
	f.ended("c", "kuhn", 2)
	text, err := os.ReadFile(filepath.Join(f.path, "b", rundir.ConfigFile))
	require.NoError(t, err)
	f.write("b", rundir.ConfigFile, strings.Replace(string(text), "gamma: 1\n", "gamma: 0.5\n", 1))
	c := get[web.Comparison](f, "/api/compare?run=a&run=b")
	require.Equal(t, []web.ComparedSetting{{Key: "learner.gamma", Values: []string{"1", "0.5"}}}, c.Settings)
	require.Equal(t, []string{"greedy:main@8"}, c.Runs[1].Agents)
	require.Empty(t, c.Apart)
	require.NotEmpty(t, c.References)
	require.Contains(t, get[web.Comparison](f, "/api/compare?run=a&run=c").Apart, "a plays pig, c plays kuhn")
	require.Equal(t, http.StatusBadRequest, f.ask("GET", "/api/compare", "").Code)
}

// Names and notes are those of the run directory, and a page that others can open does not change them.
func TestRunsAreNamed(t *testing.T) {
	f := newFolder(t)
	dir := f.ended("night", "pig", 2)
	f.ended("day", "pig", 2)
	require.True(t, f.list()["night"].Nameable)
	name := func(body string) int { return f.ask("POST", "/api/runs/night/name", body).Code }
	require.Equal(t, http.StatusNoContent, name(`{"name": "lower rate", "note": "a\nb"}`))
	require.Equal(t, http.StatusConflict, name(`{"name": "higher rate"}`), "somebody has named it meanwhile")
	require.Equal(t, http.StatusUnprocessableEntity, name(`{"name": "\u0007", "before": {"name": "lower rate", "note": "a\nb"}}`))
	want := web.Label{Name: "lower rate", Note: "a\nb"}
	require.Equal(t, want, f.list()["night"].Label)
	c := get[web.Comparison](f, "/api/compare?run=night&run=day")
	require.Equal(t, want, c.Runs[0].Label)
	require.True(t, c.Runs[1].Nameable)
	require.Empty(t, c.Runs[1].Label)
	require.Contains(t, f.ask("GET", "/runs/night/", "").Body.String(), "lower rate")
	require.Contains(t, f.ask("GET", "/game/pig?run=night", "").Body.String(), ">lower rate</a>")
	require.Equal(t, http.StatusNotFound, f.ask("POST", "/api/runs/..%2fnight/name", `{}`).Code)

	f.write("night", rundir.LabelFile, `{"name": "a\u0007"}`)
	require.Contains(t, f.list()["night"].Problem, "label.json: name: a name is one line")
	require.Equal(t, http.StatusNoContent, name(`{"name": "mended"}`))
	require.Empty(t, f.list()["night"].Problem)

	open := newRunList(standard.Games, filepath.Dir(dir), false, slog.New(slog.DiscardHandler))
	require.ErrorIs(t, open.Relabel("night", web.Label{Name: "mended"}, web.Label{}), web.ErrNotHere)
	open.trainings = newTrainings(open, nil)
	require.NoError(t, open.Relabel("night", web.Label{Name: "mended"}, web.Label{}), "who may train may name")
}

func TestTournamentRefuses(t *testing.T) {
	f := newFolder(t)
	f.ended("a", "pig", 2)
	f.ended("c", "kuhn", 2)
	for body, want := range map[string]string{
		"{": "the question: its JSON is cut off",
		`{"agents": [{"run": "a", "agent": "main@8"}], "games": 10}`:                                  "2 to 12 agents",
		`{"agents": [{"run": "a", "agent": "main@8"}, {"agent": "random"}], "games": 0}`:              "games for a pair",
		`{"agents": [{"run": "a", "agent": "main@8"}, {"run": "c", "agent": "main@8"}], "games": 10}`: "a plays pig, c plays kuhn",
		`{"agents": [{"run": "a", "agent": "main@8"}, {"agent": "random"}], "games": 10}`:             "has no version main@8",
		`{"agents": [{"run": "a", "agent": "file:/etc/passwd"}, {"agent": "random"}], "games": 10}`:   "does not look like main@12",
		`{"agents": [{"run": "x", "agent": "main@8"}, {"agent": "random"}], "games": 10}`:             "no such run",
		`{"agents": [{"agent": "file:/etc/passwd"}, {"run": "a", "agent": "main@8"}], "games": 10}`:   "files are not read here",
		`{"agents": [{"agent": "random"}, {"agent": "hold(20)"}], "games": 10}`:                       "none of the agents is of a run",
	} {
		w := f.ask("POST", "/api/tournament", body)
		require.Contains(t, w.Body.String(), want, body)
		require.Contains(t, w.Body.String(), `"error"`, body)
		require.NotContains(t, w.Body.String(), "root:", body)
	}
}

// The "?" of every page leads to a heading of a document that is there.
func TestEveryPageHasATopic(t *testing.T) {
	f := newFolder(t)
	f.ended("evening", "banluck", 2)
	f.ended("night", "pig", 2)
	paths := []string{"/", "/compare?run=evening&run=night", "/runs/evening/", "/runs/evening/league", "/runs/evening/cluster",
		"/runs/evening/banluck"}
	for _, m := range regexp.MustCompile(`<a href="(/[a-z]+)\?run=evening"`).FindAllStringSubmatch(
		f.ask("GET", "/runs/evening/", "").Body.String(), -1) {
		paths = append(paths, m[1])
	}
	require.Greater(t, len(paths), 11)
	topic := regexp.MustCompile(`<a class="help" href="([^"#?]*)[^"#]*#?([^"]*)"`)
	for _, path := range paths {
		found := topic.FindStringSubmatch(f.ask("GET", path, "").Body.String())
		require.NotNil(t, found, path)
		page := f.ask("GET", found[1], "")
		require.Equal(t, http.StatusOK, page.Code, path)
		if found[2] != "" {
			require.Contains(t, page.Body.String(), `id="`+found[2]+`"`, path)
		}
	}
}
