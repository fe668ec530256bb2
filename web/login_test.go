package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"croupier/games/standard"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"

	"croupier/internal/login"
	"croupier/play"
	"croupier/web/webtest"
)

const doorToken = "0123456789abcdef0123"

// guarded serves a run with a login, and tables.
func guarded(t *testing.T) http.Handler {
	r := newTrial(t)
	r.configure()
	hash, err := bcrypt.GenerateFromPassword([]byte("correct horse"), 10)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "users")
	require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, "ann:%s\n", hash), 0o600))
	users, err := login.ReadUsers(path, quiet)
	require.NoError(t, err)
	hall := play.NewHall(t.Context(), play.Options{Source: testSource{}, Limits: play.DefaultLimits(), Log: quiet})
	door, err := login.New(login.Options{Token: doorToken, Users: users, Log: quiet})
	require.NoError(t, err)
	h, _ := handler(r.follow(), func(o *Options) {
		o.Door = door
		o.Global = []Page{
			PlayPage(hall, testSource{}, testAdvisor{}, quiet), AdvicePage(testAdvisor{}, quiet),
			RulesPage(standard.Games, quiet), CompanionPage(),
		}
		o.Run = func() RunSummary { return RunSummary{} }
	})
	return h
}

// inside sends requests as somebody who has the token.
type inside struct{ http.Handler }

func (i inside) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Header.Set("Authorization", "Bearer "+doorToken)
	i.Handler.ServeHTTP(w, r)
}

// A visitor without a login gets nothing of the run: no page, no API, no metrics, and is not told what there is.
func TestPagesNeedTheLogin(t *testing.T) {
	h := guarded(t)
	for _, path := range []string{"/", "/league", "/cluster", "/advice", "/rules", "/companion", "/nothing"} {
		w := get(h, "GET", path)
		require.Equal(t, http.StatusSeeOther, w.Code, path)
		require.True(t, strings.HasPrefix(w.Header().Get("Location"), "/login?next="), path)
	}
	for _, path := range []string{
		"/api/run", "/api/runs", "/api/series", "/api/curves", "/api/league", "/api/ladder", "/api/roles", "/api/actors",
		"/api/events", "/metrics",
		"/api/play", "/api/levels?game=pig", "/api/person?key=" + strings.Repeat("1", 32), "/api/advice", "/api/rules",
		"/api/nothing",
		"/api/tables/x", "/api/tables/x/events",
	} {
		require.Equal(t, http.StatusUnauthorized, get(h, "GET", path).Code, path)
		if !strings.Contains(path, "events") {
			require.NotEqual(t, http.StatusUnauthorized, get(inside{h}, "GET", path).Code, path)
		}
	}
	for _, path := range []string{"/api/advice", "/api/review", "/api/rules", "/api/tables", "/api/tables/x/act",
		"/api/nothing"} {
		require.Equal(t, http.StatusUnauthorized, tell(h, path, `{}`).Code, path)
	}
	for path, status := range map[string]int{
		"/login": 200, "/healthz": 200, "/assets/app.css": 200, "/play": 200, "/play?run=evening": 200,
		"/api/tables/x?key=y": 404, "/api/tables/x/events?key=y": 404,
	} {
		w := get(h, "GET", path)
		require.Equal(t, status, w.Code, path)
		require.NotContains(t, w.Body.String(), "bank", path)
		require.Equal(t, "DENY", w.Header().Get("X-Frame-Options"))
		require.Contains(t, w.Header().Get("Content-Security-Policy"), "frame-ancestors 'none'")
	}
	w := get(h, "POST", "/api/login", "Content-Type", "application/json", "Sec-Fetch-Site", "cross-site")
	require.Equal(t, http.StatusForbidden, w.Code, "another page logs nobody in")
	require.Contains(t, get(inside{h}, "GET", "/").Body.String(), "bank-1")
	require.Contains(t, get(inside{h}, "GET", "/metrics").Body.String(),
		`croupier_web_requests_total{code="401",route="none"}`)
	require.Contains(t, get(inside{h}, "GET", "/metrics").Body.String(),
		`croupier_web_requests_total{code="200",route="/"}`)
}

// A guest has the key of one table: with it they play there, and do nothing else.
func TestGuestsHaveOneTable(t *testing.T) {
	h := guarded(t)
	made := laid(t, inside{h}, `{"game": "pig", "seats": [{"person": "Ann"}, {"open": true}]}`)
	other := laid(t, inside{h}, `{"game": "pig", "seats": [{"person": "Ann"}, {"agent": "random"}]}`)
	show, _ := shownTo(t, h, made.Table, made.Watch)
	w := tell(h, "/api/tables/join", `{"code": "`+show.Table.Code+`", "name": "Bob"}`)
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	var seated play.Seated
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &seated))
	show, _ = shownTo(t, h, seated.Table, seated.Key)
	require.Equal(t, 1, show.Eye)
	for _, c := range []struct {
		path, body string
		code       int
	}{
		{"/api/tables/" + other.Table + "/act?key=" + seated.Key, `{"step": 0, "action": 0}`, 404},
		{"/api/tables/" + made.Table + "/fill?key=" + seated.Key, `{"agent": "random"}`, 403},
		{"/api/tables/" + made.Table + "/speed?key=" + seated.Key, `{"step": true}`, 403},
		{"/api/tables?key=" + seated.Key, `{"game": "pig", "seats": [{"person": "Bob"}, {"agent": "random"}]}`, 401},
		{"/api/advice?key=" + seated.Key, `{}`, 401},
	} {
		require.Equal(t, c.code, tell(h, c.path, c.body).Code, c.path)
	}
	require.Equal(t, 404, get(h, "GET", "/api/tables/"+other.Table+"?key="+seated.Key).Code)
	require.Equal(t, 401, get(h, "GET", "/api/run?key="+seated.Key).Code)
}

