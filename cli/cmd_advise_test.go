package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/advice"
	"croupier/catalog"
	"croupier/engine"
	"croupier/games/standard"
	"croupier/internal/nightly"
)

// advised runs croupier advise and reads its answer.
func advised(t *testing.T, game, position string, args ...string) *advice.Answer {
	t.Helper()
	status, stdout, stderr := croupier(position, append([]string{"advise", game, "--position", "-", "--json"}, args...)...)
	require.Zero(t, status, stderr)
	require.Empty(t, stderr)
	var a advice.Answer
	require.NoError(t, json.Unmarshal([]byte(stdout), &a))
	require.Equal(t, game, a.Game)
	return &a
}

// Every game explains its example, in both forms.
func TestAdviseExamples(t *testing.T) {
	for _, entry := range standard.Games.Games() {
		game, err := standard.Games.New(entry.Name, nil)
		require.NoError(t, err)
		if _, ok := game.(engine.Positioned); !ok {
			continue
		}
		t.Run(entry.Name, func(t *testing.T) {
			status, example, stderr := croupier("", "advise", entry.Name, "--example")
			require.Zero(t, status, stderr)
			bot := game.Bots().References[0]
			a := advised(t, entry.Name, example, "--agent", bot, "--samples", "20")
			require.Equal(t, bot, a.Agent)
			require.NotNil(t, a.Of(a.Best))
			require.Equal(t, a, advised(t, entry.Name, example, "--agent", bot, "--samples", "20"),
				"the same call, the same answer")
			status, text, stderr := croupier(example, "advise", entry.Name, "--position", "-", "--agent", "random",
				"--samples", "2")
			require.Zero(t, status, stderr)
			require.Contains(t, text, "Advice of random, estimated.")
		})
	}
}

func TestAdviseKnownAnswers(t *testing.T) {
	// A queen against a bet: fold or call, all the same to the equilibrium (Kuhn 1950);
	// a king calls for 2 and a jack folds.
	a := advised(t, "kuhn", `{"card": "K", "moves": ["bet"]}`, "--samples", "200")
	require.Equal(t, "solver:equilibrium", a.Agent)
	require.Equal(t, 1, a.Best)
	require.InDelta(t, 2, a.Actions[1].Value, 1e-9)
	require.InDelta(t, 3, a.Actions[0].Loss, 1e-9)
	require.Zero(t, advised(t, "kuhn", `{"card": "J", "moves": ["bet"]}`, "--samples", "200").Best)
	// Lange Strasse: the source's example says 300 for three fives, which are 500.
	a = advised(t, "lange-strasse", `{"kept_groups": [[5, 5, 5]], "available_dice": [4, 1, 2],
		"turn_score": 1500, "set_score": 300,
		"players": [{"score": 4550, "strich": true}, {"score": 1300, "strich": true, "you": true},
			{"score": 6400, "strich": false}],
		"turn_number": 7}`, "--agent", "turn-optimum", "--samples", "50")
	require.Equal(t, []string{"set_score: 300 was given, but the group 5-5-5 makes 500, which is used instead",
		"--samples: without effect, as no games are played out: turn-optimum knows what actions are worth"}, a.Notes)
	require.Equal(t, "keep 1, roll", a.Actions[0].Name)
	require.Zero(t, *a.Actions[1].Risk, "who stops has no strich")
}

// A position in one line is asked about as the same one as JSON is, and the answer has it.
func TestAdviseTakesOneLine(t *testing.T) {
	a := advised(t, "pig", `{"scores": [30, 42], "turn": 18, "seat": 0}`, "--agent", "hold(20)", "--samples", "20")
	require.Equal(t, ">30 42 | 18", a.Line)
	require.Equal(t, a, advised(t, "pig", a.Line+"\n", "--agent", "hold(20)", "--samples", "20"))
	status, text, stderr := croupier("", "advise", "pig", ">30 42|18", "--agent", "hold(20)", "--samples", "20")
	require.Zero(t, status, stderr)
	require.Contains(t, text, "\nPosition: >30 42 | 18\n")
	// Without a mark the first player of Lange Strasse is to move, with a note.
	status, text, stderr = croupier("", "advise", "lange-strasse", "4550! 1300! 6400 | 7 | 1500 | 5-5-5 | 4-1-2",
		"--agent", "turn-optimum")
	require.Zero(t, status, stderr)
	require.Contains(t, text, "\nPosition: >4550! 1300! 6400 | 7 | 1500 | 5-5-5 | 1-2-4\n")
	require.Contains(t, text, "Note: players: none is marked with >")
}

