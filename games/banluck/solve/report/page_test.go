package report

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"croupier/messages/bus"
	"croupier/messages/bus/memory"
	"croupier/web"
	"croupier/web/webtest"
)

func TestMain(m *testing.M) { webtest.Main{M: m}.Run() }

var someTables = &Tables{EV: -0.086, StdDev: 1.16, Hands: []Hand{
	{Seat: "player", Hand: "6-T", Total: 16, Takes: "hit", Stops: "stand", EVTakes: -0.5, EVStops: -0.469, Bust: 0.6},
	{Seat: "player", Hand: "8-8", Total: 16, Takes: "hit", Stops: "stand", EVTakes: -0.52, EVStops: -0.45, Bust: 0.6},
	{Seat: "player", Hand: "5-T", Total: 15, Takes: "hit", Stops: "stand", Share: 1, EVTakes: -0.48, EVStops: -1,
		Bust: 0.54},
	{Seat: "dealer", Against: 3, Hand: "7-T", Total: 17, Takes: "hit", Stops: "stand or reveal", EVTakes: -0.58,
		EVStops: -0.47, Bust: 0.7},
	{Seat: "dealer", Hand: "5-T", Total: 15, Takes: "continue", Stops: "surrender", EVTakes: -0.3, Bust: 0.4},
}}

// ask is a request for the tables whose client leaves when ctx ends.
func ask(ctx context.Context, h http.Handler) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "/api/banluck", nil))
	return w
}

// TestTablesAreSolvedForWhoWaits: solving ends with the request that asked for it, and its
// failure does not answer later ones.
func TestTablesAreSolvedForWhoWaits(t *testing.T) {
	h := newAPI(newGame(t, "banluck", ""), quiet)["GET /api/banluck"]
	gone, leave := context.WithCancel(t.Context())
	leave()
	w := ask(gone, h)
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
	require.NotEmpty(t, w.Header().Get("Retry-After"))
	require.Contains(t, w.Body.String(), "still being solved")

	w = ask(t.Context(), h)
	require.Equal(t, http.StatusOK, w.Code)
	require.Equal(t, "application/json", w.Header().Get("Content-Type"))
	var got Tables
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &got))
	require.InDelta(t, -0.086031, got.EV, 1e-6)
}

// TestTablesAreSolvedOnce: requests wait for the one that solves, and take over if its client
// leaves.
func TestTablesAreSolvedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := 0
		h := newTablesHandler(quiet, 20*time.Second, func(ctx context.Context) (*Tables, error) {
			begun++
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(15 * time.Second):
				return someTables, nil
			}
		})
		first, leave := context.WithCancel(t.Context())
		codes := map[int]int{}
		var all sync.WaitGroup
		var mutex sync.Mutex
		request := func(ctx context.Context) {
			all.Go(func() {
				code := ask(ctx, h).Code
				mutex.Lock()
				defer mutex.Unlock()
				codes[code]++
			})
		}
		request(first)
		synctest.Wait()
		for range 5 {
			request(t.Context())
		}
		time.Sleep(2 * time.Second)
		leave()
		all.Wait()
		require.Equal(t, 2, begun)
		require.Equal(t, map[int]int{http.StatusServiceUnavailable: 1, http.StatusOK: 5}, codes)
		require.Equal(t, http.StatusOK, ask(t.Context(), h).Code)
		require.Equal(t, 2, begun)
	})
}

// TestTablesTakeTheirTime: a client that has waited as long as a server may take is asked to try
// again.
func TestTablesTakeTheirTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTablesHandler(quiet, 20*time.Second, func(ctx context.Context) (*Tables, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		begin := time.Now()
		require.Equal(t, http.StatusServiceUnavailable, ask(t.Context(), h).Code)
		require.Equal(t, 20*time.Second, time.Since(begin))
	})
}

// TestUnsolvableTables: what cannot be solved is tried once.
func TestUnsolvableTables(t *testing.T) {
	tried := 0
	h := newTablesHandler(quiet, time.Minute, func(context.Context) (*Tables, error) {
		tried++
		return nil, errors.New("no")
	})
	for range 2 {
		require.Equal(t, http.StatusInternalServerError, ask(t.Context(), h).Code)
	}
	require.Equal(t, 1, tried)
}

