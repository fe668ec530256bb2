//go:build long

package tests

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/messages"
)

// What training reaches in a fixed time, against fixed opponents, from a fresh start
// with the built-in defaults. docs/results.md has the numbers of the last time. They
// hold for 2 quiet cores; on a slower machine a check can fail without a fault.

// trained is a finished run.
type trained struct {
	dir    string
	ladder messages.Ladder
	// curves holds the last value of each learning curve seen during the run.
	curves map[string]float64
}

// train runs `croupier train GAME --for length` to its end.
func train(t *testing.T, game, length string, args ...string) trained {
	t.Helper()
	r := trained{dir: filepath.Join(t.TempDir(), game), curves: map[string]float64{}}
	address := freeAddress(t)
	p := start(t, "train-"+game, croupier(t), append([]string{"train", game, "--for", length, "--run", r.dir, "--listen", address}, args...)...)
	for p.running() {
		r.readCurves(address)
		time.Sleep(time.Second)
	}
	require.True(t, p.cmd.ProcessState.Success(), p.tail())
	out, err := exec.Command(croupier(t), "ladder", "--run", r.dir, "--json").Output()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(out, &r.ladder))
	t.Logf("%s for %s: %v\n%s", game, length, r.curves, p.tail())
	return r
}

// readCurves takes the newest values from the web page's API, if it is there.
func (r *trained) readCurves(address string) {
	answer, err := http.Get("http://" + address + "/api/curves")
	if err != nil {
		return
	}
	defer answer.Body.Close()
	doc, err := io.ReadAll(answer.Body)
	var curves struct {
		Curves []struct {
			Series string      `json:"series"`
			Points [][]float64 `json:"points"` // seconds, samples, value, …
		} `json:"curves"`
	}
	if err != nil || json.Unmarshal(doc, &curves) != nil {
		return
	}
	for _, c := range curves.Curves {
		if n := len(c.Points); n > 0 {
			r.curves[c.Series] = c.Points[n-1][2]
		}
	}
}

// newest is the last version of the run.
func (r *trained) newest() string {
	best, order := "", -1
	for _, a := range r.ladder.Agents {
		if n, ok := versionOf(a.Name); ok && n > order {
			best, order = a.Name, n
		}
	}
	return best
}

// arena plays two agents of the run against each other. The answer is about the first,
// alone among copies of the second.
func (r *trained) arena(t *testing.T, agent, opponent, games string) messages.Payoff {
	t.Helper()
	out, err := exec.Command(croupier(t), "arena", agent, opponent, "--games", games, "--run", r.dir, "--json").Output()
	require.NoError(t, err)
	var ladder messages.Ladder
	require.NoError(t, json.Unmarshal(out, &ladder))
	i := slices.IndexFunc(ladder.Payoff, func(p messages.Payoff) bool { return p.A == agent && p.B == opponent })
	require.NotEqual(t, -1, i, "%s", out)
	p := ladder.Payoff[i]
	t.Logf("%s: %s against %s: mean return %+.3f (%+.3f … %+.3f) of %d games", ladder.Game,
		agent, opponent, p.MeanReturnA, p.Low, p.High, p.Games)
	if p.WinShare != nil {
		t.Logf("share of the win %.3f (%.3f … %.3f)", p.ShareA, p.ShareLow, p.ShareHigh)
	}
	return p
}

func TestBankIn3Minutes(t *testing.T) {
	r := train(t, "bank", "3m")
	for _, opponent := range []string{"random", "threshold(100)", "rolls(6)", "leader-chaser"} {
		require.Greater(t, r.arena(t, r.newest(), opponent, "3000").ShareLow, 1.0/3, opponent)
	}
}

func TestKuhnIn2Minutes(t *testing.T) {
	require.LessOrEqual(t, train(t, "kuhn", "2m").curves["exploitability"], 0.02)
}

func TestLeducIn10Minutes(t *testing.T) {
	require.LessOrEqual(t, train(t, "leduc", "10m").curves["exploitability"], 0.15)
}

func TestPigIn5Minutes(t *testing.T) {
	r := train(t, "pig", "5m")
	require.GreaterOrEqual(t, r.arena(t, r.newest(), "solver:optimal", "10000").ShareA, 0.48)
}

func TestTysiacIn30Minutes(t *testing.T) {
	r := train(t, "tysiac", "30m")
	for opponent, want := range map[string]float64{"random": 0.95, "greedy": 0.8} {
		require.GreaterOrEqual(t, r.arena(t, r.newest(), opponent, "1400").ShareA, want, opponent)
	}
	r.arena(t, r.newest(), "heuristic", "1400")
	r.arena(t, r.newest(), "pimc(4)", "300")
}

func TestLangeStrasseIn15Minutes(t *testing.T) {
	r := train(t, "lange-strasse", "15m")
	require.GreaterOrEqual(t, r.arena(t, r.newest(), "turn-optimum", "2100").MeanReturnA, 0.0)
	r.arena(t, r.newest(), "solver:money", "2100")
}

func TestBanluckIn10Minutes(t *testing.T) {
	require.LessOrEqual(t, train(t, "banluck", "10m").curves["exploitability"], 0.001)
}

func TestBankFor2To4In5Minutes(t *testing.T) {
	for players := 2; players <= 4; players++ {
		r := train(t, "bank", "5m", "--set", fmt.Sprintf("rules.players=%d", players))
		for _, opponent := range []string{"random", "threshold(100)", "rolls(6)", "leader-chaser"} {
			share := r.arena(t, r.newest(), opponent, "3000").ShareLow
			require.Greater(t, share, 1/float64(players), "%d players, %s", players, opponent)
		}
	}
}

// versionOf reads the number of a frozen version's name, main@12.
func versionOf(name string) (int, bool) {
	_, digits, found := strings.Cut(name, "@")
	n, err := strconv.Atoi(digits)
	return n, found && err == nil
}
