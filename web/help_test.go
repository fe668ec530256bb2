package web

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"croupier/games/standard"
	"croupier/web/webtest"
)

func withHelp(o *Options) { o.Global = []Page{HelpPage(standard.Games)} }

// Each document is a page whose links inside the server lead somewhere, headings included, and whose names of elements
// are unique.
func TestDocumentsAsPages(t *testing.T) {
	h, _ := handler(NewFeed(newTrial(t).bus, "bank-1", nil, quiet), withHelp)
	require.Equal(t, "/help/", get(h, "GET", "/help").Header().Get("Location"))
	pages, pictures := map[string]string{}, map[string]bool{}
	href := regexp.MustCompile(`(?:href|src)="(/[^"]*)"`)
	for queue := []string{"/help/"}; len(queue) > 0; queue = queue[1:] {
		if _, seen := pages[queue[0]]; seen {
			continue
		}
		w := get(h, "GET", queue[0])
		require.Equal(t, http.StatusOK, w.Code, queue[0])
		pages[queue[0]] = w.Body.String()
		for _, m := range href.FindAllStringSubmatch(pages[queue[0]], -1) {
			file, _, _ := strings.Cut(html.UnescapeString(m[1]), "#")
			if strings.HasPrefix(file, "/help/") {
				queue = append(queue, file)
			} else if !pictures[file] {
				pictures[file] = true
				require.Equal(t, http.StatusOK, get(h, "GET", file).Code, "%s links to %s", queue[0], file)
			}
		}
	}
	require.Greater(t, len(pages), 50)
	require.Contains(t, pages, "/help/games/pig")
	require.True(t, pictures["/assets/training.png"])
	id := regexp.MustCompile(` id="([^"]*)"`)
	for path, text := range pages {
		seen := map[string]bool{}
		for _, m := range id.FindAllStringSubmatch(text, -1) {
			require.False(t, seen[m[1]], "%s: two elements %s", path, m[1])
			seen[m[1]] = true
		}
	}
	require.Contains(t, pages["/help/guide/play"], `<title>Playing · bank-1 · Croupier</title>`)
	require.Contains(t, get(h, "GET", "/help/play").Body.String(), "<title>Playing", "by the last part of its name")
	none := get(h, "GET", "/help/nowhere")
	require.Equal(t, http.StatusNotFound, none.Code)
	require.Contains(t, none.Body.String(), "the documents have no page &#34;nowhere&#34;; /help lists them")
}

// The "?" of a page leads to what explains it; a server without documents has none.
func TestTopicOfAPage(t *testing.T) {
	h, _ := handler(NewFeed(newTrial(t).bus, "bank-1", nil, quiet), func(o *Options) {
		withHelp(o)
		withTumbler(o)
	})
	require.Contains(t, get(h, "GET", "/").Body.String(), `<a class="help" href="/help/tutorial/page"`)
	require.Contains(t, get(h, "GET", "/league").Body.String(), `<a class="help" href="/help/explain/truth#training"`)
	require.Contains(t, get(h, "GET", "/tumbler").Body.String(), `<a class="help" href="/help/reference/page"`, "it names none")
	require.NotContains(t, get(h, "GET", "/help/").Body.String(), `class="help"`)
	without, _ := handler(NewFeed(newTrial(t).bus, "bank-1", nil, quiet), nil)
	require.NotContains(t, get(without, "GET", "/").Body.String(), `class="help"`)
}

// Documents fit their window, and their wide tables are scrolled inside.
func TestDocumentsFit(t *testing.T) {
	t.Parallel()
	h, _ := handler(newTrial(t).follow(), withHelp)
	server := serveHandler(t, h, "127.0.0.1:0")
	b := webtest.NewBrowser(t, 1280, 900)
	for _, path := range []string{"/help/", "/help/reference/page", "/help/games/tysiac"} {
		b.Scheme("light")
		b.Do(chromedp.Navigate("http://" + server.address + path))
		for _, w := range windows()[0] {
			b.Resize(w.width, w.height)
			b.Until("document.documentElement.scrollWidth <= innerWidth")
			b.Keep("help" + strings.ReplaceAll(path, "/", "-") + "-" + w.name)
		}
		b.Axe()
		b.Scheme("dark")
		b.Axe()
	}
	b.Clean()
}
