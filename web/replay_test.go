package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"croupier/games/standard"
	"croupier/play"
	"croupier/web/webtest"
)

// serveReplay serves the pages on which games are looked at again and judged.
func serveReplay(t *testing.T) *serving {
	h, _ := handler(newTrial(t).follow(), func(o *Options) {
		o.Pages = []Page{AdvicePage(testAdvisor{}, quiet), ReplayPage(standard.Games.New, assessing, quiet)}
	})
	return serveHandler(t, h, "127.0.0.1:0")
}

func TestReplayAPI(t *testing.T) {
	h, _ := handler(newTrial(t).follow(), func(o *Options) {
		o.Pages = []Page{ReplayPage(standard.Games.New, assessing, quiet)}
	})
	const body = `{"histories": "{\"game\": \"kuhn\", \"history\": [2, 1, 0, 1, 0]}\n{\"game\": \"pig\", \"history\": [0]}", "eye": 1}`
	var p problem
	require.Equal(t, http.StatusUnprocessableEntity, post(t, h, "/api/replay", body, &p))
	require.Contains(t, p.Error, "line 2")
	var r play.Replay
	require.Equal(t, http.StatusOK, post(t, h, "/api/replay", strings.Split(body, `\n`)[0]+`", "eye": 1}`, &r))
	require.Len(t, r.Shows, 6)
	require.Equal(t, []int{2, 3, 4}, r.Choices)
	require.Equal(t, 1, r.Shows[3].Eye)
}

// outlook is what the game is worth to the seats as the page says it.
const outlook = `[...document.querySelectorAll("#outlook li b")].map((b) => b.textContent.replace(/[\u202f\u00a0]/g, " "))`

// A game is walked through: by buttons, keys and the graph, judged, and a moment is passed on.
func TestReplayPage(t *testing.T) {
	t.Parallel()
	server := serveReplay(t)
	b := webtest.NewBrowser(t, 1280, 900)
	b.Do(chromedp.Navigate("http://" + server.address + "/replay"))
	b.Until(`document.getElementById("histories") !== null && document.querySelector(".settings") !== null`)
	webtest.Evaluate[any](b, `document.getElementById("histories").value = '{"game": "kuhn", "history": [2, 1, 0, 1, 0]}\n{"game": "kuhn", "history": [0, 2, 1, 1]}'`)
	webtest.Evaluate[any](b, `document.querySelector("#open button").click()`)
	b.Until(`document.getElementById("caption").textContent.startsWith("Step 0 of 5")`)
	b.Until(`document.querySelectorAll("#seats tbody tr").length === 5`)
	require.Equal(t, 2, webtest.Evaluate[int](b, `document.querySelectorAll(".graph .dots span").length`), "mistakes")
	caption := func() string { return webtest.Evaluate[string](b, `document.getElementById("caption").textContent`) }

	webtest.Evaluate[any](b, `document.getElementById("choice-forward").click()`)
	b.Until(`document.getElementById("caption").textContent.startsWith("Step 2")`)
	require.Contains(t, webtest.Evaluate[string](b, `document.getElementById("alternatives").textContent`), "Check")
	b.Until(`document.getElementById("outlook").textContent.includes("Exact: what each seat can expect from best play as of its newest choice, by the cards that it sees.")`)
	require.Equal(t, []string{"+1.17 antes", "not yet known"}, webtest.Evaluate[[]string](b, outlook))
	webtest.Evaluate[any](b, `document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "End", bubbles: true}))`)
	b.Until(`document.getElementById("caption").textContent.includes("the end")`)
	webtest.Evaluate[any](b, `document.querySelector(".moments button").click()`)
	b.Until(`document.querySelector("#alternatives .headline")?.textContent.startsWith("Fold instead of call: a mistake") ?? false`)
	require.Contains(t, caption(), "Step 4 of 5 · Player 2: bet")
	require.NotContains(t, webtest.Evaluate[[]string](b, outlook), "not yet known")
	b.Keep("kuhn")

	place := webtest.Evaluate[string](b, `document.getElementById("moment").href`)
	b.Do(chromedp.Navigate("about:blank"))
	b.Do(chromedp.Navigate(place))
	b.Until(`document.getElementById("caption").textContent.startsWith("Step 4 of 5")`)
	webtest.Evaluate[any](b, `(() => { const e = document.getElementById("eye"); e.value = "0"; e.dispatchEvent(new Event("change")); })()`)
	b.Until(`document.querySelectorAll('#board .seat [aria-label="a card face down"]').length === 1`)
	require.Equal(t, "not yet known", webtest.Evaluate[[]string](b, outlook)[1], "it would tell of the hidden card")
	webtest.Evaluate[any](b, `(() => { const e = document.getElementById("game-index"); e.value = "1"; e.dispatchEvent(new Event("change")); })()`)
	b.Until(`document.getElementById("caption").textContent.startsWith("Step 0 of 4")`)
	webtest.Evaluate[any](b, `document.getElementById("speed").value = "10"; document.getElementById("play").click()`)
	b.Until(`document.getElementById("caption").textContent.includes("the end")`)
	b.Axe()
	b.Resize(320, 800)
	webtest.Evaluate[any](b, `document.getElementById("histories").value = '{"game": "bank", "rules": {"players": 2, "rounds": 1}, "history": [3, 1, 1]}'`)
	webtest.Evaluate[any](b, `document.querySelector("#open button").click()`)
	b.Until(`document.querySelector(".bank-player") !== null`)
	b.Until(`[...document.querySelectorAll(".bank-player, .bank-pot")].every((e) =>
		e.getBoundingClientRect().right <= document.getElementById("board").getBoundingClientRect().right)`)
	require.Equal(t, "static", webtest.Evaluate[string](b, `getComputedStyle(document.querySelector("#board .controls")).position`),
		"buttons that nobody presses do not cover the players")
	b.Clean()
}