// One logs in by keyboard, by a link or not at all; on a small screen as well, light and dark. What was asked for
// opens then, and nothing of another server.
func TestLoginPage(t *testing.T) {
	t.Parallel()
	server := serveHandler(t, guarded(t), "127.0.0.1:0")
	at := "http://" + server.address
	b := webtest.NewBrowser(t, 360, 740)
	for _, scheme := range []string{"light", "dark"} {
		b.Scheme(scheme)
		b.Do(chromedp.Navigate(at + "/league"))
		b.Until(`location.pathname === "/login" && document.activeElement?.getAttribute("name") === "user"`)
		b.Until(`document.documentElement.scrollWidth <= 360`)
		b.Axe()
		b.Keep("login-" + scheme)
	}
	b.Do(chromedp.KeyEvent("ann"), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent("wrong"), chromedp.KeyEvent(kb.Enter))
	b.Until(`document.getElementById("login-problem").textContent === "Wrong user, password or token."`)
	b.Axe()
	b.Forget() // the browser tells of the 401
	b.Do(chromedp.KeyEvent(strings.Repeat(kb.Backspace, 5)), chromedp.KeyEvent("correct horse"),
		chromedp.KeyEvent(kb.Enter))
	b.Until(`location.pathname === "/league" && document.getElementById("link")?.dataset.state === "live"`)
	require.Empty(t, webtest.Evaluate[string](b, "document.cookie"), "scripts cannot read the session")
	b.Until(`document.documentElement.scrollWidth <= 360`)
	b.Axe()
	webtest.Evaluate[any](b, `document.getElementById("logout").click()`)
	b.Until(`location.pathname === "/login"`)
	b.Do(chromedp.Navigate(at + "/login?next=https://evil.example/%23x#token=" + doorToken))
	b.Until(`location.pathname === "/" && document.getElementById("link")?.dataset.state === "live"`)
	b.Do(chromedp.Navigate(at + "/login?next=//evil.example/"))
	b.Until(`location.host === "` + server.address + `" && location.pathname === "/"`)
	b.Clean()
}

// A guest comes by a link, sits down and plays, and sees no page of the run. Names of people stay text.
func TestGuestsPlay(t *testing.T) {
	t.Parallel()
	h := guarded(t)
	const evil = `<i onclick=x>Ann`
	made := laid(t, inside{h}, fmt.Sprintf(`{"game": "pig", "seats": [{"person": %q}, {"open": true}]}`, evil))
	show, _ := shownTo(t, h, made.Table, made.Watch)
	server := serveHandler(t, h, "127.0.0.1:0")
	b := webtest.NewBrowser(t, 360, 740)
	b.Do(chromedp.Navigate("http://" + server.address + "/play#join=" + show.Table.Code))
	b.Until(`document.activeElement?.id === "join-name"`)
	b.Axe()
	b.Do(chromedp.KeyEvent("Bob"), chromedp.KeyEvent(kb.Enter))
	b.Until(`document.getElementById("sitting").textContent.includes("<i onclick=x>Ann")`)
	require.Zero(t, webtest.Evaluate[int](b, `document.querySelectorAll("[onclick]").length`))
	require.Zero(t, webtest.Evaluate[int](b, `document.querySelectorAll("#pages a").length`), "there are no other pages")
	b.Until(`document.documentElement.scrollWidth <= 360`)
	b.Axe()
	b.Do(chromedp.Navigate("http://" + server.address + "/play"))
	b.Until(`location.pathname === "/login"`)
	b.Clean()
}

// Hundreds of event streams, of which none reads, leave the page to others.
func TestManyStreams(t *testing.T) {
	t.Parallel()
	r := newTrial(t)
	h, _ := handler(r.follow(), nil)
	server := serveHandler(t, h, "127.0.0.1:0")
	crowded := 0
	for range 300 {
		response, err := http.Get("http://" + server.address + "/api/events")
		require.NoError(t, err)
		t.Cleanup(func() { response.Body.Close() })
		if response.StatusCode == http.StatusServiceUnavailable {
			crowded++
		}
	}
	require.Equal(t, 300-64, crowded)
	response, err := http.Get("http://" + server.address + "/api/run")
	require.NoError(t, err)
	response.Body.Close()
	require.Equal(t, http.StatusOK, response.StatusCode)
}