func TestAdviseOfARun(t *testing.T) {
	t.Parallel()
	dir := trained(t)
	a := advised(t, "kuhn", `{"card": "Q", "moves": []}`, "--run", dir, "--agent", "main@1", "--samples", "50")
	require.Equal(t, "main@1", a.Agent)
	require.Len(t, a.Actions, 2)
	require.Contains(t, refused(t, 2, "advise", "pig", "--run", dir, "--example"), "the run is for kuhn, not for pig")
}

func TestAdviseRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "position.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"scores": [0, 100], "turn": 0, "seat": 0}`), 0o600))
	for _, test := range []struct {
		message string
		args    []string
	}{
		{"--position " + file + ": scores[1]: 100 points would have won the game", []string{"pig", "--position", file}},
		{`unknown game "poker"`, []string{"poker", "--example"}},
		{"no position is given: name POSITION", []string{"pig"}},
		{`--position does not go with POSITION, which is ">0 0"`, []string{"pig", ">0 0", "--position", file}},
		{"POSITION: scores[1]: 100 points would have won the game", []string{"pig", ">0 100"}},
		{"POSITION: it is a position of kuhn, not of pig", []string{"pig", "Q | check bet"}},
		{"do not go together", []string{"pig", "--example", "--position", file}},
		{"--samples is -1, not in", []string{"pig", "--position", file, "--samples", "-1"}},
		{"--budget is -1s", []string{"pig", "--position", file, "--budget", "-1s"}},
	} {
		status, _, stderr := croupier("", append([]string{"advise"}, test.args...)...)
		require.Equal(t, 2, status, "%v", test.args)
		require.Contains(t, stderr, test.message)
	}
	good := `{"scores": [0, 0], "turn": 0, "seat": 0}`
	status, _, stderr := croupier(good, "advise", "pig", "--position", "-", "--agent", "hold(0)")
	require.Equal(t, 2, status)
	require.Contains(t, stderr, "--agent: agent hold(0)")
	status, _, stderr = croupier(good, "advise", "pig", "--position", "-", "--agent", "main@3")
	require.Equal(t, 2, status)
	require.Contains(t, stderr, "needs --run")
}

// At a mixed strategy the frequencies are the answer, and what is within the error of the solution
// is no difference.
func TestAdviseTellsFrequencies(t *testing.T) {
	queen := `{"card": "Q", "moves": ["bet"]}`
	a := advised(t, "kuhn", queen)
	require.InDelta(t, 1.0/3, *a.Actions[1].Frequency, 0.01, "the second player calls with a queen in 1 of 3 cases")
	require.InDelta(t, 1, *a.Actions[0].Frequency+*a.Actions[1].Frequency, 1e-9)
	require.Zero(t, a.Actions[0].Loss)
	require.Zero(t, a.Actions[1].Loss)
	require.Positive(t, a.ValueError)
	require.Less(t, a.ValueError, 0.001)
	require.Regexp(t, `^Fold 66\.\d % of the time, call 33\.\d %: they are worth the same, -1\.0* antes\.$`, a.Reason)
	status, text, stderr := croupier(queen, "advise", "kuhn", "--position", "-")
	require.Zero(t, status, stderr)
	require.Regexp(t, `action +antes +loss +played`, text)
	require.NotContains(t, text, "-0.0")
	status, text, stderr = croupier(`{"card": "K", "moves": ["bet"]}`, "advise", "kuhn", "--position", "-")
	require.Zero(t, status, stderr)
	require.NotContains(t, text, "played", "a king always calls")
}

// BANK! for three, the last round, everybody still in it, the lead 5 and the bank 10: a player that banks
// now leaves the others a bank that soon passes his total. The agent asked by default defends the
// lead (with two players both actions are worth the same).
func TestAdviseDefendsALead(t *testing.T) {
	a := advised(t, "bank", `{"round": 10, "roll": 1, "dice": [4, 6], "bank": 10, "totals": [1121, 1116, 1116], "seat": 0}`,
		"--samples", "256")
	require.Equal(t, "pass", a.Of(a.Best).Name)
	require.Equal(t, a.Agent, a.Adviser.Agent)
	require.Contains(t, a.Adviser.Why, "the strongest of")
	require.Equal(t, "of the win", a.Adviser.Unit)
}

// The second seat's last turn of Lange Strasse is exact, and flags for playing games out are said to be
// without effect.
func TestAdviseIsExactInTheLastRound(t *testing.T) {
	position := `{"kept_groups": [[1]], "available_dice": [1, 1, 1, 3, 4], "turn_score": 0, "turn_number": 9, "players": [
		{"score": 10400, "strich": true}, {"score": 9500, "strich": true, "you": true}, {"score": 9000, "strich": true}]}`
	a := advised(t, "lange-strasse", position, "--agent", "solver:money", "--samples", "100", "--seed", "4")
	require.True(t, a.Exact)
	best := a.Of(a.Best)
	require.Equal(t, "keep 1-1-1, stop", best.Name)
	require.Equal(t, "ct", a.Unit)
	require.InDelta(t, 142.67, best.Value, 1e-2)
	require.Equal(t, [2]float64{best.Value, best.Value}, [2]float64{best.Low, best.High})
	require.Contains(t, a.Notes[0], "--samples, --seed: without effect")
	require.Contains(t, a.Reason, "142.7 ct, 98.1 more than")
}

