package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"croupier/games/standard"
	"croupier/internal/nightly"
	"croupier/internal/testport"
	"croupier/learner"
	"croupier/messages"
	"croupier/web/webtest"
)

// serving is a web server of a feed on a port of its own.
type serving struct {
	address string
	stop    func()
}

func serve(t *testing.T, feed *Feed, address string) *serving {
	registry := prometheus.NewRegistry()
	return serveHandler(t, NewServer(Options{Feed: feed, Series: learner.Series(), Log: quiet, Registerer: registry,
		Gatherer: registry,
		Boards:   standard.Games.Boards()}), address)
}

func serveHandler(t *testing.T, handler http.Handler, address string) *serving {
	listener, err := net.Listen("tcp", address)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, listener, nil, handler, quiet) }()
	s := &serving{address: listener.Addr().String()}
	s.stop = sync.OnceFunc(func() {
		cancel()
		require.NoError(t, <-done)
	})
	t.Cleanup(s.stop)
	return s
}

// window is a size in which pages are looked at.
type window struct {
	name          string
	width, height int64
}

// windows are those of TestPagesFit: for each change one browser that has one size after the other, and nightly a
// browser of each size as well, in which pages are loaded.
func windows() [][]window {
	resized := []window{
		{"phone", 390, 844}, {"small", 320, 640}, {"tablet", 768, 1024}, {"window", 1024, 768}, {"desk", 1280, 900},
	}
	if !nightly.On {
		return [][]window{resized}
	}
	list := [][]window{resized}
	for _, w := range resized {
		list = append(list, []window{w})
	}
	return list
}

// Every page fits its window, on a desk and in a hand, light and dark. With
// go test -artifacts the pictures are kept.
func TestPagesFit(t *testing.T) {
	t.Parallel()
	r := newTrial(t)
	r.configure()
	r.train(0, 1200)
	r.rate(12)
	r.beat()
	feed := r.follow()
	wait(t, feed, "everything", func(s *Snapshot) bool { return s.CaughtUp && s.Ladder != nil && len(s.Roles) == 5 })
	server := serve(t, feed, "127.0.0.1:0")
	for _, sizes := range windows() {
		b := webtest.NewBrowser(t, sizes[0].width, sizes[0].height)
		for _, p := range runPages {
			for _, scheme := range []string{"light", "dark"} {
				b.Scheme(scheme)
				if scheme == "light" || nightly.On {
					b.Do(chromedp.Navigate("http://" + server.address + p.Path))
					b.Until(`document.getElementById("link").dataset.state === "live"`)
				}
				for i, w := range sizes {
					if len(sizes) > 1 {
						b.Resize(w.width, w.height)
					}
					b.Keep(strings.Join([]string{p.Name, w.name, scheme}, "-"))
					// (A phone shows a page that is too wide as if its window were wider.)
					b.Until(fmt.Sprintf(`document.documentElement.scrollWidth <= %d`, w.width))
					if i == 0 {
						b.Axe()
					}
				}
			}
		}
		b.Clean()
	}
}

const (
	unfold      = `document.querySelectorAll("details.fold").forEach((d) => { d.open = true; })`
	entropyLine = `document.querySelector('svg[aria-label^="Entropy"] .line')`
	bankedLine  = `document.querySelector('section[aria-label="Figures"]:not([hidden]) svg[aria-label^="Banked value"] .band')`
)

