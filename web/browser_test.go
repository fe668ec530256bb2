package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	devpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"croupier/learner"
	"croupier/messages"
)

// serving is a web server of a feed on a port of its own.
type serving struct {
	address string
	stop    func()
}

func serve(t *testing.T, feed *Feed, address string) *serving {
	registry := prometheus.NewRegistry()
	return serveHandler(t, NewServer(Options{Feed: feed, Series: learner.Series(), Log: quiet, Registerer: registry, Gatherer: registry}), address)
}

func serveHandler(t *testing.T, handler http.Handler, address string) *serving {
	listener, err := net.Listen("tcp", address)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, listener, handler, quiet) }()
	s := &serving{address: listener.Addr().String()}
	s.stop = sync.OnceFunc(func() {
		cancel()
		require.NoError(t, <-done)
	})
	t.Cleanup(s.stop)
	return s
}

// browser is a page of headless Chromium that notes what it should not do.
type browser struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	problems []string // console errors, exceptions
	foreign  []string // requests to other hosts
}

func newBrowser(t *testing.T, width, height int64) *browser {
	binary, err := exec.LookPath("chromium")
	require.NoError(t, err, "the browser tests need chromium in PATH: apt-get install chromium")
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(binary),
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	allocator, cancelAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancelAllocator)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: ctx}
	require.NoError(t, chromedp.Listen(ctx, b.listen))
	call(b, network.Enable, network.EnableParams{})
	call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 600})
	return b
}

func (b *browser) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		b.problems = append(b.problems, fmt.Sprintf("console.%s", e.Type))
	case *runtime.EventExceptionThrown:
		b.problems = append(b.problems, fmt.Sprintf("%s %v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception))
	case *log.EventEntryAdded:
		b.problems = append(b.problems, e.Entry.Text)
	case *network.EventRequestWillBeSent:
		if target, err := url.Parse(e.Request.URL); err != nil || target.Hostname() != "127.0.0.1" {
			b.foreign = append(b.foreign, e.Request.URL)
		}
	}
}

// clean fails the test for every error in the console and every foreign request.
func (b *browser) clean() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	require.Empty(b.t, b.problems)
	require.Empty(b.t, b.foreign)
}

// limit is how long the page may take for anything.
const limit = 20 * time.Second

func call[P, R any](b *browser, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, limit)
	defer cancel()
	result, err := chromedp.Call(ctx, command, params)
	require.NoError(b.t, err)
	return result
}

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, limit)
	defer cancel()
	require.NoError(b.t, chromedp.Do(ctx, actions...))
}

func evaluate[T any](b *browser, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, limit)
	defer cancel()
	result, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	require.NoError(b.t, err, expression)
	return result
}

// until waits for a JavaScript condition on the page. It asks again and again,
// because the page's content policy forbids what chromedp.Poll does. What a person
// would repeat while the page is still settling is tried before each time.
func (b *browser) until(condition string, try ...func()) {
	b.t.Helper()
	for end := time.Now().Add(limit); ; time.Sleep(50 * time.Millisecond) {
		for _, action := range try {
			action()
		}
		if evaluate[bool](b, condition) {
			return
		}
		require.True(b.t, time.Now().Before(end), "never true on the page: %s", condition)
	}
}

// keep saves a picture of the whole page as an artifact of the test.
func (b *browser) keep(name string) {
	beyond := true
	result := call(b, devpage.CaptureScreenshot, devpage.CaptureScreenshotParams{CaptureBeyondViewport: &beyond})
	require.NoError(b.t, os.WriteFile(filepath.Join(b.t.ArtifactDir(), name+".png"), result.Data, 0o644))
}

func (b *browser) scheme(name string) {
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}})
}

// Every page fits its window, on a desk and in a hand, light and dark. With
// go test -artifacts the pictures are kept.
func TestPagesFit(t *testing.T) {
	r := newTrial(t)
	r.configure()
	r.train(0, 1200)
	r.rate(12)
	r.beat()
	feed := r.follow()
	wait(t, feed, "everything", func(s *Snapshot) bool { return s.CaughtUp && s.Ladder != nil && len(s.Roles) == 5 })
	server := serve(t, feed, "127.0.0.1:0")
	for _, window := range []struct {
		name          string
		width, height int64
	}{{"desk", 1280, 900}, {"phone", 390, 844}} {
		b := newBrowser(t, window.width, window.height)
		for _, p := range pages {
			for _, scheme := range []string{"light", "dark"} {
				b.scheme(scheme)
				b.do(chromedp.Navigate("http://" + server.address + p.Path))
				b.until(`document.getElementById("link").dataset.state === "live"`)
				b.keep(strings.Join([]string{p.Name, window.name, scheme}, "-"))
				overflow := evaluate[int](b, "document.documentElement.scrollWidth - innerWidth")
				require.LessOrEqual(t, overflow, 0, "%s at %d pixels", p.Name, window.width)
			}
		}
		b.clean()
	}
}

