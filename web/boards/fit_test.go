package boards_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/nightly"
	"croupier/web/webtest"
)

// windows are the widths that boards and editors are looked at in: for each change one page, which gets one width
// after the other, and nightly a page for each width as well, as somebody sees it who comes with that window.
func windows() [][]int64 {
	resized := []int64{360, 320, 768, 1280}
	if !nightly.On {
		return [][]int64{resized}
	}
	return [][]int64{resized, {360}, {320}, {768}, {1280}}
}

// looks remembers of which games a test has had axe look at the dark theme.
type looks map[string]bool

// requireFits requires at each width that the page does not scroll sideways and has no small controls, at the first one
// in both themes, and that axe finds nothing there: what it asks of names, roles and colours does not depend on the
// width. In the dark theme colours alone can be wrong, which are those of app.css (web's TestContrast): axe, to
// which they take most of its time, looks at them once a game, and nightly always. With go test -artifacts the pictures
// are kept.
func (l looks) requireFits(t *testing.T, b *webtest.Browser, game, name string, widths []int64) {
	t.Helper()
	for i, width := range widths {
		if len(widths) > 1 {
			b.Resize(width, 800)
		}
		themes := []string{"light", "dark"}
		if i > 0 && !nightly.On && !webtest.Kept() {
			themes = themes[:1] // no style but colours depends on them
		}
		for _, theme := range themes {
			b.Scheme(theme)
			picture := fmt.Sprintf("%s-%d-%s", name, width, theme)
			b.Keep(picture)
			requireRoom(t, b, picture)
			if i == 0 && (theme == "light" || nightly.On || !l[game]) {
				b.Axe()
			}
		}
	}
	l[game] = true
	b.Scheme("light")
}

// requireRoom requires that the page does not scroll sideways and has no small controls.
func requireRoom(t *testing.T, b *webtest.Browser, name string) {
	t.Helper()
	b.Until(`[...document.styleSheets].length > 1 && document.querySelector("#board > *") !== null`)
	require.LessOrEqual(t, webtest.Evaluate[int](b, `document.documentElement.scrollWidth - innerWidth`), 0,
		"%s scrolls sideways", name)
	require.Empty(t, small(b), "%s has small controls", name)
}

// small lists controls that are hard to hit with a thumb: with less than 44 pixels to be seen.
func small(b *webtest.Browser) []string {
	return webtest.Evaluate[[]string](b, `[...document.querySelector("#board").querySelectorAll(
		"button, summary, label:has(input), input[type=range]")].filter((e) => {
		const box = e.getBoundingClientRect();
		const next = e.matches(".card-button") && e.nextElementSibling?.getBoundingClientRect();
		const width = next && next.left > box.left ? next.left - box.left : box.width;
		return box.width > 0 && (box.height < 43.5 || width < 43.5);
	}).map((e) => e.outerHTML.slice(0, 200))`)
}
