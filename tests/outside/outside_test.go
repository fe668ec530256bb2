// Package outside tests what others get of this module: games in modules of their own.
package outside

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"croupier/internal/testport"
	"croupier/internal/testproc"
	"croupier/play"
	"croupier/web/webtest"
)

// programs is a folder for the command lines that several tests run.
var programs string

func TestMain(m *testing.M) {
	var err error
	if programs, err = os.MkdirTemp("", "croupier-outside-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := webtest.Main{M: m}.Run()
	os.RemoveAll(programs)
	os.Exit(code)
}

// nim builds the command line with Nim in it.
var nim = sync.OnceValues(func() (path string, err error) {
	path = filepath.Join(programs, "nim")
	return path, runGo("nim", "build", "-ldflags=-s", "-o", path, "./croupier")
})

// withNim returns the command line with Nim in it.
func withNim(t *testing.T) string {
	t.Helper()
	path, err := nim()
	require.NoError(t, err)
	return path
}

// modules returns the folders of the modules.
func modules(t *testing.T) (folders []string) {
	t.Helper()
	found, err := filepath.Glob("*/go.mod")
	require.NoError(t, err)
	require.NotEmpty(t, found)
	for _, path := range found {
		folders = append(folders, filepath.Dir(path))
	}
	return folders
}

// runGo runs the go tool in a module, which needs nothing that this module does not need.
func runGo(folder string, args ...string) error {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = folder, append(os.Environ(), "GOFLAGS=-mod=readonly", "GOPROXY=off", "GOWORK=off")
	if out, err := testproc.CombinedOutput(cmd); err != nil {
		return fmt.Errorf("go %s in %s: %w\n%s", strings.Join(args, " "), folder, err, out)
	}
	return nil
}

// goTool is runGo, which must succeed.
func goTool(t *testing.T, folder string, args ...string) {
	t.Helper()
	require.NoError(t, runGo(folder, args...))
}

// The modules have the dependencies of this module in its versions; sync.sh sees to it.
func TestVersionsAreThoseOfThisModule(t *testing.T) {
	own, err := os.ReadFile("../../go.mod")
	require.NoError(t, err)
	sums, err := os.ReadFile("../../go.sum")
	require.NoError(t, err)
	for _, folder := range modules(t) {
		theirs, err := os.ReadFile(filepath.Join(folder, "go.mod"))
		require.NoError(t, err)
		for line := range strings.Lines(string(own)) {
			required, _, _ := strings.Cut(strings.TrimSpace(line), " //")
			if fields := strings.Fields(required); strings.HasPrefix(line, "\t") && len(fields) == 2 && fields[1][0] == 'v' {
				require.Contains(t, string(theirs), "\t"+required+" ", "run tests/outside/sync.sh")
			}
		}
		copied, err := os.ReadFile(filepath.Join(folder, "go.sum"))
		require.NoError(t, err)
		require.True(t, bytes.Equal(sums, copied), "%s/go.sum: run tests/outside/sync.sh", folder)
	}
}

// The modules are sound, and their games keep the contract.
func TestModules(t *testing.T) {
	t.Parallel()
	for _, folder := range modules(t) {
		goTool(t, folder, "vet", "./...")
		goTool(t, folder, "test", "-vet=off", "-ldflags=-s", "-count=1", "./...")
	}
}

// The command line with Nim in it trains Nim, rates it against its bots and its exact answer, and shows the page on
// which it is played on its own board meanwhile; the best version answers, and the game's own command does.
func TestNimTrainsAndIsPlayed(t *testing.T) {
	t.Parallel()
	program := withNim(t)
	address, run := testport.Free(t), filepath.Join(t.TempDir(), "run")
	cmd := exec.Command(program, "train", "nim", "--run", run, "--listen", address)
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	require.NoError(t, testproc.Start(cmd))
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill() })

	playNim(t, "http://"+address)
	ladder := filepath.Join(run, "ladder.json")
	later := regexp.MustCompile(`main@([2-9]|\d\d)`) // versions that are older than the best may leave the ladder
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(ladder)
		return err == nil && bytes.Contains(text, []byte(`"solver:optimal"`)) && later.Match(text) &&
			bytes.Contains(text, []byte(`"best": true`))
	}, 2*time.Minute, 100*time.Millisecond, "a version is rated")
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.NoError(t, <-ended, "%s", log.String())
	for _, name := range []string{"solver:optimal", "one ", "all ", "random", "main@"} {
		require.Contains(t, out.String(), name)
	}
	require.NotContains(t, log.String(), "level=ERROR")

	said := func(args ...string) string {
		cmd := exec.Command(program, args...)
		cmd.Stdin = strings.NewReader(`{"piles": [3, 4, 5], "seat": 0}`)
		text, err := testproc.CombinedOutput(cmd)
		require.NoError(t, err, "%s", text)
		return string(text)
	}
	best := regexp.MustCompile(`; best ((?:greedy:)?main@\d+)\.`).FindStringSubmatch(out.String())
	require.NotNil(t, best, out.String())
	require.Regexp(t, `take [1-5] from pile [123]`, said("advise", "nim", "--position", "-", "--run", run, "--agent",
		best[1]))
	require.Equal(t, "the first to move wins: take 2 from pile 1\n", said("solve", "nim"))
	require.Contains(t, said("solve", "nim", "--json", "--set", "rules.piles=[1,2,3]"), `"first_wins": false`)
	require.Contains(t, said("games"), "\nnim ")
}