const (
	entropyLine = `document.querySelector('svg[aria-label^="Entropy"] .line')`
	bankedLine  = `document.querySelector('section[aria-label="Figures"]:not([hidden]) svg[aria-label^="Banked value"] .band')`
)

// A page that is open when training begins shows the curves as they come, and
// says what it waits for until then.
func TestCurveAppearsAndGrows(t *testing.T) {
	r := newTrial(t)
	feed := r.follow()
	server := serve(t, feed, "127.0.0.1:0")
	b := newBrowser(t, 1280, 900)
	b.do(chromedp.Navigate("http://" + server.address))
	b.until(`document.getElementById("link").dataset.state === "live"`)
	require.Contains(t, evaluate[string](b, "document.body.textContent"), "waiting for the first rated version…")
	b.keep("empty")

	r.train(0, 30)
	b.until(entropyLine + ` !== null`)
	before := evaluate[int](b, entropyLine+`.getAttribute("d").length`)
	r.train(30, 30)
	b.until(fmt.Sprintf(`%s.getAttribute("d").length > %d`, entropyLine, before))
	require.Equal(t, 2, evaluate[int](b, `document.querySelectorAll('svg[aria-label^="Rating"] .band').length`),
		"the league's intervals are bands")

	require.Nil(t, evaluate[any](b, bankedLine), "the ladder has not told what the game's figures are")
	r.rate(2)
	r.train(60, 10)
	b.until(bankedLine + ` !== null`)
	require.Contains(t, evaluate[string](b, `document.querySelector('section[aria-label="Figures"]').innerText`), "rounds with a bank")
	b.clean()
}

func TestHoverShowsAllValues(t *testing.T) {
	r := newTrial(t)
	r.train(0, 100)
	feed := r.follow()
	server := serve(t, feed, "127.0.0.1:0")
	b := newBrowser(t, 1280, 900)
	b.do(chromedp.Navigate("http://" + server.address))
	const chart = `document.querySelector('svg[aria-label^="Share of wins"]')`
	b.until(chart + ` !== null`)
	const tip = `document.querySelector('.tip:not([hidden])')`
	b.until(tip+` !== null`, func() {
		box := evaluate[struct{ X, Y, Width, Height float64 }](b, chart+`.getBoundingClientRect().toJSON()`)
		b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, box.X+0.6*box.Width, box.Y+0.5*box.Height))
	})
	text := evaluate[string](b, tip+`.innerText`)
	for _, part := range []string{"min", "samples", "random", "threshold(60)", "threshold(100)", "%", "["} {
		require.Contains(t, text, part)
	}
	require.Greater(t, evaluate[int](b, `document.querySelectorAll(".cross").length`), 5, "the crosshair is in all charts")
	b.keep("hover")

	b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, 1, 1))
	b.until(tip + ` === null`)
	evaluate[any](b, chart+`.focus()`)
	b.do(chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.ArrowRight))
	const second = "164k samples" // of the league, which measures every 20 updates of 4,096 samples
	b.until(fmt.Sprintf("%s?.innerText.includes(%q) ?? false", tip, second))

	evaluate[any](b, `document.querySelector('#axis input[value="samples"]').click()`)
	b.until(chart + `.querySelector(".title.x").textContent === "training samples"`)
	b.clean()
}