// A page that is open when training begins shows the curves as they come, and
// says what it waits for until then.
func TestCurveAppearsAndGrows(t *testing.T) {
	t.Parallel()
	r := newTrial(t)
	feed := r.follow()
	server := serve(t, feed, "127.0.0.1:0")
	b := webtest.NewBrowser(t, 1280, 900)
	b.Do(chromedp.Navigate("http://" + server.address))
	b.Until(`document.getElementById("link").dataset.state === "live"`)
	b.Until(`document.body.textContent.includes("waiting for the first rated version…")`)
	b.Keep("empty")

	webtest.Evaluate[any](b, unfold)
	r.train(0, 30)
	b.Until(entropyLine + ` !== null`)
	before := webtest.Evaluate[int](b, entropyLine+`.getAttribute("d").length`)
	r.train(30, 30)
	b.Until(fmt.Sprintf(`%s.getAttribute("d").length > %d`, entropyLine, before))
	b.Until(`document.querySelectorAll('svg[aria-label^="Rating"] .band').length === 2`) // the league's intervals

	webtest.Evaluate[any](b, unfold)
	require.Nil(t, webtest.Evaluate[any](b, bankedLine), "the ladder has not told what the game's figures are")
	r.rate(2)
	r.train(60, 10)
	b.Until(bankedLine + ` !== null`)
	require.Contains(t, webtest.Evaluate[string](b, `document.querySelector('section[aria-label="Figures"]').textContent`),
		"rounds with a bank")
	b.Until(`/^After .*, Version 1 .* random/.test(document.getElementById("summary").textContent)`)
	b.Clean()
}

// The parts of a series are in its chart, whatever their names.
func TestPartsOfASeries(t *testing.T) {
	t.Parallel()
	r := newTrial(t)
	r.points("league", 1, 4096, value("exploitability", 0.3), value("exploitability/banker", 0.4),
		value("exploitability/punter", 0.2))
	server := serve(t, r.follow(), "127.0.0.1:0")
	b := webtest.NewBrowser(t, 1280, 900)
	b.Do(chromedp.Navigate("http://" + server.address))
	b.Until(`document.querySelector('svg[aria-label^="Exploitability ("]') !== null`)
	require.Contains(t, webtest.Evaluate[string](
		b, `document.querySelector('svg[aria-label^="Exploitability"]').getAttribute("aria-label")`),
		"exploitability 0.300, banker 0.400, punter 0.200")
	require.NotContains(t, webtest.Evaluate[string](b, `document.getElementById("charts").innerText`), "Other series")
	b.Clean()
}

func TestHoverShowsAllValues(t *testing.T) {
	t.Parallel()
	r := newTrial(t)
	r.train(0, 100)
	feed := r.follow()
	server := serve(t, feed, "127.0.0.1:0")
	b := webtest.NewBrowser(t, 1280, 900)
	b.Do(chromedp.Navigate("http://" + server.address))
	const chart = `document.querySelector('svg[aria-label^="Share of the win"]')`
	b.Until(chart + ` !== null`)
	webtest.Evaluate[any](b, unfold)
	const tip = `document.querySelector('.tip:not([hidden])')`
	over := func() {
		box := webtest.Evaluate[struct{ X, Y, Width, Height float64 }](b, chart+`.getBoundingClientRect().toJSON()`)
		b.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, box.X+0.6*box.Width, box.Y+0.5*box.Height))
	}
	// The first points are drawn before all are there, and charts that were folded later than others.
	b.Until(`["min", "samples", "random", "threshold(60)", "threshold(100)", "%", " to "].every(
		(part) => `+tip+`.innerText.includes(part))`, over)
	b.Until(`document.querySelectorAll(".cross").length > 5`, over)
	b.Keep("hover")

	b.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, 1, 1))
	b.Until(tip + ` === null`)
	webtest.Evaluate[any](b, chart+`.focus()`)
	b.Do(chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.ArrowRight))
	const second = "164k samples" // of the league, which measures every 20 updates of 4,096 samples
	b.Until(fmt.Sprintf("%s?.innerText.includes(%q) ?? false", tip, second))

	webtest.Evaluate[any](b, `document.querySelector('#axis input[value="samples"]').click()`)
	b.Until(chart + `.querySelector(".title.x").textContent === "training samples"`)
	b.Clean()
}