// serve serves the page with some API until ctx ends, and returns the address. The test ends only when the
// server has.
func serve(t *testing.T, ctx context.Context, api http.Handler) string {
	b := memory.New(bus.Options{})
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	registry := prometheus.NewRegistry()
	page := web.Page{Name: "banluck", Path: "/banluck", Title: "Banluck", Template: Page.Template, Assets: Page.Assets,
		API: map[string]http.Handler{"GET /api/banluck": api}}
	handler := web.NewServer(web.Options{
		Feed: web.NewFeed(b, "banluck-1", nil, quiet), Log: quiet, Registerer: registry, Gatherer: registry,
		Pages: []web.Page{page},
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- web.Serve(ctx, listener, nil, handler, quiet) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-done)
	})
	return listener.Addr().String()
}

// TestServerEndsSolving: a server that stops does not wait for the game to be solved.
func TestServerEndsSolving(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan struct{})
	h := newTablesHandler(quiet, time.Minute, func(ctx context.Context) (*Tables, error) {
		close(begun)
		<-ctx.Done()
		close(ended)
		return nil, ctx.Err()
	})
	ctx, stop := context.WithCancel(t.Context())
	address := serve(t, ctx, h)
	answered := make(chan int, 1)
	go func() {
		response, err := http.Get("http://" + address + "/api/banluck")
		if err != nil {
			answered <- 0
			return
		}
		response.Body.Close()
		answered <- response.StatusCode
	}()
	<-begun
	stop()
	<-ended
	require.Equal(t, http.StatusServiceUnavailable, <-answered)
}

// TestBanluckPage: a person puts a hand together, changes seats, and looks around in the chart.
func TestBanluckPage(t *testing.T) {
	handler := newTablesHandler(quiet, time.Minute, func(context.Context) (*Tables, error) { return someTables, nil })
	address := serve(t, t.Context(), handler)
	b := webtest.NewBrowser(t, 1280, 900)
	b.Do(chromedp.Navigate("http://" + address + "/banluck"))
	b.Until(`document.querySelectorAll("#chart button").length === 2`)
	press := func(selector string) { webtest.Evaluate[any](b, `document.querySelector('`+selector+`').click()`) }
	change := func(id, value string) {
		webtest.Evaluate[any](b, `(() => {
			const e = document.getElementById("`+id+`");
			e.value = "`+value+`";
			e.dispatchEvent(new Event("change"));
		})()`)
	}
	text := func(id string) string {
		return webtest.Evaluate[string](b, `document.getElementById("`+id+`").textContent`)
	}

	press(`#cards button:nth-child(9)`)
	require.Contains(t, text("worth"), "add two cards")
	press(`#cards button:nth-child(5)`)
	require.Equal(t, "6-T = 16", text("hand"))
	require.Contains(t, text("reason"),
		"Stand: it is worth 0.0310 units more than to hit; if you hit you end with more than 21 in 60")
	require.Equal(t, "stand", webtest.Evaluate[string](b, `document.querySelector("#worth tr.best th").textContent`))
	b.Keep("player")

	press("#back")
	require.Contains(t, text("worth"), "add two cards")
	press(`#chart tbody td:nth-child(3) button`)
	require.Equal(t, "6-T = 16", text("hand"))
	press(`#members button:nth-child(2)`)
	require.Equal(t, "8-8 = 16", text("hand"))
	press("#clear")

	change("seat", "dealer")
	change("against", "3")
	press(`#chart button`)
	require.Contains(t, text("reason"), "Stand or reveal: it is worth 0.110 units more")
	press("#clear")
	press(`#cards button:nth-child(4)`)
	press(`#cards button:nth-child(9)`)
	require.Contains(t, text("reason"), "Surrender: it is worth 0.300 units more than to continue")
	for _, scheme := range []string{"light", "dark"} {
		b.Scheme(scheme)
		b.Keep("dealer-" + scheme)
	}
	b.Clean()

	narrow := webtest.NewBrowser(t, 390, 844)
	narrow.Do(chromedp.Navigate("http://" + address + "/banluck"))
	narrow.Until(`document.querySelectorAll("#chart button").length === 2`)
	require.LessOrEqual(t, webtest.Evaluate[int](narrow, "document.documentElement.scrollWidth - innerWidth"), 0)
	narrow.Clean()
}
