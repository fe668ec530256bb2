package cluster

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"croupier/archive"
	"croupier/games/standard"
	"croupier/internal/rundir"
	"croupier/web/webtest"
)

// judgingFolder is a folder with a run of Pig whose games are judged by a command.
func judgingFolder(t *testing.T, command func(args ...string) *exec.Cmd) (*folder, *judging) {
	f := newFolder(t)
	keepPig(t, f.ended("evening", "pig", 20), 20)
	quiet := slog.New(slog.DiscardHandler)
	j := newJudging(standard.Games, command, f.runs.lookedAt, quiet)
	f.Handler = RunsServer{Catalog: standard.Games, Dir: f.path, Log: quiet}.handler(t.Context(), f.runs, j)
	return f, j
}

// saying is a command that writes a line, or says nothing.
func saying(line string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	if line == "" {
		cmd.Args = append(cmd.Args, "-test.list=^$")
	}
	return cmd
}

// Lost games of the best version are judged unasked once somebody looks at the run: a card shows each mistake, and one
// click leads to the moment on the board.
func TestWorstMoments(t *testing.T) {
	t.Parallel()
	f, j := judgingFolder(t, func(args ...string) *exec.Cmd {
		require.Subset(t, args, []string{"archive", "review", "--idle", "greedy:main@8", "--result", "lost", "arena"})
		dir := args[slices.Index(args, "--run")+1]
		found, err := archive.Read(dir).Find(context.Background(),
			archive.Query{Agent: "greedy:main@8", Result: archive.Lost, Purpose: archive.ArenaPurpose, Unjudged: true})
		require.NoError(t, err)
		reviews := map[archive.ID]archive.Review{}
		for i, g := range found.Games {
			first := archive.Mistake{Loss: 0.01 * float64(i+1), Seat: 0, Taken: "hold", Best: "roll"}
			last := archive.Mistake{Loss: 0.02 * float64(i+1), Step: g.Steps - 1, Seat: 1, Taken: "roll", Best: "hold"}
			reviews[g.ID] = archive.Review{Judge: "solver:optimal", Why: "exact solution", Unit: "win probability", Exact: true,
				Loss: last.Loss, Step: last.Step, Seat: 1, Taken: last.Taken, Best: last.Best,
				Mistakes: []archive.Mistake{last, first}}
		}
		require.NoError(t, archive.AddReviews(dir, reviews))
		return saying("")
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- j.run(ctx) }()
	defer func() { cancel(); require.NoError(t, <-done) }()
	server := httptest.NewServer(f)
	t.Cleanup(server.Close) // after the browser has left the page, whose requests it waits for
	b := webtest.NewBrowser(t, 1400, 900)
	b.Do(chromedp.Navigate(server.URL + "/runs/evening/"))
	b.Until(`document.querySelectorAll("#moments-list .mini > div > *").length > 0`)
	b.Until(`/^(\d+) of \1 lost games of Version 8 are judged\./.test(document.getElementById("moments-note").innerText)`)
	const costs = `[...document.querySelectorAll("#moments-list .mistake")].map((m) => parseFloat(m.textContent.slice(1)))`
	require.NotEmpty(t, webtest.Evaluate[[]float64](b, costs))
	falling := func() {
		found := webtest.Evaluate[[]float64](b, costs)
		require.True(t, slices.IsSortedFunc(found, func(a, b float64) int { return int(1e6 * (b - a)) }), "%v", found)
	}
	falling()
	b.Axe()
	b.Keep("moments")
	choose := func(field, value string) {
		webtest.Evaluate[any](b, `{ const f = document.getElementById("`+field+`"); f.value = "`+value+`"; f.dispatchEvent(new Event("change")); }`)
	}
	choose("moments-whose", "others")
	b.Until(`[...document.querySelectorAll("#moments-list .note")].some((n) => n.textContent.startsWith("its opponent hold(20)"))`)
	falling()
	choose("moments-against", "hold(20)")
	choose("moments-whose", "best")
	b.Until(`[...document.querySelectorAll("#moments-list .note")].every((n) => /^Version 8, step \d+, against hold\(20\)$/.test(n.textContent))`)
	step := webtest.Evaluate[string](b, `document.querySelector("#moments-list .note").textContent.match(/step (\d+)/)[1]`)
	b.Click("#moments-list a")
	b.Until(`location.pathname === "/replay" && document.getElementById("board").children.length > 0`)
	require.Contains(t, webtest.Evaluate[string](b, "location.search"), "run=evening")
	b.Until(`new RegExp("step=" + (` + step + ` - 1) + "\\b").test(location.href)`)
	b.Clean()
}

// A run of which nothing is left to be judged is left alone until games come; a judge that fails is named, and asked
// again later; a setting switches it off.
func TestJudgingRests(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	result := saying("one game")
	f, j := judgingFolder(t, func(...string) *exec.Cmd { calls.Add(1); return result })
	dir := f.path + "/evening"
	require.False(t, j.look(t.Context()), "nobody looks at it")
	_, release, err := f.runs.Open("evening")
	require.NoError(t, err)
	defer release()
	require.True(t, j.look(t.Context()))
	result = saying("") // nothing is left
	require.True(t, j.look(t.Context()))
	require.False(t, j.look(t.Context()))
	require.EqualValues(t, 2, calls.Load())
	keepPig(t, dir, 2)
	result = exec.Command(os.Args[0], "-no-such-flag")
	require.True(t, j.look(t.Context()))
	require.False(t, j.look(t.Context()), "it is tried again after a while")
	view, err := f.runs.Find(t.Context(), "evening")
	require.NoError(t, err)
	require.NotEmpty(t, j.state(view).Problem)
	require.Equal(t, "greedy:main@8", j.state(view).Best)
	require.False(t, j.state(view).Working)
	lock, err := archive.Judge(dir)
	require.NoError(t, err)
	require.True(t, j.state(view).Working, "another page judges")
	require.NoError(t, lock.Close())
	config, err := os.ReadFile(dir + "/" + rundir.ConfigFile)
	require.NoError(t, err)
	require.Contains(t, string(config), "judged_games: 100")
	f.write("evening", rundir.ConfigFile, strings.Replace(string(config), "judged_games: 100", "judged_games: 0", 1))
	j.set("evening", judged{})
	require.False(t, j.look(t.Context()))
	require.EqualValues(t, 3, calls.Load())
	require.Nil(t, (*judging)(nil).state(view))
}

// A process that judges ends with the page.
func TestJudgingEnds(t *testing.T) {
	t.Parallel()
	f, j := judgingFolder(t, func(...string) *exec.Cmd { return exec.Command("sleep", "600") })
	_, release, err := f.runs.Open("evening")
	require.NoError(t, err)
	defer release()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- j.run(ctx) }()
	view, err := f.runs.Find(t.Context(), "evening")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return j.state(view).Working }, time.Minute, 10*time.Millisecond)
	cancel()
	require.NoError(t, <-done)
	require.False(t, j.state(view).Working)
	require.Empty(t, j.last("evening").problem)
}