// playNim plays a game at a table, the last counters of which the person takes: Ann begins with 1 and 2 counters, and
// the bot "all" takes the larger pile.
func playNim(t *testing.T, server string) {
	t.Helper()
	seats := []play.SeatRequest{{Person: "Ann"}, {Agent: "all"}}
	request, err := json.Marshal(play.Request{Game: "nim", Rules: "piles: [2, 3]", Seats: seats})
	require.NoError(t, err)
	var made play.Made
	require.Eventually(t, func() bool {
		answer, err := http.Post(server+"/api/tables", "application/json", bytes.NewReader(request))
		if err != nil {
			return false // it is not there yet
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.Less(t, answer.StatusCode, 300, "%s", text)
		return json.Unmarshal(text, &made) == nil
	}, time.Minute, 50*time.Millisecond)
	b := webtest.NewBrowser(t, 800, 600)
	b.Do(chromedp.Navigate(server + "/play#table=" + made.Table + "&key=" + made.Keys[0]))
	take := func(counters int, name string) {
		b.Until(fmt.Sprintf(`document.querySelectorAll(".nim-counter:not(:disabled)").length === %d`, counters))
		b.Styled() // nothing moves any more
		b.Click(`[aria-label="` + name + `"]`)
	}
	take(5, "take 1 from pile 2") // leaves 2 and 2, of which the bot takes the first
	take(2, "take 2 from pile 2")
	b.Until(`document.querySelector(".nim [role=status]").textContent === "Ann took the last counter."`)
}

// The command line with REINFORCE in it trains Pig by it, in step, so that the weights are the same everywhere; its
// newest version beats random play, the run is resumed, its settings are checked, and a program without it refuses the
// run.
func TestReinforceTrains(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	program, run := filepath.Join(folder, "croupier"), filepath.Join(folder, "run")
	goTool(t, "reinforce", "build", "-ldflags=-s", "-o", program, "./croupier")
	said := func(program string, status int, args ...string) string {
		cmd := exec.Command(program, args...)
		text, err := testproc.CombinedOutput(cmd)
		require.Equal(t, status, cmd.ProcessState.ExitCode(), "%v: %s: %v", args, text, err)
		return string(text)
	}
	train := []string{"--listen", "off", "--run", run, "--games"}
	said(program, 0, append([]string{
		"train", "pig", "--algo", "reinforce", "--deterministic", "--set", "rules.target=20", "--set", "network.dense=[16]",
		"--set", "learner.learning_rate_start=0.01", "--set", "league.freeze_updates=200",
	}, append(train, "4000")...)...)
	newest := newestOf(t, run)
	var tournament struct {
		Payoff []struct {
			Low float64 `json:"share_low"`
		} `json:"payoff"`
	}
	out := said(program, 0, "arena", newest, "random", "--game", "pig", "--run", run, "--games", "400", "--json")
	require.NoError(t, json.Unmarshal([]byte(out), &tournament), "%s", out)
	require.Greater(t, tournament.Payoff[0].Low, 0.6, "%s against random", newest)
	require.Contains(t, said(program, 0, append([]string{"train", "--resume"}, append(train, "4200")...)...),
		"Trained for")
	require.NotEqual(t, newest, newestOf(t, run))

	require.Contains(t, said(program, 0, "config", "pig", "--algo", "reinforce"),
		"  reinforce:\n    samples: 512\n    baseline: 0.5\n")
	require.Contains(t, said(program, 2, "config", "pig", "--set", "learner.reinforce.samples=0"),
		"learner.reinforce.samples: 0 is not in 1..16777216")
	require.Contains(t, said(withNim(t), 2, "train", "--resume", "--run", run),
		"learner.algorithm: reinforce is not ppo or dqn")
}

// newestOf returns the newest version on a run's ladder.
func newestOf(t *testing.T, run string) (name string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(run, "ladder.json"))
	require.NoError(t, err)
	newest := 0
	for _, found := range regexp.MustCompile(`"main@(\d+)"`).FindAllSubmatch(text, -1) {
		number, err := strconv.Atoi(string(found[1]))
		require.NoError(t, err)
		newest = max(newest, number)
	}
	require.Positive(t, newest, "%s", text)
	return fmt.Sprintf("main@%d", newest)
}