func TestLadderAppears(t *testing.T) {
	t.Parallel()
	r := newTrial(t)
	feed := r.follow()
	server := serve(t, feed, "127.0.0.1:0")
	b := webtest.NewBrowser(t, 1280, 900)
	b.Do(chromedp.Navigate("http://" + server.address + "/league"))
	b.Until(`document.getElementById("ladder").textContent.includes("waiting")`)
	r.rate(3)
	b.Until(`document.querySelectorAll(".ladder tbody tr").length === 7`)
	require.Equal(t, "main@2", webtest.Evaluate[string](b, `document.querySelector(".ladder tr.best th").title`))
	require.Equal(t, "Version 2", webtest.Evaluate[string](
		b, `document.querySelector(".ladder tr.best [data-name]").textContent`))
	require.Regexp(t, `^Best: Version 2\. `, webtest.Evaluate[string](b, `document.getElementById("verdict").textContent`))
	const figure = `document.querySelector(".ladder tr.best").cells[9]`
	require.True(t, webtest.Evaluate[bool](b, figure+`.hidden`), "figures are shown when they are asked for")
	webtest.Evaluate[any](b, `[...document.querySelectorAll("#columns input")].at(-1).click()`)
	require.False(t, webtest.Evaluate[bool](b, figure+`.hidden`))
	require.Equal(t, "rounds with a bank (share per round)", webtest.Evaluate[string](
		b, `document.querySelectorAll(".ladder thead th")[9].title`))
	require.Equal(t, "75.0\u202f%",
		webtest.Evaluate[string](b, `document.querySelector(".ladder tr.best").cells[9].textContent`))
	require.Equal(t, "70.0\u202f% to 80.0\u202f% (share per round)",
		webtest.Evaluate[string](b, `document.querySelector(".ladder tr.best").cells[9].title`))
	b.Until(`document.querySelector("#population tbody .name").textContent === "main@3"`) // which has a key of its own
	require.Equal(t, "main@2|main@1|2\u202fmin|340|31|-4 to 66|2040", strings.ReplaceAll(webtest.Evaluate[string](b,
		`[...document.querySelector("#promotions tbody tr").cells].map((c) => c.textContent).join("|")`), "\u2212", "-"))
	require.Equal(t, "main@1|nobody|1\u202fmin|–|–||", webtest.Evaluate[string](b,
		`[...document.querySelectorAll("#promotions tbody tr")[1].cells].map((c) => c.textContent).join("|")`))
	webtest.Evaluate[any](b, `document.querySelector(".payoff td[tabindex='0']").focus()`)
	b.Do(chromedp.KeyEvent(kb.ArrowDown))
	b.Until(`document.querySelector(".detail").textContent.includes("1,200 games")`)
	b.Clean()
}

// The page of a tournament shows its rounds, and nothing of training.
func TestTournamentOnThePage(t *testing.T) {
	t.Parallel()
	r := newTrial(t)
	l := messages.Ladder{
		Game: "pig", Scale: messages.Scale{Kind: messages.EloScale, Unit: "Elo", Zero: messages.MeanZero},
		Format: "swiss in 2 rounds",
		Agents: []messages.LadderAgent{{Name: "a", Rating: 9}, {Name: "b", Rating: 1}, {Name: "c", Rating: -10}},
		Rounds: []messages.Round{{{A: "a", B: "b", PointsA: 0.5, Games: 60}, {A: "c", PointsA: 1}},
			{{A: "c", B: "a", PointsA: 0, Games: 60}, {A: "b", PointsA: 1}}},
	}
	data, err := json.Marshal(l)
	require.NoError(t, err)
	r.put(messages.LadderKey, data)
	server := serve(t, r.follow(), "127.0.0.1:0")
	b := webtest.NewBrowser(t, 360, 800)
	b.Do(chromedp.Navigate("http://" + server.address + "/league"))
	b.Until(`document.querySelectorAll("#rounds tbody tr").length === 3`)
	require.Equal(t, "1|a|1.5|=2|+3;2|b|1.5|=1|+;3|c|1|+|-1", webtest.Evaluate[string](b,
		`[...document.querySelectorAll("#rounds tbody tr")].map((r) => [...r.cells].map((c) => c.textContent).join("|")).join(";")`))
	require.False(t, webtest.Evaluate[bool](b, `document.getElementById("promotions").checkVisibility()`))
	require.False(t, webtest.Evaluate[bool](b, `document.getElementById("population").checkVisibility()`))
	b.Clean()
}

