package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/history"
	"croupier/games/standard"
	"croupier/policy"
	"croupier/web"
	"croupier/web/webtest"
)

// hubAt serves the pages without a run, and returns where.
func hubAt(t *testing.T) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	server := RunsServer{Catalog: standard.Games, Dir: t.TempDir(), Page: Page{Listener: listener},
		Log: slog.New(slog.DiscardHandler)}
	go func() { done <- server.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-done)
	})
	return "http://" + listener.Addr().String()
}

// request sends a question, decodes the answer and returns the status.
func request(t *testing.T, method, url, body string, into any) int {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	require.NoError(t, json.NewDecoder(response.Body).Decode(into))
	return response.StatusCode
}

// Every game that is offered deals decisions that its rules allow, seen by the seat to move, and the
// same ones again from the same seed.
func TestDrillDealsEveryGame(t *testing.T) {
	t.Parallel()
	at := hubAt(t)
	var offered []web.DrillGame
	require.Equal(t, http.StatusOK, request(t, "GET", at+"/api/drill", "", &offered))
	var names []string
	for _, g := range offered {
		names = append(names, g.Name)
		question, err := json.Marshal(web.DrillQuestion{Game: g.Name, Rules: g.Rules, Difficulty: web.EasyDrill, Seed: 3})
		require.NoError(t, err)
		var first, again web.DealtDrill
		for _, dealt := range []*web.DealtDrill{&first, &again} {
			status := http.StatusServiceUnavailable
			for status == http.StatusServiceUnavailable { // on a busy machine the time for an answer may be over
				status = request(t, "POST", at+"/api/drill", string(question), dealt)
			}
			require.Equal(t, http.StatusOK, status, g.Name)
		}
		require.Equal(t, first, again, g.Name)
		require.Equal(t, first.Show.Eye, first.Show.Mover)
		require.Equal(t, len(first.Answer.Actions), len(first.Show.Actions))
		require.NotEmpty(t, first.Help)
		require.NotNil(t, first.Answer.Of(first.Obvious))
		game, err := standard.Games.New(g.Name, []byte(g.Rules))
		require.NoError(t, err)
		written, _, err := game.(engine.Positioned).ParsePosition(first.Position, engine.NewRNG(1, 0))
		require.NoError(t, err, g.Name)
		require.Equal(t, len(first.Answer.Actions), len(written.LegalActions(nil)), g.Name)
	}
	require.Equal(t, []string{"bank", "pig", "kuhn", "leduc", "tysiac-hand", "banluck", "lange-strasse"}, names)
	require.Equal(t, "players: 2", offered[0].Rules, "what is known of BANK! is the game for two")
}

// What cannot be dealt is refused with a sentence.
func TestDrillRefuses(t *testing.T) {
	t.Parallel()
	at := hubAt(t)
	for body, sentence := range map[string]string{
		`{"game": "chess"}`:                      "unknown game",
		`{"game": "pig", "difficulty": "cruel"}`: `difficulty is easy or hard, not "cruel"`,
		`{"game": "pig", "rules": "target: 0"}`:  "target: 0 is not in 1..10000",
		`{"game": "bank"}`:                       "bank cannot be practised under these rules",
		`{"game": "tysiac"}`:                     "tysiac cannot be practised under these rules",
		`{"game": "pig", "run": "nowhere"}`:      "nowhere",
		`{"game": "pig", "seed": -1}`:            "the question",
		`{"game": "pig", "position": "1 2"}`:     "position: scores: no seat is marked",
		`{`:                                      "the question",
		`{"game": "pig", "rules": "target: 1"}`:  "no decision was found at which a rule of thumb goes wrong",
	} {
		var answer struct{ Error string }
		status := request(t, "POST", at+"/api/drill", body, &answer)
		require.GreaterOrEqual(t, status, 400, body)
		require.Less(t, status, 500, body)
		require.Contains(t, answer.Error, sentence, body)
	}
	var answer struct{ Error string }
	require.Equal(t, http.StatusNotFound, request(t, "GET", at+"/api/drill?run=nowhere", "", &answer))
}

