package boards_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"croupier/web/webtest"
)

// A window that one test has had after the other is as new for each: nothing is stored in it, whichever pages have
// stored it, there is no way back, no colour scheme and no error.
func TestWindowsAreAsNew(t *testing.T) {
	t.Parallel()
	serve := func() string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(`<!doctype html><link rel="icon" href="data:,"><title>Page</title>`))
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	const stored = `[document.cookie, String(localStorage.length), String(sessionStorage.length)]`
	pages := []string{serve(), serve()}
	for _, name := range []string{"first", "second"} {
		t.Run(name, func(t *testing.T) {
			b := webtest.NewBrowser(t, 800, 600)
			require.True(t, webtest.Evaluate[bool](
				b, `history.length === 1 && matchMedia("(prefers-color-scheme: light)").matches`))
			cookies := "" // those of a host, whatever its port
			for _, page := range pages {
				b.Do(chromedp.Navigate(page))
				require.Equal(t, []string{cookies, "0", "0"}, webtest.Evaluate[[]string](b, stored))
				webtest.Evaluate[any](b, `void (document.cookie = "taste=sweet", localStorage.taste = sessionStorage.taste = "sweet")`)
				cookies = "taste=sweet"
				require.Equal(t, []string{cookies, "1", "1"}, webtest.Evaluate[[]string](b, stored))
			}
			b.Scheme("dark")
			webtest.Evaluate[any](b, `void console.log("an error of this test alone")`)
		})
	}
}