// The league's page has a row for each other table of a family: what the newest version got, whether that is above
// equal play, and which version was not promoted because of it.
func TestTablesOnThePage(t *testing.T) {
	t.Parallel()
	r := newTrial(t)
	result := func(agent string, value float64) messages.TableResult {
		return messages.TableResult{Agent: agent, Games: 400,
			Interval: messages.Interval{Value: value, Low: value - 0.04, High: value + 0.04}}
	}
	l := messages.Ladder{
		Game: "bank", Seats: 3, Scale: messages.Scale{Kind: messages.EloScale, Unit: "Elo", Zero: "bot"},
		Agents: []messages.LadderAgent{{Name: "main@2", Kind: "network"}},
		Tables: []messages.LadderTable{
			{Name: "Four", Seats: 4, Against: "bot", Unit: "of the win", Parity: 0.25, Rules: []byte(`{"players":4}`),
				Results: []messages.TableResult{result("main@1", 0.3), result("main@2", 0.4)},
				Refused: []messages.TableRefusal{{TableResult: result("main@3", 0.2), Best: result("main@2", 0.4)}}},
			{Name: "Eight", Seats: 8, Against: "bot", Unit: "of the win", Parity: 0.125, Rules: []byte(`{"players":8}`),
				Results: []messages.TableResult{}},
		},
	}
	data, err := json.Marshal(l)
	require.NoError(t, err)
	r.put(messages.LadderKey, data)
	server := serve(t, r.follow(), "127.0.0.1:0")
	b := webtest.NewBrowser(t, 360, 800)
	b.Do(chromedp.Navigate("http://" + server.address + "/league"))
	b.Until(`document.querySelectorAll("#tables tbody tr").length === 2`)
	require.Equal(t, "Four|4|main@2|bot|40.0\u202f%||25.0\u202f%|above; main@3 is not promoted: it gets 20.0\u202f% watch;"+
		"Eight|8||bot|||12.5\u202f%|not measured yet",
		webtest.Evaluate[string](b,
			`[...document.querySelectorAll("#tables tbody tr")].map((r) => [...r.cells].map((c) => c.textContent).join("|")).join(";")`))
	href := webtest.Evaluate[string](b, `decodeURIComponent(document.querySelector("#tables a").href)`)
	require.Contains(t, href, `rules={"players":4}&seat=main@2&seat=bot&seat=bot&seat=bot`)
	b.Clean()

	// A tab shows one table: its versions, the newest first, and their curve.
	r.points("league", 1, 4096, band("table_share/Four", 0.5, 0.04))
	r.points("league", 2, 8192, band("table_share/Four", 0.4, 0.04))
	text := func(selector string) string {
		return webtest.Evaluate[string](b, `document.querySelector('`+selector+`').textContent`)
	}
	webtest.Evaluate[any](b, `document.querySelector("#tables-tabs [aria-selected='true']").focus()`)
	b.Do(chromedp.KeyEvent(kb.ArrowRight))
	b.Until(`document.querySelector("#tables-tabs [aria-selected='true']").textContent === "Four"`)
	require.Equal(t, "4 seats; each version alone among copies of bot. Equal play gets 25.0\u202f%. The newest result: above.",
		text("#tables-note"))
	require.Equal(t, "main@2|400|40.0\u202f%||better|watch;main@1|400|30.0\u202f%|||watch", webtest.Evaluate[string](b,
		`[...document.querySelectorAll("#tables tbody tr")].map((r) => [...r.cells].map((c) => c.textContent).join("|")).join(";")`))
	b.Until(`document.querySelector("#tables-curve .line")?.checkVisibility()`)
	require.Equal(t, "40.0\u202f%", text("#tables-curve [data-value]"))
	require.True(t, webtest.Evaluate[bool](b, `document.querySelector("#tables thead th").checkVisibility()`))
	b.Axe()
	b.Keep("tables")
	b.Clean()
	webtest.Evaluate[any](b, `document.querySelector("#tables-tabs [data-table='Eight']").click()`)
	b.Until(`document.getElementById("tables").textContent === "not measured yet"`)
	b.Until(`document.querySelector("#tables-curve svg").textContent === "waiting for the first result…"`)
	b.Do(chromedp.KeyEvent(kb.ArrowRight)) // from the last one to the first
	b.Until(`document.querySelectorAll("#tables tbody tr").length === 2`)
	require.False(t, webtest.Evaluate[bool](b, `document.getElementById("tables-curve").checkVisibility()`))
	b.Clean()
}

