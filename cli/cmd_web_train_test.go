package cli

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"croupier/internal/rundir"
	"croupier/messages"
	"croupier/web/webtest"
)

// A training is begun, stopped and resumed on the page, its best version is downloaded, and it ends in order with the
// page.
func TestTrainingOnThePage(t *testing.T) {
	t.Parallel()
	runs := filepath.Join(t.TempDir(), "runs")
	require.NoError(t, os.CopyFS(filepath.Join(runs, "evening"), os.DirFS(trained(t))))
	out, end := begun(t, "web", "--train", "--runs", runs, "--listen", "127.0.0.1:0", "-q")
	out.await(t, pageAddress)
	address := pageOf(out)
	b := webtest.NewBrowser(t, 390, 844)
	b.Do(chromedp.Navigate(address))
	b.Until(`document.querySelector('tr[data-run="evening"]') !== null`)
	b.Click("#train")
	b.Until(`document.querySelectorAll("#training-game option").length > 5`)
	for _, scheme := range []string{"light", "dark"} {
		b.Scheme(scheme)
		b.Axe()
		b.Keep("train-" + scheme)
	}
	require.LessOrEqual(t, webtest.Evaluate[int](b, "document.documentElement.scrollWidth - innerWidth"), 0)
	choose(b, "training-game", "bank")
	require.Equal(t, "all of many tables",
		webtest.Evaluate[string](b, `document.getElementById("training-preset").lastElementChild.textContent`))
	choose(b, "training-game", "kuhn")
	require.True(t, webtest.Evaluate[bool](b, `document.getElementById("training-preset").disabled`))

	answer(b, "training-for", "a while"+kb.Enter)
	b.Until(`document.getElementById("training-for-problem").textContent ===
		'"a while" is not a length of time: write 30s, 10m or 2h'`)
	require.Equal(t, "training-for", webtest.Evaluate[string](b, `document.activeElement.id`))
	b.Forget() // the refused request
	answer(b, "training-for", "1h"+kb.Enter)
	b.Until(`location.pathname.startsWith("/runs/kuhn-")`)
	b.Until(`document.getElementById("link")?.textContent === "live"`)
	b.Until(`document.querySelectorAll("#charts svg .line").length > 3`)

	b.Do(chromedp.Navigate(address))
	b.Until(`document.querySelector("[data-stop]") !== null`)
	id := webtest.Evaluate[string](b, `document.querySelector("[data-stop]").dataset.stop`)
	dir := filepath.Join(runs, id)
	b.Click("[data-stop]")
	b.Until(`document.getElementById("confirm").open`)
	b.Click("#confirm-yes")
	resume := `[data-resume="` + id + `"]`
	b.Until(`document.querySelector('` + resume + `') !== null`)
	require.False(t, rundir.Held(dir, messages.LearnerRole))
	require.Equal(t, rundir.Ended, stateOf(t, dir))
	b.Axe()
	b.Keep("stopped")
	require.LessOrEqual(t, webtest.Evaluate[int](b, "document.documentElement.scrollWidth - innerWidth"), 0)

	file := filepath.Join(t.TempDir(), "best")
	status, _, stderr := croupier("", "export", "--run", filepath.Join(runs, "evening"), "--out", file)
	require.Zero(t, status, stderr)
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	name := webtest.Evaluate[string](b, `document.querySelector('[data-export="evening"]').download`)
	require.Regexp(t, `^evening-main-\d+\.safetensors$`, name)
	response, err := http.Get(webtest.Evaluate[string](b, `document.querySelector('[data-export="evening"]').href`))
	require.NoError(t, err)
	defer response.Body.Close()
	got, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, `attachment; filename=`+name, response.Header.Get("Content-Disposition"))
	require.Equal(t, want, got, "as croupier export writes it")

	b.Click(resume)
	b.Until(`document.getElementById("training-title").textContent === "Resume ` + id + `"`)
	answer(b, "training-for", kb.Enter)
	b.Until(`location.pathname === "/runs/` + id + `/"`)
	b.Until(`document.getElementById("link")?.textContent === "live"`)
	b.Clean()
	b.Do(chromedp.Navigate("about:blank"))
	require.Zero(t, end(), out)
	require.False(t, rundir.Held(dir, messages.LearnerRole), "it ends with the page")
	require.Equal(t, rundir.Ended, stateOf(t, dir))
}

func choose(b *webtest.Browser, id, value string) {
	webtest.Evaluate[any](b, `{ const field = document.getElementById("`+id+`");
		field.value = "`+value+`"; field.dispatchEvent(new Event("change")); }`)
}

// answer replaces what is in a field.
func answer(b *webtest.Browser, id, keys string) {
	webtest.Evaluate[any](b, `document.getElementById("`+id+`").value = ""`)
	b.Do(chromedp.SendKeys("#"+id, keys))
}

func stateOf(t *testing.T, dir string) rundir.State {
	session, err := rundir.ReadSession(dir)
	require.NoError(t, err)
	return rundir.StateOf(dir, session, messages.LearnerRole)
}
