package web

import (
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"croupier/web/webtest"
)

// tumblerPage is a page with all that a page can have. Its API answers with what it was asked.
var tumblerPage = Page{
	Name: "tumbler", Path: "/tumbler", Title: "Tumbler",
	Template: `{{define "content"}}<h1>Tumbler</h1><p id="sum">nothing yet</p><script>document.title = "inline"</script>{{end}}`,
	Assets: fstest.MapFS{
		"tumbler.js": {Data: []byte(`
			import { byId } from "./dom.js";
			import { sides } from "./sides.js";
			const answer = await fetch("/api/tumbler/throw", { method: "POST", body: String(sides) });
			byId("sum").textContent = await answer.text();
		`)},
		"sides.js":    {Data: []byte(`export const sides = 6;`)},
		"tumbler.css": {Data: []byte(`#sum { color: rgb(1, 2, 3); }`)},
	},
	API: map[string]http.Handler{
		"GET /api/tumbler": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") }),
		"POST /api/tumbler/throw": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			fmt.Fprintf(w, "%s sides", body)
		}),
	},
}

func withTumbler(o *Options) { o.Pages = []Page{tumblerPage} }

// One value brings the entry of the navigation, the page, its files and its API.
func TestPageIsOneValue(t *testing.T) {
	h, _ := handler(NewFeed(newTrial(t).bus, "bank-1", nil, quiet), withTumbler)
	for _, p := range append([]Page{tumblerPage}, runPages...) {
		require.Contains(t, get(h, "GET", p.Path).Body.String(), `<a href="/tumbler"`, p.Name)
	}
	page := get(h, "GET", "/tumbler").Body.String()
	require.Contains(t, page, `aria-current="page">Tumbler`)
	require.Contains(t, page, `<script type="module" src="/assets/tumbler.js">`)
	require.Contains(t, page, `<link rel="stylesheet" href="/assets/tumbler.css">`)
	require.Contains(t, page, `<p id="sum">nothing yet</p>`)
	require.NotContains(t, get(h, "GET", "/").Body.String(), "tumbler.css", "it is of the other page")
	for name, kind := range map[string]string{"tumbler.js": "text/javascript", "sides.js": "text/javascript",
		"tumbler.css": "text/css"} {
		w := get(h, "GET", "/assets/"+name)
		require.Equal(t, http.StatusOK, w.Code, name)
		require.Contains(t, w.Header().Get("Content-Type"), kind, name)
		require.Equal(t, http.StatusNotModified, get(h, "GET", "/assets/"+name, "If-None-Match", w.Header().Get("ETag")).Code,
			name)
	}
	require.Equal(t, "{}", get(h, "GET", "/api/tumbler").Body.String())
	require.Equal(t, http.StatusOK, get(h, "POST", "/api/tumbler/throw").Code)
	require.Contains(t, get(h, "GET", "/metrics").Body.String(),
		`croupier_web_requests_total{code="200",route="/api/tumbler/throw"} 1`)

	without, _ := handler(NewFeed(newTrial(t).bus, "bank-1", nil, quiet), nil)
	for _, path := range []string{"/tumbler", "/assets/tumbler.js", "/api/tumbler"} {
		require.Equal(t, http.StatusNotFound, get(without, "GET", path).Code, path)
	}
}

// A page cannot do without what guards the others.
func TestPagesAreGuarded(t *testing.T) {
	h, _ := handler(NewFeed(newTrial(t).bus, "bank-1", nil, quiet), withTumbler)
	for _, path := range []string{"/tumbler", "/assets/tumbler.js", "/api/tumbler"} {
		w := get(h, "GET", path)
		require.Contains(t, w.Header().Get("Content-Security-Policy"), "default-src 'none'; script-src 'self'", path)
		require.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"), path)
		require.Equal(t, http.StatusMethodNotAllowed, get(h, "DELETE", path).Code, path)
		foreign := httptest.NewRequest("GET", path, nil)
		foreign.Host = "evil.example"
		refused := httptest.NewRecorder()
		h.ServeHTTP(refused, foreign)
		require.Equal(t, http.StatusMisdirectedRequest, refused.Code, path)
	}
	require.Equal(t, http.StatusForbidden, get(h, "POST", "/api/tumbler/throw", "Sec-Fetch-Site", "cross-site").Code)
}

// The browser loads the page's own module and style, and no script that the template has slipped in.
func TestPageInTheBrowser(t *testing.T) {
	t.Parallel()
	h, _ := handler(newTrial(t).follow(), withTumbler)
	server := serveHandler(t, h, "127.0.0.1:0")
	b := webtest.NewBrowser(t, 1280, 900)
	b.Do(chromedp.Navigate("http://" + server.address + "/"))
	b.Click(`nav a[href="/tumbler"]`) // it leads to the first page of its group
	b.Until(`document.getElementById("sum")?.textContent === "6 sides"`)
	require.Equal(t, "rgb(1, 2, 3)", webtest.Evaluate[string](b, `getComputedStyle(document.getElementById("sum")).color`))
	require.NotEqual(t, "inline", webtest.Evaluate[string](b, `document.title`))
}

// Pages that cannot be served are an error of the program.
func TestWrongPagesPanic(t *testing.T) {
	for name, change := range map[string]func(*Page){
		"no module":          func(p *Page) { p.Name = "nothing" },
		"an asset of others": func(p *Page) { p.Assets = fstest.MapFS{"tumbler.js": {}, "dom.js": {}} },
		"a broken template":  func(p *Page) { p.Template = "{{" },
		"a path of others":   func(p *Page) { p.Path = "/league" },
		"an API elsewhere":   func(p *Page) { p.API = map[string]http.Handler{"GET /tumbler/api": http.NotFoundHandler()} },
		"unreadable assets":  func(p *Page) { p.Assets = fs.FS(fstest.MapFS{"tumbler.js/x": {}}) },
	} {
		t.Run(name, func(t *testing.T) {
			wrong := tumblerPage
			change(&wrong)
			require.Panics(t, func() {
				handler(NewFeed(newTrial(t).bus, "bank-1", nil, quiet), func(o *Options) { o.Pages = []Page{wrong} })
			})
		})
	}
}
