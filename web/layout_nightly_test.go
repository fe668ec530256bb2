//go:build nightly

package web

import (
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"croupier/web/webtest"
)

// Updates of a training have the page laid out once each, however many charts there are. A page that reads a size after
// each chart that it has written is laid out once for each of them, and takes that time from the training. Layouts are
// counted by the browser, so that a busy machine changes nothing.
func TestLayoutsOfUpdates(t *testing.T) {
	const updates, most = 40, 4 // layouts of an update, with some for what comes between
	r := newTrial(t)
	r.train(0, 40)
	r.rate(3)
	s := serve(t, r.follow(), "127.0.0.1:0")
	b := webtest.NewBrowser(t, 1400, 900)
	b.Do(chromedp.Navigate("http://" + s.address))
	b.Until(entropyLine+` !== null`, func() { webtest.Evaluate[any](b, unfold) })
	charts := webtest.Evaluate[int](b, `[...document.querySelectorAll("#main svg .line")].length`)
	require.Greater(t, charts, 3*most, "with so few charts their layouts would not be noticed")
	before := b.Layouts()
	for i := range updates {
		drawn := webtest.Evaluate[int](b, entropyLine+`.getAttribute("d").length`)
		r.train(40+i, 1)
		b.Until(entropyLine + `.getAttribute("d").length !== ` + strconv.Itoa(drawn))
		b.Drawn()
	}
	layouts := b.Layouts() - before
	t.Logf("%d layouts for %d updates of %d charts", layouts, updates, charts)
	require.LessOrEqual(t, layouts, most*updates)
	b.Clean()
}
