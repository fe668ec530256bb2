package report

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"croupier/web/webtest"
)

// The card asks nobody for anything, fits a phone, and says what the solution says.
func TestCard(t *testing.T) {
	study := usualStudy(t)
	var card bytes.Buffer
	require.NoError(t, WriteCard(&card, study))
	require.NotRegexp(t, regexp.MustCompile(`(?i)(src|href)=|url\(|import |https?:`), card.String(), "it loads something")
	path := filepath.Join(t.TempDir(), "card.html")
	require.NoError(t, os.WriteFile(path, card.Bytes(), 0o644))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.ServeFile(w, r, path)
		}
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })

	b := webtest.NewBrowser(t, 360, 780)
	for _, scheme := range []string{"light", "dark"} {
		b.Scheme(scheme)
		b.Do(chromedp.Navigate(fmt.Sprintf("http://%s/", listener.Addr())))
		text := func(id string) string {
			return webtest.Evaluate[string](b, `document.getElementById("`+id+`").textContent`)
		}
		require.Equal(t, "Tap your cards.", text("why"))
		tap := func(ranks ...string) {
			b.Click("#clear")
			for _, rank := range ranks {
				b.Click(`#keys button[value="` + rank + `"]`)
			}
		}
		tap("7", "5")
		require.Equal(t, "Hit", text("do"))
		require.Contains(t, text("why"), "standing on 15 or less loses for certain")
		tap("T", "9")
		require.Equal(t, "Stand", text("do"))
		tap("T", "A")
		require.Equal(t, "There is nothing to choose with this hand.", text("why"))
		webtest.Evaluate[any](b, `document.querySelector("input[value=dealer]").click()`)
		tap("T", "5")
		require.Equal(t, "Surrender", text("do"))
		tap("T", "6")
		require.NotEmpty(t, text("do"))
		webtest.Evaluate[any](b, `document.querySelector("summary").click()`)
		b.Keep("card-" + scheme)
		require.LessOrEqual(t, webtest.Evaluate[int](b, "document.documentElement.scrollWidth - innerWidth"), 0)
		b.Axe()
	}
	b.Clean()
}
