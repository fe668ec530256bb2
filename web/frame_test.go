package web

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"croupier/web/webtest"
)

const background = `getComputedStyle(document.body).backgroundColor`

// The theme is the system's until another is chosen, which stays chosen on all pages; the system's own is no choice.
func TestTheme(t *testing.T) {
	t.Parallel()
	server := serve(t, newTrial(t).follow(), "127.0.0.1:0")
	b := webtest.NewBrowser(t, 768, 900)
	const dark, light = "rgb(14, 20, 19)", "rgb(246, 247, 247)"
	shown := func(path, expected string) {
		b.Do(chromedp.Navigate("http://" + server.address + path))
		require.Equal(t, expected, webtest.Evaluate[string](b, background))
	}
	b.Scheme("light")
	shown("/", light)
	b.Click("#theme")
	require.Equal(t, dark, webtest.Evaluate[string](b, background))
	require.Equal(t, "true", webtest.Evaluate[string](b, `document.getElementById("theme").ariaPressed`))
	shown("/league", dark)
	b.Scheme("dark")
	b.Click("#theme")
	shown("/", light)
	b.Click("#theme") // as the system has it
	shown("/", dark)
	b.Scheme("light")
	shown("/", light)
	b.Clean()
}

// On a phone the pages are behind a button, which the keyboard works as well.
func TestMenu(t *testing.T) {
	t.Parallel()
	server := serve(t, newTrial(t).follow(), "127.0.0.1:0")
	b := webtest.NewBrowser(t, 320, 700)
	b.Do(chromedp.Navigate("http://" + server.address + "/"))
	b.Until(`!document.getElementById("link").hidden`)
	require.True(t, webtest.Evaluate[bool](b, `(() => {
		const middle = (e) => { const box = e.getBoundingClientRect(); return (box.top + box.bottom) / 2; };
		return [...document.querySelectorAll("#menu, .top .help, #theme, #theme svg")]
			.every((e) => Math.abs(middle(e) - middle(document.querySelector(".brand"))) < 4);
	})()`), "the header is one line, and the run below it another one")
	const hidden = `document.querySelector('nav a[href="/league"]').offsetParent === null`
	require.True(t, webtest.Evaluate[bool](b, hidden))
	webtest.Evaluate[any](b, `document.getElementById("menu").focus()`)
	b.Do(chromedp.KeyEvent(kb.Enter))
	require.False(t, webtest.Evaluate[bool](b, hidden))
	b.Axe()
	b.Do(chromedp.KeyEvent(kb.Escape))
	require.True(t, webtest.Evaluate[bool](b, hidden))
	b.Click("#menu")
	b.Click(`nav a[href="/league"]`)
	b.Until(`location.pathname === "/league"`)
	b.Clean()
}
