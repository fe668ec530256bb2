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
	b.Do(chromedp.Click("#words .why"))
	b.Until(note + `.matches(":popover-open")`)
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

// Numbers are written without exponents, without a minus before nothing, and with one kind of minus.
func TestNumbersForPeople(t *testing.T) {
	t.Parallel()
	server := serve(t, newTrial(t).follow(), "127.0.0.1:0")
	b := webtest.NewBrowser(t, 1280, 900)
	b.Do(chromedp.Navigate("http://" + server.address + "/"))
	webtest.Evaluate[any](b, `import("/assets/format.js").then((format) => { window.format = format; })`)
	b.Until(`window.format !== undefined`)
	for value, expected := range map[string]string{
		"-1.63e-11": "0", "-0": "0", "0": "0", "0.00000213": "0.00000213", "-0.0119": "\u22120.0119", "0.254": "0.254",
		"336": "336", "999.7": "1000", "1234.5": "1235", "9999.9": "10.0k", "983040": "983k", "999999": "1.00M", "1.5e15": "1500T",
	} {
		require.Equal(t, expected, webtest.Evaluate[string](b, `format.number(`+value+`)`), value)
	}
	require.Equal(t, "0.000", webtest.Evaluate[string](b, `format.decimal(-0.0001, 3)`))
	b.Clean()
}
