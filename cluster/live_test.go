package cluster

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"testing"
	"time"

	"croupier/games/standard"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"croupier/internal/rundir"
	"croupier/internal/rundir/rundirtest"
	"croupier/messages"
	"croupier/settings"
	"croupier/web/webtest"
)

// live is a tournament that is played: its ladder has one rating that grows.
type live struct{ *folder }

func (l live) rated(rating int) {
	l.write("cup", "ladder.json", fmt.Sprintf(`{"game": "pig", "seats": 2, "format": "swiss in 3 rounds",
		"scale": {"kind": "elo", "unit": "Elo", "zero": "random", "decimals": 0},
		"agents": [{"name": "hold(20)", "kind": "bot", "rating": %d, "low": 1, "high": 999, "games": %[1]d},
			{"name": "random", "kind": "bot", "rating": 0, "low": 0, "high": 0, "games": %[1]d}],
		"payoff": [{"a": "hold(20)", "b": "random", "mean_return_a": 0.1, "games": %[1]d}],
		"rounds": [[{"a": "hold(20)", "b": "random", "points_a": 1, "games": %[1]d}]]}`, rating))
}

// The page of a tournament changes as it is played, without being loaded again: a cell keeps the keyboard, and on a
// small screen nothing sticks out. At the end it says so.
func TestTournamentIsLive(t *testing.T) {
	t.Parallel()
	l := live{newFolder(t)}
	dir := l.path + "/cup"
	rundirtest.Create(t, dir, rundir.Info{ID: "cup", Game: "pig", Seed: 1, Created: time.Now().UTC(),
		Kind: rundir.Tournament})
	config, err := settings.Default(standard.Games, "pig")
	require.NoError(t, err)
	doc, err := config.Encode()
	require.NoError(t, err)
	l.write("cup", rundir.ConfigFile, string(doc))
	l.rated(111)
	lock, err := rundir.Lock(dir, messages.LearnerRole)
	require.NoError(t, err)
	require.NoError(t, rundir.Begin(dir))

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	server := RunsServer{Catalog: standard.Games, Dir: l.path, Page: Page{Listener: listener},
		Log: slog.New(slog.DiscardHandler)}
	go func() { done <- server.Serve(ctx) }()
	defer func() { cancel(); require.NoError(t, <-done) }()

	b := webtest.NewBrowser(t, 360, 740)
	b.Do(chromedp.Navigate("http://" + listener.Addr().String() + "/runs/cup/league"))
	shows := func(rating int) string {
		return fmt.Sprintf(`document.querySelector(".ladder")?.textContent.includes("%d")`, rating)
	}
	b.Until(shows(111))
	b.Until(`!document.getElementById("tournament").hidden`)
	webtest.Evaluate[any](b, `window.mark = 1; document.querySelector("td[data-a]").focus()`)
	for _, rating := range []int{222, 333} {
		l.rated(rating)
		b.Until(shows(rating))
	}
	require.Equal(t, 1, webtest.Evaluate[int](b, `window.mark`), "the page was not loaded again")
	require.True(t, webtest.Evaluate[bool](b, `document.activeElement.matches("td[data-a]")`),
		"the keyboard stays where it was")
	require.LessOrEqual(t, webtest.Evaluate[int](b, "document.documentElement.scrollWidth"), 360)
	require.Contains(t, webtest.Evaluate[string](b, `document.getElementById("link").textContent`), "live")

	require.NoError(t, rundir.End(dir, ""))
	require.NoError(t, lock.Close())
	b.Until(`/ended/i.test(document.body.textContent)`)
}