// A person is dealt a position, moves by a click and by a key, and sees the value of each move.
func TestDrillPage(t *testing.T) {
	t.Parallel()
	at := hubAt(t)
	for _, width := range []int64{320, 1280} {
		b := webtest.NewBrowser(t, width, 800)
		b.Do(chromedp.Navigate(at + "/drill#game=bank"))
		b.Until(`document.querySelector("#board .controls [data-action]") !== null`)
		require.Equal(t, "static", webtest.Evaluate[string](b,
			`getComputedStyle(document.querySelector("#board .controls")).position`), "the buttons do not cover the pot")
		b.Do(chromedp.Navigate("about:blank"))
		b.Do(chromedp.Navigate(at + "/drill#game=pig"))
		b.Until(`document.querySelector("#board [data-action]") !== null`)
		for decision := range 3 {
			b.Until(`document.getElementById("situation").textContent.startsWith("You are to move")`)
			b.Click(`#board [data-action="0"]`)
			b.Until(`!document.getElementById("verdict").hidden`)
			require.Equal(t, fmt.Sprint(decision+1), webtest.Evaluate[string](
				b, `document.querySelector("#score dd").firstChild.textContent`))
			require.Contains(t, webtest.Evaluate[string](b, `document.getElementById("verdict").textContent`), "win probability")
			require.True(t, webtest.Evaluate[bool](b, `document.querySelectorAll(".marks > div").length === 2`),
				"both moves are marked")
			b.Click(`#board [data-action="1"]`)
			require.Equal(t, fmt.Sprint(decision+1), webtest.Evaluate[string](
				b, `document.querySelector("#score dd").firstChild.textContent`), "a second try does not count")
			if decision == 0 {
				require.True(t, webtest.Evaluate[bool](b, `document.documentElement.scrollWidth <= innerWidth`))
				b.Axe()
				b.Keep(fmt.Sprintf("drill-%d", width))
			}
			b.Do(chromedp.Focus(`.next`), chromedp.KeyEvent(kb.Enter))
		}
		b.Clean()
	}
}

// A position in the address is asked about first, by the drill and by the companion, which joins the game there.
func TestPagesTakeAPosition(t *testing.T) {
	t.Parallel()
	at := hubAt(t)
	b := webtest.NewBrowser(t, 360, 800)
	b.Do(chromedp.Navigate(at + "/drill#game=pig&position=" + url.QueryEscape(">30 42 | 18")))
	b.Until(`document.getElementById("situation").textContent.startsWith("You are to move")`)
	b.Until(`document.querySelector(".pig-turn").textContent === "18 in this turn"`)
	b.Click(`#board [data-action="0"]`)
	b.Until(`document.querySelector("#verdict h2")?.textContent === "The best move"`)
	// Another one is typed; an invalid position is reported next to the field, and the board stays.
	b.Until(`document.getElementById("own-position").value === ">30 42 | 18"`)
	b.Do(chromedp.SetValue(`#own-position`, "1 2"))
	b.Click(`#own-form button`)
	b.Until(`document.getElementById("own-problem").textContent.startsWith("Position: scores: no seat is marked")`)
	b.Axe()
	b.Forget() // the refusal
	b.Do(chromedp.SetValue(`#own-position`, ">30 42 | 20"))
	b.Click(`#own-form button`)
	b.Until(`document.querySelector(".pig-turn").textContent === "20 in this turn"`)
	b.Until(`document.getElementById("own-problem").hidden && document.getElementById("verdict").hidden`)
	webtest.Evaluate[bool](b, `(document.getElementById("settings").scrollIntoView(), true)`)
	require.True(t, webtest.Evaluate[bool](b, `document.getElementById("score").getBoundingClientRect().top >= document.querySelector(".top").getBoundingClientRect().bottom - 2`),
		"the totals stay in sight")

	b.Do(chromedp.Navigate(at + "/companion#game=pig&position=" + url.QueryEscape("30 >42 | 18")))
	b.Until(`document.querySelectorAll("#names input[type=text]").length > 0`)
	b.Click(`#companion-form button[type=submit]`)
	b.Until(`document.querySelector("#position-line code")?.textContent === "30 >42 | 18"`)
	requireCopied(b, "30 >42 | 18")
	require.True(t, webtest.Evaluate[bool](b, `document.documentElement.scrollWidth <= innerWidth`))
	b.Click(`#board [data-action="1"]`)
	b.Until(`document.querySelector("#position-line code")?.textContent === ">30 60"`)
	b.Clean()
}

// requireCopied requires that the button of a position copies it, or selects it where that is not permitted.
func requireCopied(b *webtest.Browser, line string) {
	webtest.Evaluate[bool](b, `(Object.defineProperty(navigator, "clipboard", { configurable: true,
		value: { writeText: async (text) => { window.copied = text; } } }), true)`)
	b.Click(`#position-line button`)
	b.Until(fmt.Sprintf(`window.copied === %q && document.querySelector("#position-line button").textContent === "Copied"`, line))
	webtest.Evaluate[bool](b, `(Object.defineProperty(navigator, "clipboard", { configurable: true,
		value: { writeText: async () => { throw new Error("not permitted"); } } }), true)`)
	b.Click(`#position-line button`)
	b.Until(fmt.Sprintf(`getSelection().toString() === %q`, line))
}

// At a table and in a replay the position is copied by its button as well.
func TestPositionsAreCopied(t *testing.T) {
	t.Parallel()
	p := arrive(t, tables(t), 390, 844)
	p.sit(url.Values{"game": {"pig"}})
	p.Until(mine + ` && !document.getElementById("position-line").hidden`)
	requireCopied(p.Browser, ">0 0")
	game, err := standard.Games.New("pig", []byte("target: 20"))
	require.NoError(t, err)
	simulator, err := history.NewSimulator(game)
	require.NoError(t, err)
	var record history.Record
	require.NoError(t, simulator.Play(5, []engine.Bot{policy.Random{}, policy.Random{}}, &record))
	s, last := game.NewState(), len(record.History)-1
	for _, step := range record.History[:last] {
		require.NoError(t, s.Apply(step))
	}
	place := url.Values{"history": {string(history.Append(nil, &record))}, "step": {fmt.Sprint(last)}}
	p.Do(chromedp.Navigate(p.address + "/replay#" + place.Encode()))
	p.Until(fmt.Sprintf(`document.querySelector("#position-line code")?.textContent === %q`, engine.LineOf(game, s)))
	requireCopied(p.Browser, engine.LineOf(game, s))
	p.Clean()
}