func TestLadderAppears(t *testing.T) {
	r := newTrial(t)
	feed := r.follow()
	server := serve(t, feed, "127.0.0.1:0")
	b := newBrowser(t, 1280, 900)
	b.do(chromedp.Navigate("http://" + server.address + "/league"))
	b.until(`document.getElementById("ladder").textContent.includes("waiting")`)
	r.rate(3)
	b.until(`document.querySelectorAll(".ladder tbody tr").length === 7`)
	require.Equal(t, "main@2", evaluate[string](b, `document.querySelector(".ladder tr.best .name").textContent`))
	require.Equal(t, "rounds with a bank (share per round)", evaluate[string](b, `document.querySelectorAll(".ladder thead th")[6].title`))
	require.Equal(t, "75.0\u202f%", evaluate[string](b, `document.querySelector(".ladder tr.best").cells[6].textContent`))
	require.Equal(t, "70.0\u202f% to 80.0\u202f% (share per round)", evaluate[string](b, `document.querySelector(".ladder tr.best").cells[6].title`))
	require.Equal(t, "main@3", evaluate[string](b, `document.querySelector("#population tbody .name").textContent`))
	evaluate[any](b, `document.querySelector(".payoff td[tabindex='0']").focus()`)
	b.do(chromedp.KeyEvent(kb.ArrowDown))
	b.until(`document.querySelector(".detail").textContent.includes("1,200 games")`)
	b.clean()
}

// Names come from other processes; what they contain stays text.
func TestNamesStayText(t *testing.T) {
	r := newTrial(t)
	const evil = `<img src=x onerror="document.title='owned'">`
	data, err := json.Marshal(messages.Ladder{Game: evil, Agents: []messages.LadderAgent{{Name: evil, Kind: evil}}, Payoff: []messages.Payoff{{A: evil, B: evil}}})
	require.NoError(t, err)
	r.put(messages.LadderKey, data)
	r.points("league", 1, 1, band("win_share/"+evil, 0.5, 0.1), value(evil, 1))
	r.heartbeat("actor", "a", evil, map[string]float64{evil: 1})
	feed := r.follow()
	wait(t, feed, "everything", func(s *Snapshot) bool { return s.CaughtUp && s.Game != "" && len(s.Roles) == 1 })
	server := serve(t, feed, "127.0.0.1:0")
	b := newBrowser(t, 1280, 900)
	for _, p := range pages {
		b.do(chromedp.Navigate("http://" + server.address + p.Path))
		b.until(`document.getElementById("main").textContent.includes("onerror")`)
		require.Equal(t, 1, evaluate[int](b, `document.images.length`), "only the mark in the header")
		require.NotEqual(t, "owned", evaluate[string](b, `document.title`))
	}
	b.clean()
}

// The page says that the server went away and carries on when it is back.
func TestPageSurvivesRestart(t *testing.T) {
	r := newTrial(t)
	r.train(0, 10)
	feed := NewFeed(r.bus, "bank-1", quiet)
	stop := r.run(feed)
	server := serve(t, feed, "127.0.0.1:0")
	b := newBrowser(t, 1280, 900)
	b.do(chromedp.Navigate("http://" + server.address))
	b.until(entropyLine + ` !== null`)
	server.stop()
	stop()
	b.until(`document.getElementById("banner").textContent.includes("connection to Croupier is lost")`)
	b.keep("lost")

	r.train(10, 30)
	again := r.follow()
	serve(t, again, server.address)
	b.until(`document.getElementById("banner").hidden`)
	points := evaluate[int](b, entropyLine+`.getAttribute("d").split("L").length`)
	require.Equal(t, 40, points)
}

// The cluster page marks what is gone, and says when the process itself has lost
// the broker.
func TestPageTellsOfLosses(t *testing.T) {
	r := newTrial(t)
	r.beat()
	p := &patchy{Bus: r.bus, curves: r.bus}
	feed := NewFeed(p, "bank-1", quiet)
	r.run(feed)
	server := serve(t, feed, "127.0.0.1:0")
	b := newBrowser(t, 1280, 900)
	b.do(chromedp.Navigate("http://" + server.address + "/cluster"))
	b.until(`document.querySelectorAll('.roles [data-standing="present"]').length === 5`)
	require.NoError(t, r.bus.Roles().Delete(t.Context(), messages.RoleKey("actor", "box-1")))
	b.until(`document.querySelector('.roles [data-standing="gone"]')?.innerText.includes("box-1") ?? false`)
	require.Contains(t, evaluate[string](b, `document.getElementById("tiles").innerText`), "1 gone")
	b.keep("gone")
	p.set(true)
	b.until(`document.getElementById("banner").textContent.includes("lost its connection to the broker")`)
	p.set(false)
	b.until(`document.getElementById("banner").hidden`)
	b.clean()
}
