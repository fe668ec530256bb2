//go:build long

package tests

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/games/standard"
	"croupier/internal/stat"
	"croupier/internal/testport"
	"croupier/internal/testproc"
	"croupier/messages"
	"croupier/policy"
)

// What training reaches in a fixed time, against fixed opponents, from a fresh start with the
// built-in defaults. docs/lab/results.md has the numbers of the last time, and on which machine; on a
// slower one a goal can be missed without a fault.

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
	address := testport.Free(t)
	p := start(t, "train-"+game, croupier(t), append([]string{"train", game, "--for", length, "--run", r.dir, "--listen",
		address}, args...)...)
	for p.running() {
		r.readCurves(address)
		time.Sleep(time.Second)
	}
	require.True(t, p.cmd.ProcessState.Success(), p.tail())
	out, err := testproc.Output(exec.Command(croupier(t), "ladder", "--run", r.dir, "--json"))
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

// newest is the last version of the run, as networks of the game play best.
func (r *trained) newest() string {
	newest, order := "", -1
	for _, a := range r.ladder.Agents {
		_, network, err := policy.CutTemperature(a.Name)
		if n, ok := versionOf(network); err == nil && ok && n > order {
			newest, order = network, n
		}
	}
	game, err := standard.Games.New(r.ladder.Game, nil)
	if err != nil {
		panic(err) // a ladder of no game
	}
	return policy.Temperature(game.Spec().Temperature).Of(newest)
}

// arena plays two agents of the run against each other. The answer is about the first,
// alone among copies of the second.
func (r *trained) arena(t *testing.T, agent, opponent, games string) messages.Payoff {
	t.Helper()
	return arena(t, agent, opponent, "--games", games, "--run", r.dir)
}

// arena plays games between two agents and returns what the first got.
func arena(t *testing.T, agent, opponent string, args ...string) messages.Payoff {
	t.Helper()
	out, err := testproc.Output(exec.Command(croupier(t), append(
		[]string{"arena", agent, opponent, "--json"}, args...)...))
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

// goal is what training is to reach in a fixed time, as the mean over seeds.
type goal struct {
	game, length string
	args         []string // of croupier train
	measures     []measure
}

// measure is one number of a finished run: a last value of a learning curve, or what the newest
// version gets alone among copies of an opponent.
type measure struct {
	curve    string // or
	opponent string
	games    string
	money    bool    // mean return instead of the share of the win
	surely   bool    // in every run the interval of the share lies above least
	least    float64 // the mean over the seeds is to be at least this, or
	most     float64 // at most this, where least is 0
}

// share measures the share of the win.
func share(opponent, games string, least float64) measure {
	return measure{opponent: opponent, games: games, least: least}
}

var bankBots = []string{"random", "threshold(100)", "rolls(6)", "leader-chaser"}

// against measures the share of the win against each opponent, which is to be greater in every run.
func against(opponents []string, games string, least float64) (list []measure) {
	for _, o := range opponents {
		m := share(o, games, least)
		m.surely = true
		list = append(list, m)
	}
	return list
}

var goals = []goal{
	{"bank", "3m", nil, against(bankBots, "3000", 1.0/3)},
	{"bank", "5m", []string{"--set", "rules.players=2"}, against(bankBots, "3000", 1.0/2)},
	{"bank", "5m", []string{"--set", "rules.players=3"}, against(bankBots, "3000", 1.0/3)},
	{"bank", "5m", []string{"--set", "rules.players=4"}, against(bankBots, "3000", 1.0/4)},
	{"kuhn", "2m", nil, []measure{{curve: "exploitability", most: 0.02}}},
	{"leduc", "10m", nil, []measure{{curve: "exploitability", most: 0.15}}},
	{"banluck", "10m", nil, []measure{{curve: "exploitability", most: 0.001}}},
	{"pig", "5m", nil, []measure{share("solver:optimal", "10000", 0.48)}},
	{"tysiac", "30m", nil, []measure{
		share("random", "1400", 0.95), share("greedy", "1400", 0.8), share("heuristic", "1400", 0),
		share("pimc(4)", "300", 0),
	}},
	{"lange-strasse", "15m", nil, []measure{
		{opponent: "turn-optimum", games: "2100", money: true},
		{opponent: "solver:money", games: "2100", money: true, least: math.Inf(-1)},
	}},
}

var (
	learningGames = flag.String("learning.games", "",
		"games whose training is measured, separated by commas; all if empty")
	learningFor   = flag.Duration("learning.for", 0, "length of each run; 0: as long as its goal says")
	learningSeeds = flag.Int("learning.seeds", 5, "runs of each goal")
	learningFrom  = flag.Int("learning.from", 101, "seed of the first run; seeds below 100 are for tuning")
)

// TestLearning trains from a fresh start and prints the rows of docs/lab/results.md: means over the
// seeds with 95 % intervals (Student's t), and the spread of the seeds.
func TestLearning(t *testing.T) {
	for _, g := range goals {
		if *learningGames != "" && !slices.Contains(strings.Split(*learningGames, ","), g.game) {
			continue
		}
		length := g.length
		if *learningFor > 0 {
			length = learningFor.String()
		}
		t.Run(g.game+strings.Join(g.args, ""), func(t *testing.T) { g.check(t, length) })
	}
}

// check trains with every seed. Agents play the way that the game's networks play by default.
func (g *goal) check(t *testing.T, length string) {
	values := make([][]float64, len(g.measures))
	for seed := *learningFrom; seed < *learningFrom+*learningSeeds; seed++ {
		r := train(t, g.game, length, append(g.args, "--seed", strconv.Itoa(seed))...)
		for i, m := range g.measures {
			values[i] = append(values[i], m.of(t, &r))
		}
	}
	for i, m := range g.measures {
		mean := stat.Of(values[i]).Mean
		fmt.Printf("| %s, %s | %s | %d | %s | %.3g … %.3g |\n", strings.Join(append([]string{g.game}, g.args...), " "),
			length,
			cmp.Or(m.curve, m.opponent+", "+m.games+" games"), len(values[i]), meanWithInterval(values[i]),
			slices.Min(values[i]), slices.Max(values[i]))
		switch {
		case *learningFor > 0: // another length, another goal
		case m.most > 0:
			require.LessOrEqual(t, mean, m.most, m.curve)
		default:
			require.GreaterOrEqual(t, mean, m.least, m.opponent)
		}
	}
}

// of returns the number for a finished run.
func (m measure) of(t *testing.T, r *trained) float64 {
	t.Helper()
	if m.curve != "" {
		require.Contains(t, r.curves, m.curve)
		return r.curves[m.curve]
	}
	p := r.arena(t, r.newest(), m.opponent, m.games)
	if m.money {
		return p.MeanReturnA
	}
	if m.surely && *learningFor == 0 {
		require.Greater(t, p.ShareLow, m.least, m.opponent)
	}
	return p.ShareA
}

// versionOf reads the number of a frozen version's name, main@12.
func versionOf(name string) (int, bool) {
	_, digits, found := strings.Cut(name, "@")
	n, err := strconv.Atoi(digits)
	return n, found && err == nil
}
