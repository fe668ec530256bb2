package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"croupier/messages"
	"croupier/web/webtest"
)

// captureDownloads has the page keep what it would save, by file name.
const captureDownloads = `{ window.saved = {}; window.blobs = new Map();
	const make = URL.createObjectURL; URL.createObjectURL = (blob) => { const url = make(blob); window.blobs.set(url, blob); return url; };
	HTMLAnchorElement.prototype.click = function () { const name = this.download; const blob = window.blobs.get(this.href);
		if (name.endsWith("png")) window.saved[name] = blob.type + " " + blob.size; else void blob.text().then((text) => { window.saved[name] = text; }); }; null }`

// Curves are hidden, zoomed into, smoothed and saved; how they were left is remembered.
func TestCurvesAreStudied(t *testing.T) {
	t.Parallel()
	r := newTrial(t)
	r.train(0, 400)
	r.rate(3)
	feed := r.follow()
	server := serve(t, feed, "127.0.0.1:0")
	b := webtest.NewBrowser(t, 1280, 900)
	b.Do(chromedp.Navigate("http://" + server.address))
	const (
		chart  = `document.querySelector('svg[aria-label^="Rating"]')`
		figure = chart + `.closest(".chart")`
	)
	b.Until(chart + ` !== null && ` + chart + `.querySelectorAll(".curve").length === 2`)
	b.Until(chart + `.querySelector("text.parity").textContent === "as good as leader-chaser"`)
	webtest.Evaluate[any](b, captureDownloads)

	for _, format := range []string{"csv", "svg", "png"} {
		webtest.Evaluate[any](b, fmt.Sprintf(
			`[...%s.querySelectorAll(".menu button")].find((x) => x.textContent === "%s").click()`, figure,
			strings.ToUpper(format)))
		b.Until(fmt.Sprintf(`window.saved["rating.%s"] !== undefined`, format))
	}
	csv := strings.Split(webtest.Evaluate[string](b, `window.saved["rating.csv"]`), "\n")
	require.Equal(t, "curve,seconds,samples,value,low,high", csv[0])
	require.Regexp(t, `^newest,34,81920,-?\d+(\.\d+)?,-?\d+(\.\d+)?,-?\d+(\.\d+)?$`, csv[1])
	require.Len(t, csv, 1+2*19+1)
	picture := webtest.Evaluate[string](b, `window.saved["rating.svg"]`)
	require.Contains(t, picture, `xmlns="http://www.w3.org/2000/svg"`)
	require.Contains(t, picture, "Rating")
	require.NotContains(t, picture, "class=", "it does not need the page's styles")
	require.Regexp(t, `^image/png \d{4,}$`, webtest.Evaluate[string](b, `window.saved["rating.png"]`))

	// Hidden curves stay hidden on the next visit.
	webtest.Evaluate[any](b, figure+`.querySelector('.legend button[data-label="best"]').click()`)
	b.Until(chart + `.querySelectorAll(".curve").length === 1`)
	b.Do(chromedp.Navigate("http://" + server.address))
	b.Until(chart + `?.querySelectorAll(".curve").length === 1`)
	webtest.Evaluate[any](b, figure+`.querySelector('.legend button[data-label="best"]').focus()`)
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Until(chart + `.querySelectorAll(".curve").length === 2`)
	require.Equal(t, "best", webtest.Evaluate[string](b, `document.activeElement.dataset.label`),
		"the keyboard stays where it was")

	// Dragging zooms all charts; Escape shows everything again.
	all := webtest.Evaluate[string](b, chart+`.querySelector(".tick.x:nth-of-type(2)")?.textContent ?? ""`)
	b.Until(`!`+figure+`.querySelector(".whole").hidden`, func() {
		webtest.Evaluate[any](b, chart+`.scrollIntoView({ block: "center" })`)
		box := webtest.Evaluate[struct{ X, Y, Width, Height float64 }](b, chart+`.getBoundingClientRect().toJSON()`)
		for _, e := range []struct {
			kind input.DispatchMouseEventType
			x    float64
		}{{input.DispatchMouseEventTypeMousePressed, 0.4}, {input.DispatchMouseEventTypeMouseMoved, 0.5},
			{input.DispatchMouseEventTypeMouseReleased, 0.6}} {
			b.Do(chromedp.MouseEvent(e.kind, box.X+e.x*box.Width, box.Y+0.4*box.Height, chromedp.ButtonLeft))
		}
	})
	webtest.Evaluate[any](b, chart+`.focus()`)
	b.Do(chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent(kb.Escape))
	b.Until(figure + `.querySelector(".whole").hidden`)
	require.Equal(t, all, webtest.Evaluate[string](b, chart+`.querySelector(".tick.x:nth-of-type(2)")?.textContent ?? ""`))

	webtest.Evaluate[any](b, unfold)
	const entropyMean = `document.querySelector('svg[aria-label^="Entropy"] .mean')`
	b.Until(entropyMean + ` !== null`)
	webtest.Evaluate[any](b, `{ const s = document.getElementById("smoothing"); s.value = "0"; s.dispatchEvent(new Event("input")); null }`)
	b.Until(entropyMean + ` === null`)
	webtest.Evaluate[any](b, `document.querySelector('svg[aria-label^="Entropy"]').closest(".chart").querySelector(".menu input").click()`)
	b.Until(`[...document.querySelectorAll('svg[aria-label^="Entropy"] .tick.y')].map((x) => x.textContent).join(" ") === "0.2 0.5 1"`)
	b.Axe()
	b.Clean()
}

