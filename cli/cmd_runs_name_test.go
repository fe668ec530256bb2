package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"croupier/backup"
	"croupier/games/standard"
	"croupier/internal/rundir"
	"croupier/web/webtest"
)

// A run is named in the terminal; the list of runs shows it, and verify, backup and restore have it.
func TestRunsName(t *testing.T) {
	runs := t.TempDir()
	dir := filepath.Join(runs, "evening")
	require.NoError(t, os.CopyFS(dir, os.DirFS(trained(t))))
	_, out, _ := croupier("", "runs", "--runs", runs)
	require.NotContains(t, out, "name")
	for _, step := range []struct {
		args []string
		want string
	}{
		{nil, dir + " has no name and no note.\n"},
		{[]string{"--note", "Half of it.\nWhy not?"}, ""},
		{nil, "No name.\nHalf of it.\nWhy not?\n"},
		{[]string{"lower rate"}, ""},
		{nil, "lower rate\nHalf of it.\nWhy not?\n"},
		{[]string{"lower rate", "--note", ""}, ""},
		{nil, "lower rate\n"},
	} {
		status, out, stderr := croupier("", append([]string{"runs", "name", dir}, step.args...)...)
		require.Zero(t, status, stderr)
		require.Equal(t, step.want, out, step.args)
	}
	_, out, _ = croupier("", "runs", "--runs", runs)
	require.Regexp(t, `(?m)^ evening .* lower rate *$`, out)
	_, out, _ = croupier("", "runs", "--runs", runs, "--json")
	require.Contains(t, out, `"name": "lower rate"`)

	require.Contains(t, refused(t, 1, "runs", "name", dir, "a\x1bb"), `name: a name is one line without control characters, not "a\x1bb"`)
	require.Contains(t, refused(t, 1, "runs", "name", runs, "a"), "holds no run")

	tar, again := filepath.Join(t.TempDir(), "evening.tar"), filepath.Join(t.TempDir(), "evening")
	status, _, stderr := croupier("", "runs", "backup", dir, "--out", tar)
	require.Zero(t, status, stderr)
	status, _, stderr = croupier("", "runs", "restore", tar, "--run", again)
	require.Zero(t, status, stderr)
	label, err := rundir.ReadLabel(again)
	require.NoError(t, err)
	require.Equal(t, rundir.Label{Name: "lower rate"}, label)
	require.NoError(t, os.WriteFile(filepath.Join(dir, rundir.LabelFile), []byte(`{"name": 7}`), 0o600))
	r, err := backup.Verify(t.Context(), standard.Games, dir)
	require.NoError(t, err)
	require.Equal(t, rundir.LabelFile, r.Faults[0].File)
	require.Contains(t, refused(t, 1, "runs", "name", dir), "label.json: ")
}

// A run is named on the pages by clicks and keys. They show what another person wrote meanwhile. Charts have the name.
func TestRunsAreNamedOnThePage(t *testing.T) {
	runs := t.TempDir()
	for _, name := range []string{"evening", "night"} {
		require.NoError(t, os.CopyFS(filepath.Join(runs, name), os.DirFS(trained(t))))
	}
	b := webtest.NewBrowser(t, 390, 844)
	at := showRuns(t, runs)
	b.Do(chromedp.Navigate(at + "/"))
	b.Until(`document.querySelector('[data-name="evening"]') !== null`)
	b.Click(`[data-name="evening"]`)
	b.Until(`document.activeElement.id === "naming-name"`)
	for _, scheme := range []string{"light", "dark"} {
		b.Scheme(scheme)
		b.Axe()
		b.Keep("name-" + scheme)
	}
	require.NoError(t, rundir.Relabel(filepath.Join(runs, "evening"), func(rundir.Label) (rundir.Label, error) {
		return rundir.Label{Name: "theirs"}, nil
	}))
	b.Do(chromedp.SendKeys("#naming-note", "half\nof it"), chromedp.SendKeys("#naming-name", "lower rate"+kb.Enter))
	b.Until(`document.getElementById("naming-problem").textContent ===
		"Somebody has changed them meanwhile: the name is now “theirs”. Save replaces this."`)
	b.Forget() // the refused request
	b.Do(chromedp.SendKeys("#naming-name", kb.Enter))
	b.Until(`document.querySelector("dialog.naming") === null`)
	b.Until(`document.querySelector('tr[data-run="evening"] th').innerText.replace(/\s+/g, " ") === "lower rate evening half of it"`)
	require.Equal(t, "evening", webtest.Evaluate[string](b, `document.activeElement.dataset.name`))
	b.Keep("named")

	b.Resize(1280, 900)
	b.Do(chromedp.Navigate(at + "/compare?run=evening&run=night"))
	b.Until(`document.querySelectorAll(".curve").length > 2`)
	b.Until(`document.querySelector('#charts [data-label="lower rate"]') !== null`)
	require.Equal(t, "antes per game", webtest.Evaluate[string](b,
		`document.querySelector('[data-series="mean_return/random"] svg').textContent.match(/antes per game/)?.[0] ?? ""`))
	b.Keep("compare")
	b.Axe()
	b.Click(`[data-name="night"]`)
	webtest.Evaluate[any](b, `document.getElementById("naming-name").value = "\u202e"`)
	b.Do(chromedp.SendKeys("#naming-name", kb.Enter))
	b.Until(`document.getElementById("naming-problem").textContent.startsWith("A name is one line")`)
	b.Forget()
	require.Equal(t, "true", webtest.Evaluate[string](b, `document.getElementById("naming-name").getAttribute("aria-invalid")`))
	webtest.Evaluate[any](b, `document.getElementById("naming-name").value = "lower rate"`)
	b.Do(chromedp.SendKeys("#naming-name", kb.Enter))
	b.Until(`document.querySelector('#charts [data-label="lower rate (night)"]') !== null`)
	require.Equal(t, []string{"lower rate (evening)", "lower rate (night)"}, webtest.Evaluate[[]string](b,
		`[...document.querySelectorAll("#compared .name")].map((e) => e.textContent)`))
	require.Equal(t, []string{"lower rate (evening)", "lower rate (night)", "Bots"}, webtest.Evaluate[[]string](b,
		`[...document.querySelectorAll("#agents legend")].map((e) => e.textContent)`))
	require.LessOrEqual(t, webtest.Evaluate[int](b, "document.documentElement.scrollWidth - innerWidth"), 0)
	b.Clean()
}
