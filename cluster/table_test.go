package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/history"
	"croupier/games/standard"
	"croupier/play"
	"croupier/web/webtest"
)

// tables is a server of tables without runs; the result is its address.
func tables(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	server := RunsServer{Catalog: standard.Games, Dir: t.TempDir(), Page: Page{Listener: listener, People: t.TempDir()},
		Log: slog.New(slog.DiscardHandler)}
	go func() { done <- server.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-done)
	})
	return "http://" + listener.Addr().String()
}

// post asks the API and decodes the answer.
func post[T any](t *testing.T, address string, body any) (answer T) {
	t.Helper()
	document, err := json.Marshal(body)
	require.NoError(t, err)
	response, err := http.Post(address, "application/json", bytes.NewReader(document))
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode, string(text))
	require.NoError(t, json.Unmarshal(text, &answer))
	return answer
}

// person is somebody at a table in a browser.
type person struct {
	*webtest.Browser
	t       *testing.T
	address string
}

// arrive opens the page Play; agents then do not wait before they move.
func arrive(t *testing.T, address string, width, height int64) *person {
	p := &person{webtest.NewBrowser(t, width, height), t, address}
	p.Do(chromedp.Navigate(address + "/play"))
	p.like(`{"motion": false, "pace": "none"}`)
	return p
}

// like sets what settings.js remembers.
func (p *person) like(settings string) {
	webtest.Evaluate[bool](p.Browser, fmt.Sprintf(`(localStorage.setItem("croupier.boards", %q), true)`, settings))
}

// sit opens the page Play with a query and sits down.
func (p *person) sit(query url.Values) {
	p.t.Helper()
	p.Do(chromedp.Navigate(p.address + "/play?" + query.Encode()))
	p.Until(`document.getElementById("seating")?.hidden === false && document.querySelectorAll("#seats select").length > 0`)
	p.Click("#sit-down")
	p.Until(seated)
}

// seated: a table is shown.
const seated = `!document.getElementById("table").hidden && "step" in document.getElementById("table").dataset`

// watch opens the page Play with a query that seats agents alone: it lays their table at once.
func (p *person) watch(query url.Values) {
	p.t.Helper()
	p.Do(chromedp.Navigate(p.address + "/play?" + query.Encode()))
	p.Until(seated)
}

// place returns a parameter of the table's fragment.
func (p *person) place(name string) string {
	return webtest.Evaluate[string](p.Browser, fmt.Sprintf(`new URLSearchParams(location.hash.slice(1)).get(%q) ?? ""`,
		name))
}

// show asks the server what the person sees, in a seat or watching.
func (p *person) show() (show play.Show) {
	p.t.Helper()
	response, err := http.Get(p.address + "/api/tables/" + p.place("table") + "?key=" + p.place("key") + p.place("watch"))
	require.NoError(p.t, err)
	defer response.Body.Close()
	require.NoError(p.t, json.NewDecoder(response.Body).Decode(&show))
	return show
}

// ask posts to the person's table.
func ask[T any](p *person, what string, body any) T {
	p.t.Helper()
	return post[T](p.t, p.address+"/api/tables/"+p.place("table")+what+"?key="+p.place("key"), body)
}

const (
	mine = `document.getElementById("table").dataset.mover === "you"`
	over = `document.getElementById("table").dataset.state === "over"`
)

// clicker clicks at random whatever the board offers, until the game is over: a person who does not care.
const clicker = `(() => {
  let x = 12345;
  const any = (list) => list[Math.floor((x = (x * 48271) % 2147483647) / 2147483647 * list.length)];
  const table = document.getElementById("table");
  const offered = "#board :is(button, [data-action])";
  (function click() {
    if (table.dataset.state === "over") return;
    const list = [...document.querySelectorAll(offered)].filter((e) => !e.disabled && e.getClientRects().length > 0);
    const legal = list.filter((e) => !("dim" in e.dataset));
    if (table.dataset.mover === "you" && list.length > 0) any(legal.length > 0 && any([0, 1, 2, 3]) ? legal : list).click();
    setTimeout(click, 5);
  })();
  return true;
})()`

