package web

import (
	"context"
	"fmt"
	"net"
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
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	devpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
)

// serving is a web server of a feed on a port of its own.
type serving struct {
	address string
	stop    func()
}

func serve(t *testing.T, feed *Feed, address string) *serving {
	listener, err := net.Listen("tcp", address)
	require.NoError(t, err)
	registry := prometheus.NewRegistry()
	handler := NewServer(Options{Feed: feed, Log: quiet, Registerer: registry, Gatherer: registry})
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
// because the page's content policy forbids what chromedp.Poll does.
func (b *browser) until(condition string) {
	b.t.Helper()
	for end := time.Now().Add(limit); !evaluate[bool](b, condition); time.Sleep(20 * time.Millisecond) {
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