// Moving the pointer draws the crosshair and leaves the curves alone.
func TestPointerDrawsNoCurves(t *testing.T) {
	t.Parallel()
	r := newTrial(t)
	r.train(0, 2100)
	feed := r.follow()
	wait(t, feed, "the curves", func(s *Snapshot) bool { return s.CaughtUp })
	server := serve(t, feed, "127.0.0.1:0")
	b := webtest.NewBrowser(t, 1280, 900)
	b.Do(chromedp.Navigate("http://" + server.address))
	b.Until(`document.querySelectorAll("details.fold").length > 0`)
	webtest.Evaluate[any](b, unfold)
	b.Until(`document.querySelectorAll(".plot > svg:not(.overlay) .curve").length > 12`)
	webtest.Evaluate[any](b, `{ window.redrawn = 0; window.followed = 0;
		const count = (selector, then) => document.querySelectorAll(selector).forEach((svg) =>
			new MutationObserver(then).observe(svg, { childList: true, subtree: true }));
		count(".plot > svg:not(.overlay)", () => { window.redrawn++; });
		count(".plot > .overlay", () => { window.followed++; }); null }`)
	// What the unfolding has set off comes to an end: a chart is drawn in the frame after its size has changed.
	b.Until(`window.redrawn === 0`, func() {
		webtest.Evaluate[any](b, `window.redrawn = 0`)
		b.Drawn()
		b.Drawn()
	})
	const rating = `document.querySelector('svg[aria-label^="Rating"]')`
	webtest.Evaluate[any](b, rating+`.scrollIntoView({ block: "center" })`)
	box := webtest.Evaluate[struct{ X, Y, Width, Height float64 }](b, rating+`.getBoundingClientRect().toJSON()`)
	for i := range 40 {
		b.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, box.X+box.Width*(0.2+float64(i)/60),
			box.Y+box.Height/2))
	}
	b.Until(`window.followed > 24`)
	require.Zero(t, webtest.Evaluate[int](b, `window.redrawn`))
	b.Clean()
}

// While the newest version is rated at the end of a run, the page says how far that has come.
func TestLastRatingOnThePage(t *testing.T) {
	t.Parallel()
	r := newTrial(t)
	r.train(0, 30)
	r.heartbeat("league", "1", "finishing", map[string]float64{messages.RatingPlayed: 1240, messages.RatingLeft: 860,
		messages.RatingSeconds: 62})
	feed := r.follow()
	wait(t, feed, "the rating", func(s *Snapshot) bool { return s.LastRating() != nil })
	last := feed.Snapshot().LastRating()
	require.InDelta(t, 43, last.Time.Seconds(), 0.01)
	server := serve(t, feed, "127.0.0.1:0")
	b := webtest.NewBrowser(t, 800, 600)
	b.Do(chromedp.Navigate("http://" + server.address))
	b.Until(`document.getElementById("rating-words").textContent === "Rating the newest version: 1,240 of at most 2,100 games, about 43\u202fs left"`)
	b.Clean()
}

// While a run trains for goals, the page and the API say how far off they are.
func TestGoalsOnThePage(t *testing.T) {
	t.Parallel()
	r := newTrial(t)
	r.train(0, 30)
	feed := r.follow()
	wait(t, feed, "the curves", func(s *Snapshot) bool { return len(s.Series) > 0 })
	server := serve(t, feed, "127.0.0.1:0")
	b := webtest.NewBrowser(t, 360, 600)
	b.Do(chromedp.Navigate("http://" + server.address))
	b.Until(`document.getElementById("goals").hidden && document.getElementById("link").textContent === "live"`)
	feed.Expect([]string{"beats=random in about 3m0s (1m0s or more)", "plateau at an unknown time"})
	b.Until(`document.getElementById("goals").textContent === "Ends with beats=random in about 3m0s (1m0s or more), or plateau at an unknown time."`)
	require.Len(t, feed.Snapshot().runView().Goals, 2)
	feed.End(Ending{State: "ended"})
	b.Until(`document.getElementById("goals").hidden`)
	b.Clean()
}
