package cluster

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os/exec"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"croupier/archive"
	"croupier/web/webtest"
)

// What people come for takes few clicks: whether it is better and when it is done none, what is best and how sure one,
// the worst moment on the board two, two runs on all charts three, a seat at a table two.
func TestCoreTasksByClicks(t *testing.T) {
	t.Parallel()
	f, _ := judgingFolder(t, func(...string) *exec.Cmd { return saying("") })
	f.ended("morning", "pig", 20)
	dir := f.path + "/evening"
	found, err := archive.Read(dir).Find(context.Background(), archive.Query{Agent: "greedy:main@8", Result: archive.Lost,
		Purpose: archive.ArenaPurpose, Limit: 1})
	require.NoError(t, err)
	require.NoError(t, archive.AddReviews(dir, map[archive.ID]archive.Review{found.Games[0].ID: {Judge: "random",
		Unit: "win probability", Mistakes: []archive.Mistake{{Loss: 0.2, Taken: "hold", Best: "roll"}}}}))
	server := httptest.NewServer(f)
	t.Cleanup(server.Close) // after the browser has left the page
	b := webtest.NewBrowser(t, 1400, 900)
	clicks := func(from, done string, way ...string) {
		t.Helper()
		b.Do(chromedp.Navigate(server.URL + from))
		for _, target := range way {
			b.Until(fmt.Sprintf(`document.querySelector(%q)?.getClientRects().length > 0`, target))
			b.Do(chromedp.Click(target))
		}
		b.Until(done)
	}
	clicks("/runs/evening/", `document.getElementById("summary").innerText.startsWith("Version 8 is the best so far") &&
		document.getElementById("ending").innerText.startsWith("Training ended")`)
	clicks("/runs/evening/", `location.pathname.endsWith("/league") && document.querySelectorAll(".ladder tbody tr").length > 0`,
		`#summary a[href$="/league"]`)
	clicks("/", `location.pathname === "/replay" && document.getElementById("board").children.length > 0`,
		`th a[href="/runs/evening/"]`, "#moments-list a")
	clicks("/", `document.querySelectorAll("#charts .line").length >= 2`,
		`[data-tick="evening"]`, `[data-tick="morning"]`, "#compare")
	clicks("/game/pig", seated, `.doors a[href^="/play"]`, "#sit-down")
	b.Clean()
}