// With four players the network of the family is asked. By rules that no network knows it is the strongest bot, and
// that is said.
func TestAdviseUnderOtherRules(t *testing.T) {
	four, long := rulesFile(t, "players: 4"), rulesFile(t, "{players: 4, rounds: 999}")
	position := `{"round": 10, "roll": 1, "dice": [4, 6], "bank": 10, "totals": [1121, 1116, 1116, 0], "seat": 0}`
	a := advised(t, "bank", position, "--samples", "16", "--rules", four)
	require.Contains(t, a.Agent, "trained")
	require.Regexp(t, `^Asked: (greedy:)?trained, the strongest of \d+ in a recorded comparison`, a.Notes[0])
	a = advised(t, "bank", position, "--samples", "16", "--rules", long)
	require.Equal(t, "leader-chaser", a.Agent)
	require.Contains(t, a.Notes[0], "Asked: leader-chaser, the strongest bot, since no network")
	require.Contains(t, a.Notes[0], "its advice can be poor")
	require.Contains(t, refused(t, 1, "arena", "greedy:trained", "random", "--game", "bank", "--rules", long),
		"is not among the 84 tables")
}

// In the first round of BANK! for four, a player that banks the first roll gets next to nothing for it, and nothing can
// be lost by waiting.
func TestTheFirstRollIsNotBanked(t *testing.T) {
	samples := strconv.Itoa(nightly.Cases(1000, 4096))
	for dice, bank := range map[string]int{"[4, 5]": 9, "[1, 2]": 3, "[6, 6]": 12} {
		position := fmt.Sprintf(`{"round": 1, "roll": 1, "dice": %s, "bank": %d, "totals": [0, 0, 0, 0], "seat": 0}`, dice, bank)
		a := advised(t, "bank", position, "--rules", rulesFile(t, "players: 4"), "--samples", samples)
		require.Equal(t, "pass", a.Of(a.Best).Name, dice)
	}
}

func TestCompareCommand(t *testing.T) {
	out := filepath.Join(t.TempDir(), "kuhn.json")
	text := succeed(t, "", "advise", "compare", "kuhn", "always-bet", "always-pass", "--games", "200", "--out", out)
	require.Contains(t, text, "The strongest of 2 agents is always-bet, with 1.000 (1.000 .. 1.000) antes against always-pass")
	var c catalog.Comparison
	require.NoError(t, json.Unmarshal([]byte(readFile(t, out)), &c))
	require.Equal(t, "always-bet", c.Agents[0].Name)
	require.Contains(t, refused(t, 2, "advise", "compare", "kuhn", "always-bet"), "name at least two agents")
	require.Contains(t, refused(t, 2, "advise", "compare", "kuhn", "always-bet", "always-bet"), "named twice")
	for want, names := range map[string][]string{
		"Two players: name at least two agents": {"random"}, "named twice": {"random", "random"},
	} {
		args := append([]string{"advise", "compare", "bank", "--tables"}, names...)
		require.Contains(t, refused(t, 2, args...), want)
	}
}

// Without --run, advise and review know the versions of the newest run of the game, as the page of
// the runs does; --run none leaves it out.
func TestAdviseKnowsTheNewestRun(t *testing.T) {
	dir := trained(t)
	t.Chdir(t.TempDir())
	const position = `{"card": "Q", "moves": ["bet"]}`
	ask := []string{"advise", "kuhn", "--position", "-", "--agent", "main@1", "--samples", "20"}
	status, _, stderr := croupier(position, ask...)
	require.Equal(t, 2, status)
	require.Contains(t, stderr, "--agent: agent main@1: a version of a run needs --run")

	require.NoError(t, os.Mkdir("runs", 0o755))
	require.NoError(t, os.Rename(dir, filepath.Join("runs", "evening")))
	require.Equal(t, "main@1", advised(t, "kuhn", position, "--agent", "main@1", "--samples", "20").Agent)
	status, _, stderr = croupier(position, append(ask, "--run", "none")...)
	require.Equal(t, 2, status)
	require.Contains(t, stderr, "needs --run")
	histories := succeed(t, "", "simulate", "kuhn", "--games", "3")
	status, stdout, stderr := croupier(histories, "advise", "review", "-", "--agent", "main@1", "--samples", "20")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "main@1")
}
