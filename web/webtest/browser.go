// Package webtest has what tests of pages need: a person's browser.
package webtest

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	devpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// Browser is a page of headless Chromium that notes what it should not do: errors in its console, and requests
// to other hosts than 127.0.0.1.
type Browser struct {
	t      *testing.T
	ctx    context.Context
	window *window
	scheme string

	mu       sync.Mutex
	problems []string // console errors, exceptions
	foreign  []string // requests to other hosts
}

// chromium is the one process of a test program: to start one takes seconds.
var chromium struct {
	mu      sync.Mutex
	tests   bool // [Main.Run] runs them
	ctx     context.Context
	cancels []context.CancelFunc
	idle    []*window // those whose tests have ended
}

// window is a window of Chromium, which tests have one after the other: a process of its own shows it, and to start
// that one takes longer than to load a page.
type window struct {
	ctx    context.Context
	cancel context.CancelFunc
	shows  atomic.Pointer[Browser] // notes what happens in it; nil between two tests
}

// Main are the tests of a package with browsers; its TestMain has to run them so.
type Main struct{ *testing.M }

// Run runs the tests and ends Chromium after them.
func (m Main) Run() int {
	chromium.tests = true
	defer func() {
		for _, cancel := range slices.Backward(chromium.cancels) {
			cancel()
		}
	}()
	return m.M.Run()
}

// started returns the context of Chromium, which is started if it does not run.
func started(t *testing.T) context.Context {
	chromium.mu.Lock()
	defer chromium.mu.Unlock()
	if chromium.ctx != nil {
		return chromium.ctx
	}
	require.True(t, chromium.tests,
		"func TestMain(m *testing.M) { webtest.Main{M: m}.Run() } is missing in the tests of this package")
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(program(t)),
		chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	allocator, cancelAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	chromium.cancels = append(chromium.cancels, cancelAllocator, cancel)
	require.NoError(t, chromedp.Do(ctx))
	chromium.ctx = ctx
	return ctx
}

// programs are those that can be Chromium, the best first. The headless shell is the same engine without the windows
// of a desktop: a window of its own costs 0.1 s of a core there and 1 s in the whole Chromium, a page 0.08 s and 0.25
// s. The first is what Debian's chromium-headless-shell runs as a child, which would outlive a test that is killed.
var programs = []string{"/usr/lib/chromium/chromium-headless-shell", "chromium-headless-shell", "chromium"}

// program returns the path of Chromium.
func program(t *testing.T) string {
	for _, name := range programs {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	require.Fail(t, "the browser tests need Chromium: apt-get install chromium-headless-shell, or chromium")
	return ""
}

// NewBrowser opens a window of the given size, in CSS pixels, until the test ends. It shares nothing with other
// windows: no cookies, no storage. It fails the test where Chromium is not installed.
func NewBrowser(t *testing.T, width, height int64) *Browser {
	w := opened(t)
	b := &Browser{t: t, ctx: w.ctx, window: w}
	w.shows.Store(b)
	t.Cleanup(b.leave)
	b.size(width, height)
	return b
}

// opened returns a window that shows nothing yet.
func opened(t *testing.T) *window {
	all := started(t)
	if w := idle(); w != nil {
		return w
	}
	w := new(window)
	w.ctx, w.cancel = chromedp.NewContext(all, chromedp.WithNewBrowserContext())
	b := &Browser{t: t, ctx: w.ctx}
	require.NoError(t, chromedp.Listen(w.ctx, func(event any) {
		if b := w.shows.Load(); b != nil {
			b.listen(event)
		}
	}))
	call(b, network.Enable, network.EnableParams{})
	// Each window has the focus, whichever of those that are open at the same time was touched last.
	call(b, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	b.slow()
	return w
}

// slower helps to find tests that fail on slow machines alone (CONTRIBUTING.md).
var slower = flag.Float64("browser.slower", 1, "how many times slower pages compute; above 1, answers come 100 ms later")

// slow slows the window down.
func (b *Browser) slow() {
	if *slower == 1 {
		return
	}
	call(b, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: *slower})
	call(b, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
		MatchedNetworkConditions: []*network.Conditions{{Latency: 100, DownloadThroughput: -1, UploadThroughput: -1}}})
}

// idle returns a window that no test has, nil if there is none.
func idle() *window {
	chromium.mu.Lock()
	defer chromium.mu.Unlock()
	if len(chromium.idle) == 0 {
		return nil
	}
	last := len(chromium.idle) - 1
	w := chromium.idle[last]
	chromium.idle = chromium.idle[:last]
	return w
}

// leave gives the window back, as new. That of a test that has failed is closed, and so is one that cannot be emptied.
func (b *Browser) leave() {
	if b.t.Failed() || b.empty() != nil {
		b.window.cancel()
		return
	}
	chromium.mu.Lock()
	defer chromium.mu.Unlock()
	chromium.idle = append(chromium.idle, b.window)
}

// empty has the window show nothing and forget all that pages have left in it.
func (b *Browser) empty() error {
	ctx, cancel := context.WithTimeout(b.ctx, Limit)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		return err
	}
	b.window.shows.Store(nil)
	return errors.Join(
		void(ctx, storage.ClearDataForOrigin, storage.ClearDataForOriginParams{Origin: "*", StorageTypes: "all"}),
		void(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{}),
		void(ctx, devpage.ResetNavigationHistory, cdp.Empty{}),
	)
}