// finish waits until the game is over.
func (p *person) finish() {
	p.t.Helper()
	p.Until(over)
	p.Until(`document.getElementById("result") !== null`)
}

// judged replays what the server has saved of the person's game and requires that the engine gives the result
// that the page tells.
func (p *person) judged(game engine.Game) {
	p.t.Helper()
	saved := ask[struct{ History string }](p, "/save", struct{}{})
	var record history.Record
	require.NoError(p.t, history.Decode([]byte(saved.History), &record))
	require.Equal(p.t, game.Spec().Name, record.Game)
	state := game.NewState()
	for i, step := range record.History {
		require.NoError(p.t, state.Apply(step), "step %d", i)
	}
	require.Equal(p.t, engine.Terminal, state.Player())
	spec, seat := game.Spec(), p.show().Eye
	returns, shares := make([]float64, spec.Seats), make([]float64, spec.Seats)
	state.Returns(returns)
	spec.Shares(returns, shares)
	want := "You lost"
	switch {
	case spec.Payoff == engine.Money && returns[seat] > 0:
		want = "You gained"
	case spec.Payoff == engine.Money && returns[seat] == 0:
		want = "You came out even"
	case spec.Payoff == engine.WinLoss && shares[seat] == 1:
		want = "You won"
	case spec.Payoff == engine.WinLoss && shares[seat] > 0:
		want = "You tied"
	}
	require.True(p.t, strings.HasPrefix(p.text("#result"), want), "%s, not %s", p.text("#result"), want)
	for i, points := range state.Scores(nil) {
		require.Contains(p.t, p.text(fmt.Sprintf("#end tbody tr:nth-child(%d)", i+1)),
			strings.ReplaceAll(strconv.FormatInt(points, 10), "-", "−"))
	}
}

func (p *person) text(selector string) string {
	return webtest.Evaluate[string](p.Browser, fmt.Sprintf(`document.querySelector(%q)?.innerText ?? ""`, selector))
}

// quickRules make games of people who click at random short.
var quickRules = map[string]string{
	"bank": "rounds: 3", "pig": "target: 30", "tysiac": "game: {target_score: 150, lock_score: 120}",
	"bank-cards": "{deck: 20, hand: 3}",
}

// A whole game of every game is played by clicks to its end, and the engine finds the result that the page
// tells.
func TestWholeGamesByClicks(t *testing.T) {
	t.Parallel()
	address := tables(t)
	p := arrive(t, address, 1280, 900)
	for _, entry := range standard.Games.Games() {
		t.Run(entry.Name, func(t *testing.T) {
			p.t = t
			rules := quickRules[entry.Name]
			p.sit(url.Values{"game": {entry.Name}, "rules": {rules}})
			webtest.Evaluate[bool](p.Browser, clicker)
			p.finish()
			p.Until(`document.getElementById("table-rules").href.endsWith("/game/` + entry.Name + `#rules-over")`)
			game, err := entry.New([]byte(rules))
			require.NoError(t, err)
			p.judged(game)
			p.Until(`document.getElementById("accuracy") !== null || document.querySelector("#review .note, #review p") !== null`)
		})
	}
}