// The page writes ratings for money as the terminal does: digit by digit, and without a
// share of the win.
func TestMoneyOnThePage(t *testing.T) {
	t.Parallel()
	r := newTrial(t)
	scale := messages.Scale{Kind: messages.MoneyScale, Unit: "units per game", UnitMeaning: "A unit is 100 ct",
		Zero: "turn-optimum", Decimals: 3}
	l := messages.Ladder{Game: "lange-strasse", Scale: scale, Agents: []messages.LadderAgent{
		{Name: "main@2", Kind: "network", Rating: 0.0314, Low: -0.0006, High: 0.0629, Games: 300, Best: true,
			Places: messages.Places{First: 1, Last: 2}, ToPrevious: &messages.Interval{Value: 0.1, Low: 0.0512, High: 0.1488}},
		{Name: "turn-optimum", Kind: "bot", Rating: -0.0004, Low: -0.0004, High: -0.0004, Games: 300,
			Places: messages.Places{First: 1, Last: 2}, ToBest: &messages.Interval{Value: -0.0318, Low: -0.0635, High: -0.0001}},
	}, Payoff: []messages.Payoff{{A: "main@2", B: "turn-optimum", Games: 300, MeanReturnA: 0.0314, Low: -0.0006,
		High: 0.0629}}}
	data, err := json.Marshal(l)
	require.NoError(t, err)
	r.put(messages.LadderKey, data)
	r.points("league", 1, 4096, band("mean_return/turn-optimum", 0.0314, 0.03), band("rating/best", 0.0314, 0.03))
	server := serve(t, r.follow(), "127.0.0.1:0")
	b := webtest.NewBrowser(t, 360, 800)
	b.Do(chromedp.Navigate("http://" + server.address + "/"))
	b.Until(`document.getElementById("meaning").textContent === "A unit is 100 ct."`)
	b.Do(chromedp.Navigate("http://" + server.address + "/league"))
	b.Until(`document.querySelectorAll(".ladder tbody tr").length === 2`)
	text := func(selector string) string {
		return strings.ReplaceAll(webtest.Evaluate[string](b, `document.querySelector('`+selector+`').textContent`), "\u2212",
			"-")
	}
	require.Contains(t, text("#scale"), "Ratings in units per game; 0 is turn-optimum. A unit is 100 ct. ")
	for _, a := range l.Agents {
		cell := func(column int) string {
			return text(fmt.Sprintf(`.ladder tr[data-agent="%s"] td:nth-child(%d)`, a.Name, column))
		}
		require.Equal(t, a.Places.String(), cell(1))
		require.Equal(t, scale.Write(a.Rating), cell(3))
		if a.ToBest != nil {
			require.Equal(t, scale.WriteDifference(*a.ToBest), cell(5))
		}
		if a.ToPrevious != nil {
			require.Equal(t, scale.WriteDifference(*a.ToPrevious), cell(6))
		}
	}
	require.Equal(t, "0.000", text(`.ladder tr[data-agent="turn-optimum"] td:nth-child(3)`), "no minus before nothing")
	require.Equal(t, scale.Write(0.0314), text(".payoff td[tabindex]"))
	webtest.Evaluate[any](b, `document.querySelector(".payoff td[tabindex]").dispatchEvent(new Event("pointerenter"))`)
	b.Until(`document.querySelector("#payoff-detail").textContent.replace("\u2212", "-") === "main@2 among turn-optimum: 0.031, -0.001 to 0.063 units per game in 300 games"`)
	require.Equal(t, "/games?run=bank-1&agent=main%402&against=turn-optimum&purpose=arena",
		webtest.Evaluate[string](b, `document.querySelector("#payoff-games").getAttribute("href")`))
	b.Keep("money")
	b.Do(chromedp.Navigate("http://" + server.address))
	b.Until(`document.querySelector('svg[aria-label^="Mean return (units per game)"]') !== null`)
	require.Contains(t, text(`[data-value="best"]`), "0.031")
	require.NotContains(t, text("main"), "hare of the win")
	b.Keep("money-training")
	b.Clean()
}

