package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
)

var someTables = &BanluckTables{EV: -0.086, StdDev: 1.16, Hands: []BanluckHand{
	{Seat: "player", Hand: "6-T", Total: 16, Takes: "hit", Stops: "stand", EVTakes: -0.5, EVStops: -0.469, Bust: 0.6},
	{Seat: "player", Hand: "8-8", Total: 16, Takes: "hit", Stops: "stand", EVTakes: -0.52, EVStops: -0.45, Bust: 0.6},
	{Seat: "player", Hand: "5-T", Total: 15, Takes: "hit", Stops: "stand", Share: 1, EVTakes: -0.48, EVStops: -1, Bust: 0.54},
	{Seat: "dealer", Against: 3, Hand: "7-T", Total: 17, Takes: "hit", Stops: "stand or reveal", EVTakes: -0.58, EVStops: -0.47, Bust: 0.7},
	{Seat: "dealer", Hand: "5-T", Total: 15, Takes: "continue", Stops: "surrender", EVTakes: -0.3, Bust: 0.4},
}}

func withTables(t *testing.T, tables func() (*BanluckTables, error)) http.Handler {
	registry := prometheus.NewRegistry()
	return NewServer(Options{Feed: newTrial(t).follow(), Log: quiet, Registerer: registry, Gatherer: registry, Banluck: tables})
}

func TestBanluckIsThereWhereItsTablesAre(t *testing.T) {
	for code, tables := range map[int]func() (*BanluckTables, error){
		http.StatusNotFound:            nil,
		http.StatusOK:                  func() (*BanluckTables, error) { return someTables, nil },
		http.StatusInternalServerError: func() (*BanluckTables, error) { return nil, errors.New("no") },
	} {
		w := httptest.NewRecorder()
		withTables(t, tables).ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/api/banluck", nil))
		require.Equal(t, code, w.Code)
		if code == http.StatusOK {
			var got BanluckTables
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &got))
			require.Equal(t, *someTables, got)
		}
	}
}

// A person puts a hand together, changes seats, and looks around in the chart.
func TestBanluckPage(t *testing.T) {
	server := serveHandler(t, withTables(t, func() (*BanluckTables, error) { return someTables, nil }), "127.0.0.1:0")
	b := newBrowser(t, 1280, 900)
	b.do(chromedp.Navigate("http://" + server.address + "/banluck"))
	b.until(`document.querySelectorAll("#chart button").length === 2`)
	press := func(selector string) { evaluate[any](b, `document.querySelector('`+selector+`').click()`) }
	change := func(id, value string) {
		evaluate[any](b, `(() => { const e = document.getElementById("`+id+`"); e.value = "`+value+`"; e.dispatchEvent(new Event("change")); })()`)
	}
	text := func(id string) string {
		return evaluate[string](b, `document.getElementById("`+id+`").textContent`)
	}

	press(`#cards button:nth-child(9)`)
	require.Contains(t, text("worth"), "add two cards")
	press(`#cards button:nth-child(5)`)
	require.Equal(t, "6-T = 16", text("hand"))
	require.Contains(t, text("reason"), "Stand: it is worth 0.0310 units more than to hit; after hit you end with more than 21 in 60")
	require.Equal(t, "stand", evaluate[string](b, `document.querySelector("#worth tr.best th").textContent`))
	b.keep("player")

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
		b.scheme(scheme)
		b.keep("dealer-" + scheme)
	}
	b.clean()

	narrow := newBrowser(t, 390, 844)
	narrow.do(chromedp.Navigate("http://" + server.address + "/banluck"))
	narrow.until(`document.querySelectorAll("#chart button").length === 2`)
	require.LessOrEqual(t, evaluate[int](narrow, "document.documentElement.scrollWidth - innerWidth"), 0)
	narrow.clean()
}
