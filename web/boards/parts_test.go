package boards_test

import (
	"os"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/wasm"
	"croupier/web/webtest"
)

// fileGame is a game of the kit for C.
func fileGame(t *testing.T, name string) engine.Game {
	t.Helper()
	file, err := os.ReadFile("../../engine/wasm/kits/c/" + name + ".wasm")
	require.NoError(t, err)
	f, err := wasm.Open(file)
	require.NoError(t, err)
	g, err := f.New(nil)
	require.NoError(t, err)
	return g
}

// A disc is dropped by a tap on any cell of its column, or by arrow keys and Enter. Each cell has a name, and there is
// no further button for what a cell does.
func TestConnectFourIsPlayedOnItsGrid(t *testing.T) {
	b := webtest.NewBoard(t, 360, 800, fileGame(t, "connect-four"), 0)
	const cells = ".board-grid .cell"
	require.Equal(t, 42, webtest.Evaluate[int](b.Browser, `document.querySelectorAll("`+cells+`").length`))
	require.Equal(t, 0, webtest.Evaluate[int](b.Browser, `document.querySelectorAll(".controls button").length`))
	require.Equal(t, "column 4 (row 3, column 4: empty)", webtest.Evaluate[string](b.Browser,
		`document.querySelectorAll("`+cells+`")[17].getAttribute("aria-label")`))
	b.Click(cells + ":nth-child(18)")
	require.Equal(t, []int{3}, b.Acted())

	b.Play(3)
	require.Equal(t, "@0", webtest.Evaluate[string](b.Browser, `document.querySelectorAll("`+cells+`")[38].dataset.cell`))
	require.Contains(t, webtest.Evaluate[string](b.Browser,
		`document.querySelectorAll("`+cells+`")[38].getAttribute("aria-label")`), "row 6, column 4: You")
	b.Click(cells + ":nth-child(1)")
	require.Empty(t, b.Acted(), "the other seat is to move")

	b.Play(0)
	b.Do(chromedp.Focus(cells+":nth-child(1)"), chromedp.KeyEvent(kb.ArrowRight),
		chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft),
		chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.Enter))
	require.Equal(t, []int{1}, b.Acted())
	b.Play(1)
	require.Equal(t, 8, webtest.Evaluate[int](b.Browser,
		`[...document.querySelectorAll("`+cells+`")].indexOf(document.activeElement)`), "the focus stays where it was")
	require.True(t, webtest.Evaluate[bool](b.Browser, `board.element(2).classList.contains("cell")`))
	looks{}.requireFits(t, b.Browser, "connect-four", "discs", []int64{360, 1280})
	b.Resize(320, 640) // columns are 41 pixels wide there, and as high as the grid
	require.True(t, webtest.Evaluate[bool](b.Browser, overflow))
}

// A game that gives no view is played with a button for each action.
func TestAFileWithoutAViewIsPlayedWithButtons(t *testing.T) {
	b := webtest.NewBoard(t, 360, 800, fileGame(t, "kuhn"), 0)
	b.Play(2, 0)
	require.Equal(t, "seat: 1 0\ncard: 0 0 1\npot: 0.5 0.5\nbetting: 0 0 0 0 0 0", webtest.Evaluate[string](b.Browser,
		`document.querySelector("pre").textContent`), "what the seat observes, and not the other's card")
	require.Equal(t, []string{"Check", "Bet"}, webtest.Evaluate[[]string](b.Browser,
		`[...document.querySelectorAll(".controls button")].map((b) => b.textContent)`))
	b.Click(".controls button:nth-child(2)")
	require.Equal(t, []int{1}, b.Acted())
	b.Do(chromedp.Focus(".controls button"), chromedp.KeyEvent(kb.Enter))
	require.Equal(t, []int{0}, b.Acted())
	looks{}.requireFits(t, b.Browser, "kuhn-twin", "buttons", []int64{360, 320})
}
