package cluster

import (
	"context"
	"log/slog"
	"net"
	"net/url"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"croupier/agents"
	"croupier/games/standard"
	"croupier/play"
	"croupier/web/webtest"
)

// leagueOf serves the run of a game with 3 seats, which has ended; the result is the server's address.
func leagueOf(t *testing.T) string {
	t.Helper()
	f := newFolder(t)
	f.ended("evening", "bank", 1)
	f.write("evening", "ladder.json", `{"game": "bank", "seats": 3, "scale": {"kind": "elo", "unit": "Elo", "zero": "random", "decimals": 0},
		"agents": [{"name": "leader-chaser", "kind": "bot", "rating": 42, "low": 30, "high": 54, "games": 400},
			{"name": "threshold(100)", "kind": "bot", "rating": 0, "low": 0, "high": 0, "games": 400}],
		"payoff": [{"a": "leader-chaser", "b": "threshold(100)", "mean_return_a": 0.1, "games": 400}]}`)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	server := RunsServer{Catalog: standard.Games, Dir: f.path, Page: Page{Listener: listener},
		Log: slog.New(slog.DiscardHandler)}
	go func() { done <- server.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-done)
	})
	return "http://" + listener.Addr().String()
}

// Agents of a run's league are watched at a table by one click: from the ladder, and from a cell of the matrix.
func TestLeagueIsWatched(t *testing.T) {
	t.Parallel()
	const seen = `"step" in (document.getElementById("table")?.dataset ?? {})`
	game, err := standard.Games.New("bank", nil)
	require.NoError(t, err)
	title := func(agent string) string { // by its level, which depends on the network that comes with the program
		found, err := play.Find(t.Context(), agents.New(game, agents.Sources{Catalog: standard.Games}), agent)
		require.NoError(t, err)
		return found.Title
	}
	address := leagueOf(t)
	p := &person{webtest.NewBrowser(t, 390, 844), t, address}
	for _, test := range []struct{ link, alone, among string }{
		{`.ladder tbody tr:nth-child(2) a[aria-label^="watch"]`, "threshold(100)", "leader-chaser"},
		{`#payoff-watch`, "leader-chaser", "threshold(100)"},
	} {
		p.Do(chromedp.Navigate(address + "/runs/evening/league"))
		p.Until(`document.querySelectorAll(".ladder tbody tr").length === 2`)
		webtest.Evaluate[any](p.Browser, `document.querySelector("td[data-a]").focus()`)
		p.Click(test.link)
		p.Until(seen)
		var names []string
		for _, s := range p.show().Seats {
			require.Equal(t, play.Robot, s.Kind)
			names = append(names, s.Name)
		}
		require.Equal(t, []string{title(test.alone), title(test.among) + " 1", title(test.among) + " 2"}, names)
		laid := p.place("table")
		p.Do(chromedp.Reload())
		p.Until(seen)
		require.Equal(t, laid, p.place("table"), "the table is laid once")
		require.Empty(t, webtest.Evaluate[string](p.Browser, `new URLSearchParams(location.search).get("seat") ?? ""`))
	}
}

// After a hand of Tysiąc, each moment that cost much leads to where the replay says what the open cards allowed.
func TestOpenCardsAfterTheHand(t *testing.T) {
	t.Parallel()
	p := arrive(t, tables(t), 390, 844)
	const found = `document.querySelector("#review .worst .allowed") !== null`
	for hand := 1; ; hand++ { // now and then nothing in one costs anything
		p.sit(url.Values{"game": {"tysiac-hand"}})
		webtest.Evaluate[bool](p.Browser, clicker)
		p.finish()
		p.Until(`document.querySelector("#review ol, #review p:not(.note)") !== null`)
		if webtest.Evaluate[bool](p.Browser, found) {
			break
		}
		t.Logf("hand %d: %s", hand, webtest.Evaluate[string](p.Browser, `document.getElementById("review").innerText`))
		require.Less(t, hand, 10, "no hand in which something cost much")
	}
	p.fits("tysiac-hand-end")
	step := webtest.Evaluate[string](p.Browser, `new URL(document.querySelector("#review .worst .allowed").href).hash.match(/step=(\d+)&eye=-2$/)?.[1] ?? ""`)
	require.NotEmpty(t, step)
	p.Click("#review .worst .allowed")
	p.Until(`location.pathname === "/replay" && [...document.querySelectorAll("select")].some((s) => s.value === "-2")`)
}