// Names come from other processes; what they contain stays text.
func TestNamesStayText(t *testing.T) {
	t.Parallel()
	r := newTrial(t)
	const evil = `<img src=x onerror="document.title='owned'">`
	data, err := json.Marshal(messages.Ladder{Game: evil, Agents: []messages.LadderAgent{{Name: evil, Kind: evil}},
		Payoff: []messages.Payoff{{A: evil, B: evil}}})
	require.NoError(t, err)
	r.put(messages.LadderKey, data)
	r.points("league", 1, 1, band("win_share/"+evil, 0.5, 0.1), value(evil, 1))
	r.heartbeat("actor", "a", evil, map[string]float64{evil: 1})
	feed := r.follow()
	wait(t, feed, "everything", func(s *Snapshot) bool { return s.CaughtUp && s.Game != "" && len(s.Roles) == 1 })
	server := serve(t, feed, "127.0.0.1:0")
	b := webtest.NewBrowser(t, 1280, 900)
	for _, p := range runPages {
		b.Do(chromedp.Navigate("http://" + server.address + p.Path))
		b.Until(`document.getElementById("main").textContent.includes("onerror")`)
		require.Equal(t, 1, webtest.Evaluate[int](b, `document.images.length`), "only the mark in the header")
		require.NotEqual(t, "owned", webtest.Evaluate[string](b, `document.title`))
	}
	b.Clean()
}

// The page says that the server went away and carries on when it is back.
func TestPageSurvivesRestart(t *testing.T) {
	t.Parallel()
	r := newTrial(t)
	r.train(0, 10)
	feed := NewFeed(r.bus, "bank-1", nil, quiet)
	stop := r.run(feed)
	server := serve(t, feed, testport.Free(t))
	b := webtest.NewBrowser(t, 1280, 900)
	b.Do(chromedp.Navigate("http://" + server.address))
	b.Until(entropyLine+` !== null`, func() { webtest.Evaluate[any](b, unfold) })
	server.stop()
	stop()
	b.Until(`document.getElementById("banner").textContent.includes("connection to Croupier is lost")`)
	b.Keep("lost")

	r.train(10, 30)
	again := r.follow()
	serve(t, again, server.address)
	b.Until(`document.getElementById("banner").hidden`)
	b.Until(entropyLine + `.getAttribute("d").split("L").length === 40`)
}

// The cluster page marks what is gone, and says when the process itself has lost
// the broker.
func TestPageTellsOfLosses(t *testing.T) {
	t.Parallel()
	r := newTrial(t)
	r.beat()
	p := &patchy{Bus: r.bus, curves: r.bus}
	feed := NewFeed(p, "bank-1", nil, quiet)
	r.run(feed)
	server := serve(t, feed, "127.0.0.1:0")
	b := webtest.NewBrowser(t, 1280, 900)
	b.Do(chromedp.Navigate("http://" + server.address + "/cluster"))
	b.Until(`document.querySelectorAll('.roles [data-standing="present"]').length === 5`, r.beat)
	r.heartbeat("learner", "box", "training", map[string]float64{
		"episodes": 100, "consumed": 90, "trained": 80, "checkpointed": 60, "in_flight": 30, "stale": 5, "refused": 1,
		"lost": 4,
	})
	b.Until(`Array.from(document.querySelectorAll("#games dt"), (e) => e.textContent + " " + e.nextSibling.firstChild.data).join() ===
		"produced 100,received 90,trained 80,checkpointed 60,in flight 30,stale 5,refused 1,lost 4"`)
	require.NoError(t, r.bus.Roles().Delete(t.Context(), messages.RoleKey("actor", "box-1")))
	b.Until(`document.querySelector('.roles [data-standing="gone"]')?.innerText.includes("box-1") ?? false`)
	require.Contains(t, webtest.Evaluate[string](b, `document.getElementById("tiles").innerText`), "1 gone")
	b.Keep("gone")
	p.set(true)
	b.Until(`document.getElementById("banner").textContent.includes("lost its connection to the broker")`)
	p.set(false)
	b.Until(`document.getElementById("banner").hidden`)
	b.Clean()
}