// void calls a command whose answer has nothing in it.
func void[P, R any](ctx context.Context, command cdp.Command[P, R], params P) error {
	_, err := chromedp.Call(ctx, command, params)
	return err
}

// Resize gives the window another size, in CSS pixels, and waits until the page is laid out for it. Narrow ones are
// phones.
func (b *Browser) Resize(width, height int64) {
	b.t.Helper()
	b.size(width, height)
	b.Until(fmt.Sprintf(`matchMedia("(width: %dpx)").matches`, width))
	b.Drawn()
}

// Drawn waits until what has changed on the page is drawn, and so laid out: in the first frame observers of sizes are
// called, and before the second what they change has had its frame.
func (b *Browser) Drawn() {
	b.t.Helper()
	evaluate(b, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`, true)
}

func (b *Browser) size(width, height int64) {
	b.t.Helper()
	call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 600})
}

// inside are the schemes of addresses for which nothing is asked of the net.
var inside = []string{"blob", "data", "file"}

func (b *Browser) listen(event any) {
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
		target, err := url.Parse(e.Request.URL)
		if err != nil || !slices.Contains(inside, target.Scheme) && target.Hostname() != "127.0.0.1" {
			b.foreign = append(b.foreign, e.Request.URL)
		}
	}
}

// Clean fails the test if the page has done what it should not do.
func (b *Browser) Clean() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	require.Empty(b.t, b.problems)
	require.Empty(b.t, b.foreign)
}

// Forget forgets the errors in the console so far, of which a test knows that they had to come.
func (b *Browser) Forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.problems = nil
}

// Limit is how long the page may take for anything: as long as a slow machine needs under the race detector, because
// it is there for what never happens.
const Limit = 2 * time.Minute

func call[P, R any](b *Browser, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, Limit)
	defer cancel()
	result, err := chromedp.Call(ctx, command, params)
	require.NoError(b.t, err)
	return result
}

// Do works the page.
func (b *Browser) Do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, Limit)
	defer cancel()
	require.NoError(b.t, chromedp.Do(ctx, actions...))
}

// Evaluate returns the value of a JavaScript expression on the page.
func Evaluate[T any](b *Browser, expression string) T {
	b.t.Helper()
	result, err := valueOf[T](b, expression)
	require.NoError(b.t, err, expression)
	return result
}

func valueOf[T any](b *Browser, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(b.ctx, Limit)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression))
}

// Until waits for a JavaScript condition on the page, which looks for itself every 10 ms and answers when it holds: the
// page's content policy forbids what chromedp.Poll does. What a person would repeat while the page is still settling is
// tried before, and again every 50 ms.
func (b *Browser) Until(condition string, try ...func()) {
	b.t.Helper()
	patience := 5 * time.Second
	if len(try) > 0 {
		patience = 50 * time.Millisecond
	}
	// What a page that is still loading does not have yet makes the condition untrue.
	script := fmt.Sprintf(`new Promise((done) => {
		const holds = () => { try { return Boolean(%s); } catch { return false; } };
		const end = performance.now() + %d;
		(function look() {
			if (holds()) done(true);
			else if (performance.now() > end) done(false);
			else setTimeout(look, 10);
		})();
	})`, condition, patience.Milliseconds())
	for end := time.Now().Add(Limit); ; {
		for _, action := range try {
			action()
		}
		holds, err := promised(b, script)
		if string(holds) == "true" {
			return
		}
		require.True(b.t, time.Now().Before(end), "never true on the page: %s (%v)", condition, err)
		if err != nil { // an answer that was lost while one page gave way to another
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// promised returns the JSON of what a script's promise is kept with.
func promised(b *Browser, script string) (json.RawMessage, error) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, Limit)
	defer cancel()
	yes := true
	answer, err := chromedp.Call(ctx, runtime.Evaluate, runtime.EvaluateParams{Expression: script, ReturnByValue: &yes,
		AwaitPromise: &yes})
	if err != nil {
		return nil, err
	}
	require.Nil(b.t, answer.ExceptionDetails, "what is waited for is no JavaScript: %s", script)
	return json.RawMessage(answer.Result.Value), nil
}

// Kept reports whether pictures are kept (go test -artifacts).
func Kept() bool { return flag.Lookup("test.artifacts").Value.String() == "true" }

// Keep saves a picture of the whole page as an artifact of the test, if those are kept.
func (b *Browser) Keep(name string) {
	if !Kept() {
		return
	}
	beyond := true
	result := call(b, devpage.CaptureScreenshot, devpage.CaptureScreenshotParams{CaptureBeyondViewport: &beyond})
	require.NoError(b.t, os.WriteFile(filepath.Join(b.t.ArtifactDir(), name+".png"), result.Data, 0o644))
}

// Picture returns a picture of what the window shows, as PNG.
func (b *Browser) Picture() []byte {
	b.t.Helper()
	return call(b, devpage.CaptureScreenshot, devpage.CaptureScreenshotParams{}).Data
}

// Still waits until no motion that the page has begun continues.
func (b *Browser) Still() {
	b.t.Helper()
	b.Until(`document.getAnimations().every((a) => a.playState !== "running" || a.effect.getTiming().iterations === Infinity)`)
}

// Scheme has the page shown "light" or "dark".
func (b *Browser) Scheme(name string) {
	b.scheme = name
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}})
}
