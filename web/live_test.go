package web

import (
	"io/fs"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"croupier/games/standard"
	"croupier/learner"
	"croupier/web/webtest"
)

// No page says for ever that it is connecting: it follows the run, or says nothing of it.
func TestNoPageKeepsConnecting(t *testing.T) {
	t.Parallel()
	pages := []Page{CompanionPage(), DrillPage(testDriller{}, quiet), RulesPage(standard.Games, quiet),
		ReplayPage(standard.Games.New, assessing, quiet)}
	h, _ := handler(newTrial(t).follow(), func(o *Options) { o.Global, o.Boards = pages, standard.Games.Boards() })
	server := serveHandler(t, h, "127.0.0.1:0")
	b := webtest.NewBrowser(t, 800, 600)
	for _, p := range append(pages, runPages...) {
		b.Do(chromedp.Navigate("http://" + server.address + p.Path))
		b.Until(`document.getElementById("link").dataset.state === "live" || document.getElementById("link").hidden`)
	}
}

// A page whose stream is blocked shows what can be asked for, and says so.
func TestBlockedStream(t *testing.T) {
	t.Parallel()
	r := newTrial(t)
	r.train(0, 40)
	r.rate(3)
	registry := prometheus.NewRegistry()
	feed := r.follow()
	wait(t, feed, "the ladder", func(s *Snapshot) bool { return s.CaughtUp && s.Ladder != nil })
	inner := NewServer(Options{Feed: feed, Series: learner.Series(), Log: quiet, Registerer: registry,
		Gatherer: registry, Boards: standard.Games.Boards()})
	server := serveHandler(t, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path == "/api/events" {
			http.Error(w, "blocked", http.StatusForbidden)
			return
		}
		inner.ServeHTTP(w, q)
	}), "127.0.0.1:0")
	b := webtest.NewBrowser(t, 800, 600)
	b.Do(chromedp.Navigate("http://" + server.address))
	b.Until(`document.getElementById("banner").textContent.includes("receives no events")`)
	b.Until(entropyLine+` !== null`, func() { webtest.Evaluate[any](b, unfold) })
	before := webtest.Evaluate[int](b, entropyLine+`.getAttribute("d").length`)
	r.train(40, 30)
	b.Until(entropyLine + `.getAttribute("d").length > ` + strconv.Itoa(before))
	b.Do(chromedp.Navigate("http://" + server.address + "/league"))
	b.Until(`document.querySelectorAll(".ladder tbody tr").length === 7`)
}

// ofRun are the paths of a run's API.
var ofRun = regexp.MustCompile("[\"`]/api/(run|series|curves|league|ladder|roles|actors|events)\\b")

// Scripts ask for what is of a run below its root, which is not "/" where there are several.
func TestRunsAreAskedBelowTheirRoot(t *testing.T) {
	shared, err := fs.Sub(files, "assets")
	require.NoError(t, err)
	scripts, err := fs.Glob(shared, "*.js")
	require.NoError(t, err)
	found := 0
	for _, name := range scripts {
		text, err := fs.ReadFile(shared, name)
		require.NoError(t, err)
		for _, at := range ofRun.FindAllIndex(text, -1) {
			before := string(text[:at[0]])
			line := before[strings.LastIndex(before, "\n")+1:]
			if strings.HasPrefix(strings.TrimSpace(line), "*") || name == "stream.js" && strings.Contains(line, "[") {
				continue // in a comment, or in the list whose parts stream.js asks for by part
			}
			require.Regexp(t, `(\brooted\(|\brun\.root \+ |\bawait (part|ofEach)\()$`, line, "%s asks for %s", name, text[at[0]:at[1]])
			found++
		}
	}
	require.Positive(t, found)
}