// In Lange Strasse as many dice are asked for as were thrown, by keys as well; a strich passes the dice
// on by itself.
func TestCompanionOfLangeStrasse(t *testing.T) {
	t.Parallel()
	at := hubAt(t)
	b := webtest.NewBrowser(t, 360, 800)
	b.Do(chromedp.Navigate(at + "/companion"))
	b.Until(`document.querySelectorAll("#names input[type=text]").length > 0`)
	b.Do(chromedp.SetValue(`#companion-game`, "lange-strasse"))
	webtest.Evaluate[bool](b, `document.getElementById("companion-game").dispatchEvent(new Event("change"))`)
	b.Click(`#companion-form button[type=submit]`)
	enter := func(places int, dice string) {
		b.Until(fmt.Sprintf(`document.querySelectorAll("#entry .place").length === %d`, places))
		b.Do(chromedp.Focus(`#entry .keys button`), chromedp.KeyEvent(dice))
	}
	enter(6, "412366")
	b.Until(`document.querySelector("#board [data-i]") !== null`)
	b.Click(`.controls [data-action]`) // the 1 is all that can be kept
	enter(5, "23466")
	b.Until(`document.querySelector(".ls-story").textContent.includes("strich with 2, 3, 4, 6 and 6")`)
	b.Until(`document.querySelector(".ls-status").textContent.startsWith("Player 2's turn")`)
	require.True(t, webtest.Evaluate[bool](b, `document.querySelectorAll(".tally").length === 1`))
	b.Clean()
}

// Pig with a real die: everything is entered by taps, to the end of the game, with a move taken back,
// the best move asked for and a review.
func TestCompanionPage(t *testing.T) {
	t.Parallel()
	at := hubAt(t)
	b := webtest.NewBrowser(t, 360, 800)
	b.Do(chromedp.Navigate(at + "/companion"))
	b.Until(`document.querySelectorAll("#names input[type=text]").length > 0`)
	b.Axe()
	b.Do(chromedp.SetValue(`#companion-game`, "pig"))
	webtest.Evaluate[bool](b, `document.getElementById("companion-game").dispatchEvent(new Event("change"))`)
	require.Equal(t, 2, webtest.Evaluate[int](b, `document.querySelectorAll("#names input[type=text]").length`))
	b.Click(`#companion-form button[type=submit]`)
	b.Until(`document.querySelector("#board [data-action]") !== null`)

	roll := func(face int) {
		b.Until(`document.querySelector('#board [data-action="0"]') !== null`)
		b.Click(`#board [data-action="0"]`)
		b.Until(`document.querySelector("#entry .keys") !== null`)
		b.Click(fmt.Sprintf(`[aria-label="a %d fell"]`, face))
		b.Until(`document.querySelector("#entry .keys") === null`)
	}
	text := func(of string) string {
		return webtest.Evaluate[string](b, fmt.Sprintf(`document.querySelector(%q).textContent`, of))
	}
	roll(6)
	roll(5)
	b.Until(`document.querySelector(".pig-turn").textContent === "11 in this turn"`)
	b.Click(`#undo`)
	b.Until(`document.querySelector("#entry .keys") !== null`)
	b.Click(`[aria-label="a 4 fell"]`)
	b.Until(`document.querySelector(".pig-turn").textContent === "10 in this turn"`)
	b.Click(`#hint`)
	b.Until(`document.querySelector("#advice b") !== null`)
	require.Equal(t, "Best: roll", text("#advice b"))
	roll(1)
	b.Until(`document.getElementById("ask").textContent.startsWith("Player 2 decides")`)
	for range 17 {
		roll(6)
	}
	b.Click(`#board [data-action="1"]`)
	b.Until(`document.getElementById("ask").textContent === "The game is over."`)
	require.Contains(t, text(".pig-status"), "Player 2 has won")
	b.Click(`#review`)
	b.Until(`document.querySelectorAll("#report tbody tr").length === 2`)
	require.Equal(t, "3", text("#report tbody td"), "three decisions of one's own")
	require.True(t, webtest.Evaluate[bool](b, `document.documentElement.scrollWidth <= innerWidth`))
	b.Axe()
	b.Keep("companion-over")
	b.Do(chromedp.Reload())
	b.Until(`document.getElementById("ask").textContent === "The game is over."`)
	b.Click(`#stop`)
	b.Until(`!document.getElementById("lay").hidden`)
	b.Clean()
}