// A game is chosen, sat down to and played to its end by keys alone.
func TestWholeGameByKeys(t *testing.T) {
	t.Parallel()
	p := arrive(t, tables(t), 1280, 900)
	p.Do(chromedp.Navigate(p.address + "/play?rules=" + url.QueryEscape("target: 20")))
	p.Until(`document.querySelectorAll(".game").length === 9`)
	key := func(keys ...string) {
		for _, k := range keys {
			p.Do(chromedp.KeyEvent(k))
		}
	}
	reach := func(condition string, keys ...string) {
		for range 40 {
			if webtest.Evaluate[bool](p.Browser, condition) {
				return
			}
			key(keys...)
		}
		require.Fail(t, "never reached by keys", condition)
	}
	reach(`document.activeElement.name === "game"`, kb.Tab)
	key(" ")
	reach(`document.activeElement.value === "pig" && document.activeElement.checked`, kb.ArrowDown)
	p.Until(`document.getElementById("seating-title").textContent === "Pig" && document.querySelectorAll("#seats option").length > 4`)
	p.Forget() // games on the way have refused the rules of Pig
	reach(`document.activeElement.id === "sit-down"`, kb.Tab)
	key(kb.Enter)
	p.Until(mine)
	reach(`document.activeElement.dataset.action === "0"`, kb.Tab)
	for deadline := time.Now().Add(webtest.Limit); !webtest.Evaluate[bool](p.Browser, over); {
		require.True(t, time.Now().Before(deadline), "the game does not end")
		if webtest.Evaluate[bool](p.Browser, mine) {
			// One question, because the step that the key has made may come between two.
			require.Empty(t, webtest.Evaluate[string](p.Browser, `document.querySelector("#board").contains(document.activeElement)
				|| !(`+mine+`) ? "" : document.activeElement.outerHTML.slice(0, 200)`), "the focus has left the board")
			wanted := "0"
			if state := p.show(); state.Step%5 == 4 {
				wanted = "1"
			}
			reach(fmt.Sprintf(`document.activeElement.dataset?.action === %q || %s !== true`, wanted, mine), kb.Tab)
			key(kb.Enter)
		}
		time.Sleep(20 * time.Millisecond)
	}
	p.Until(`document.getElementById("result") !== null`)
	game, err := standard.Games.New("pig", []byte("target: 20"))
	require.NoError(t, err)
	p.judged(game)
	key("?")
	p.Until(`document.getElementById("keys").open`)
	before := p.place("table")
	key("n")
	p.Until(fmt.Sprintf(`!location.hash.includes(%q) && %s`, before, mine))
	p.Clean()
}

// Games played to their ends are among the person's games on the page, with what the review found, until the person
// deletes them.
func TestStatisticsOfAPerson(t *testing.T) {
	t.Parallel()
	p := arrive(t, tables(t), 320, 800)
	var accuracy string
	for _, game := range []string{"kuhn", "pig"} {
		p.sit(url.Values{"game": {game}, "rules": {quickRules[game]}})
		webtest.Evaluate[bool](p.Browser, clicker)
		p.finish()
		p.Until(`document.getElementById("accuracy") !== null`)
		accuracy = p.text("#accuracy b")
	}
	home := func() {
		p.Do(chromedp.Navigate(p.address+"/play"), chromedp.Reload())
		p.Until(`document.querySelectorAll(".game").length === 9`)
	}
	home()
	p.Until(`!document.getElementById("person").hidden`)
	require.Regexp(t, `^All\s+1\s+[01]\s+`+accuracy+`$`, p.text("#statistics > :last-child tbody tr"))
	require.Contains(t, p.text("#statistics"), "In seat 1")
	require.Equal(t, 2, webtest.Evaluate[int](p.Browser, `document.querySelectorAll("#statistics table").length`))
	require.LessOrEqual(t, webtest.Evaluate[int](p.Browser, "document.documentElement.scrollWidth - innerWidth"), 0)
	p.Axe()
	p.Click("#person-forget")
	p.Until(`document.getElementById("person-confirm").open`)
	p.Axe()
	p.Click(`#person-confirm [value="cancel"]`)
	p.Until(`!document.getElementById("person-confirm").open`)
	require.Contains(t, p.text("#statistics"), "All")
	p.Click("#person-forget")
	p.Click(`#person-confirm [value="delete"]`)
	p.Until(`document.getElementById("person-told").textContent === "Your games are deleted."`)
	home()
	// What is asked once the page has its answer is answered after the page has shown it.
	p.Until(`performance.getEntriesByType("resource").some((e) => e.name.includes("/api/person") && e.responseEnd > 0)`)
	webtest.Evaluate[any](p.Browser,
		`void fetch("/api/play").then((r) => r.json()).then(() => { window.answered = true; })`)
	p.Until(`window.answered === true`)
	require.True(t, webtest.Evaluate[bool](p.Browser, `document.getElementById("person").hidden`))
	p.Clean()
}
