package web

import (
	"encoding/json"
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

// met is an entry of the payoff matrix of a game for three, in which parity is a third.
func met(a, b string, low, high float64) messages.Payoff {
	return messages.Payoff{A: a, B: b, Games: 300, WinShare: &messages.WinShare{ShareA: (low + high) / 2, ShareLow: low, ShareHigh: high}}
}

// The first sentence says of each bot what the games against it leave open, and no more.
func TestSummary(t *testing.T) {
	best := messages.LadderAgent{Name: "main@8", Kind: "network", Best: true}
	agents := []messages.LadderAgent{best, {Name: "random", Kind: "bot"}, {Name: "chaser", Kind: "bot"}, {Name: "solver:optimal", Kind: "solver"}}
	money := func(b string, low, high float64) messages.Payoff {
		return messages.Payoff{A: "main@8", B: b, Games: 300, MeanReturnA: (low + high) / 2, Low: low, High: high}
	}
	for want, payoff := range map[string][]messages.Payoff{
		"After 1 min 30 s, main@8 beats every bot.": {met("main@8", "random", 0.8, 0.9), met("main@8", "chaser", 0.34, 0.4)},
		"After 1 min 30 s, main@8 beats random and is about as good as chaser.": {
			met("main@8", "random", 0.8, 0.9), met("main@8", "chaser", 0.33, 0.4)},
		"After 1 min 30 s, main@8 beats random and still loses to chaser. solver:optimal, which plays exactly, is still better.": {
			met("main@8", "random", 0.8, 0.9), met("main@8", "chaser", 0.2, 0.33), met("main@8", "solver:optimal", 0.2, 0.3),
			met("chaser", "main@8", 0.1, 0.2)},
		"After 1 min 30 s, main@8 still loses to random and chaser.": {met("main@8", "random", 0, 0.1), met("main@8", "chaser", 0, 0.1)},
		"After 1 min 30 s, main@8 beats every bot. It cannot be told from solver:optimal, which plays exactly.": {
			money("random", 0.1, 0.2), money("chaser", 0.001, 0.2), money("solver:optimal", -0.1, 0.05)},
		"main@8 is the best so far; it has not met the bots yet.": {},
	} {
		require.Equal(t, want, summarised(t, &messages.Ladder{Game: "bank", Seats: 3, Agents: agents, Payoff: payoff}))
	}
	require.Equal(t, "Learning has begun; how strong it is, the first rated games will tell.",
		summarised(t, &messages.Ladder{Agents: agents[1:]}))
}

var summaryPage *webtest.Browser

// summarised returns the sentence of a ladder after 90 seconds.
func summarised(t *testing.T, l *messages.Ladder) string {
	t.Helper()
	if summaryPage == nil {
		server := serve(t, newTrial(t).follow(), "127.0.0.1:0")
		summaryPage = webtest.NewBrowser(t, 800, 600)
		t.Cleanup(func() { summaryPage = nil })
		summaryPage.Do(chromedp.Navigate("http://" + server.address + "/cluster"))
	}
	document, err := json.Marshal(l)
	require.NoError(t, err)
	webtest.Evaluate[any](summaryPage, fmt.Sprintf(
		`{ window.said = undefined; void import("/assets/summary.js").then((m) => { window.said = m.summary(%s, 90); }); null }`, document))
	summaryPage.Until(`window.said !== undefined`)
	return strings.ReplaceAll(webtest.Evaluate[string](summaryPage, `window.said`), "\u202f", " ")
}

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
		webtest.Evaluate[any](b, fmt.Sprintf(`[...%s.querySelectorAll(".menu button")].find((x) => x.textContent === "%s").click()`, figure, strings.ToUpper(format)))
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
	require.Equal(t, "best", webtest.Evaluate[string](b, `document.activeElement.dataset.label`), "the keyboard stays where it was")

	// Dragging zooms all charts; Escape shows everything again.
	all := webtest.Evaluate[string](b, chart+`.querySelector(".tick.x:nth-of-type(2)")?.textContent ?? ""`)
	b.Until(`!`+figure+`.querySelector(".whole").hidden`, func() {
		box := webtest.Evaluate[struct{ X, Y, Width, Height float64 }](b, chart+`.getBoundingClientRect().toJSON()`)
		for _, e := range []struct {
			kind input.DispatchMouseEventType
			x    float64
		}{{input.DispatchMouseEventTypeMousePressed, 0.4}, {input.DispatchMouseEventTypeMouseMoved, 0.5}, {input.DispatchMouseEventTypeMouseReleased, 0.6}} {
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
		b.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, box.X+box.Width*(0.2+float64(i)/60), box.Y+box.Height/2))
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
	r.heartbeat("league", "1", "finishing", map[string]float64{messages.RatingPlayed: 1240, messages.RatingLeft: 860, messages.RatingSeconds: 62})
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
