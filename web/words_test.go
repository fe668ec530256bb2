package web

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"croupier/web/webtest"
)

// Words of the trade explain themselves: by tap, and by keyboard until Escape.
func TestExplain(t *testing.T) {
	t.Parallel()
	server := serve(t, newTrial(t).follow(), "127.0.0.1:0")
	b := webtest.NewBrowser(t, 320, 700)
	b.Do(chromedp.Navigate("http://" + server.address + "/"))
	const note = `document.querySelector("#words [role=note]")`
	b.Until(note + ` !== null`)
	b.Until(`document.documentElement.scrollWidth <= 320`)
	b.Until(note+`.matches(":popover-open")`, func() { b.Click("#words .why") }) // above it charts come
	box := webtest.Evaluate[struct{ Left, Right float64 }](b, note+`.getBoundingClientRect().toJSON()`)
	require.GreaterOrEqual(t, box.Left, 0.0)
	require.LessOrEqual(t, box.Right, 320.0)
	b.Axe()
	b.Do(chromedp.KeyEvent(kb.Escape))
	b.Until(`!` + note + `.matches(":popover-open")`)
	webtest.Evaluate[any](b, `document.querySelector("#words .why").focus()`)
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Until(note + `.matches(":popover-open")`)
	b.Clean()
}
