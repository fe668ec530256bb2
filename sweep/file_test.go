package sweep

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"croupier/games/standard"

	"github.com/stretchr/testify/require"

	"croupier/settings"
)

// plain is the least file of a grid.
const plain = `game: kuhn
vary:
  learner.learning_rate_start: [0.001, 0.01]
budget: 2s
objective: {measure: exploitability}
`

func parse(t *testing.T, text string) *File {
	t.Helper()
	f, err := Parse(standard.Games, []byte(text))
	require.NoError(t, err)
	return f
}

func names(f *File) (list []string) {
	for _, c := range f.Candidates() {
		list = append(list, c.Name)
	}
	return list
}

func TestGridIsEveryCombination(t *testing.T) {
	f := parse(t, `game: leduc
base:
  league: {self_play: 0.5}
variants:
  old: {league.pool: 100, league.priority_power: 0}
  hard: {league.priority_power: 2}
vary:
  network.dense: [[32], [64, 64]]
  learner.ppo.epochs: [1, 3]
seeds: {tuning: 2, reporting: 3}
budget: 1m30s
parallel: 4
objective: {measure: exploitability}
`)
	require.Equal(t, []string{
		"base", "old,dense=[32],epochs=1", "old,dense=[32],epochs=3", "old,dense=[64, 64],epochs=1",
		"old,dense=[64, 64],epochs=3",
		"hard,dense=[32],epochs=1", "hard,dense=[32],epochs=3", "hard,dense=[64, 64],epochs=1",
		"hard,dense=[64, 64],epochs=3",
	}, names(f))
	old := f.candidates[2]
	require.Equal(t, []Setting{
		{"league.pool", "100"}, {"league.priority_power", "0"}, {"network.dense", "[32]"}, {"learner.ppo.epochs", "3"},
	}, old.Settings)
	require.Equal(t, 100, old.config.League.Pool)
	require.Equal(t, 0.5, old.config.League.SelfPlay, "the base's")
	require.Equal(t, 3, old.config.Learner.PPO.Epochs)
	require.Equal(t, []int{32}, old.config.Network.Dense)
	require.Equal(t, []int{64, 64}, f.candidates[0].config.Network.Dense, "the game's default")
	require.Equal(t, 90*time.Second, f.Budget)
}

func TestDrawnCandidates(t *testing.T) {
	text := `game: kuhn
vary:
  learner.learning_rate_start: {log_uniform: [0.00001, 0.1]}
  league.self_play: {uniform: [0.25, 0.75]}
  league.pool: {integer: [2, 4]}
  learner.ppo.epochs: [1, 2]
search: {method: random, candidates: 400, seed: 9}
budget: 2s
objective: {measure: exploitability}
`
	f := parse(t, text)
	require.Equal(t, names(f)[:3], []string{"base", "#1", "#2"})
	pools, small := map[int]int{}, 0
	for _, c := range f.candidates[1:] {
		rate, play := c.config.Learner.LearningRateStart, c.config.League.SelfPlay
		require.True(t, rate >= 0.00001 && rate <= 0.1, rate)
		require.True(t, play >= 0.25 && play <= 0.75, play)
		pools[c.config.League.Pool]++
		if rate < 0.001 { // two of four orders of magnitude
			small++
		}
		require.Contains(t, []int{1, 2}, c.config.Learner.PPO.Epochs)
		_, err := strconv.ParseFloat(c.Settings[0].Value, 64)
		require.NoError(t, err)
	}
	require.InDelta(t, 200, small, 50)
	require.Len(t, pools, 3)
	require.InDelta(t, 133, pools[4], 45)
	require.Equal(t, f.candidates[7].Settings, parse(t, text).candidates[7].Settings, "the same seed")
	other := parse(t, strings.Replace(text, "seed: 9", "seed: 8", 1))
	require.NotEqual(t, f.candidates[7].Settings, other.candidates[7].Settings)
}

// Each mistake is reported with its line and field.
func TestMistakes(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{"game: kuhn\n", "", "game: is missing"},
		{"game: kuhn", "game: khun", `line 1: game: `},
		{"budget: 2s", "budget: 2", "line 4: budget: 2 is not a duration like 30s"},
		{"budget: 2s", "budget: 2ms", "line 4: budget: 2ms is not at least 1s"},
		{"budget: 2s", "budgets: 2s", "line 4: budgets: unknown key"},
		{"[0.001, 0.01]", "0.01", "line 3: vary.learner.learning_rate_start: a grid needs a list of values"},
		{"[0.001, 0.01]", "[fast]", `line 3: vary.learner.learning_rate_start: "fast" is not a number`},
		{"[0.001, 0.01]", "[-1]", "line 3: vary.learner.learning_rate_start: -1 is not a positive number"},
		{"learning_rate_start", "learning_rat_start", "line 3: vary.learner.learning_rat_start: unknown key"},
		{"vary:", "base:\n  league:\n    pol: 3\nvary:", "line 4: base.league.pol: unknown key"},
		{"vary:", "base: {league: {pool: 0}}\nvary:", "line 2: base.league.pool"},
		{"vary:", "variants: {base: {league.pool: 3}}\nvary:", "line 2: variants.base: a name has"},
		{"vary:", "variants: {a: {league.pol: 3}}\nvary:", "line 2: variants.a.league.pol: unknown key"},
		{"learner.learning_rate_start: [0.001, 0.01]", "seed: [3]", "line 2: vary: game and seed are those of the sweep"},
		{"budget", "search: {method: best}\nbudget", `line 4: search.method: "best" is not grid, random or halving`},
		{"budget", "search: {candidates: 3}\nbudget", "line 4: search.candidates: a grid has all combinations"},
		{"budget", "search: {method: random}\nbudget", "search.candidates: 0 is not in"},
		{"budget", "search: {method: halving, candidates: 3, least: 1s}\nbudget", "seeds.tuning: halving chooses"},
		{"vary:\n  learner.learning_rate_start: [0.001, 0.01]", "seeds: {tuning: 2}",
			"line 2: seeds.tuning: 2 seeds to choose by, but"},
		{"budget", "search: {method: halving, candidates: 3}\nbudget", "search.least: 0s is not between"},
		{"budget", "search: {least: 1s}\nbudget", "line 4: search.least: is for search.method: halving"},
		{"budget", "search: {method: random, candidates: 3}\nseeds: {reporting: 0}\nbudget",
			"line 5: seeds.reporting: 0 is not in 1..1000"},
		{"budget", "parallel: 0\nbudget", "line 4: parallel: 0 is not in"},
		{"measure: exploitability", "measure: luck", `line 5: objective.measure: "luck" is not`},
		{"measure: exploitability", "measure: rating", "objective.opponents: a rating is over one opponent"},
		{"exploitability", "exploitability, opponents: [random]", "line 5: objective.opponents: exploitability has none"},
		{"measure: exploitability", "measure: return, opponents: [nobody]", "line 5: objective.opponents[0]: "},
		{"measure: exploitability", "measure: return, opponents: [random, random]", "opponents[1]: random is named twice"},
		{"exploitability}", "exploitability, summary: threshold}", "objective.threshold: belongs to summary: threshold"},
		{"exploitability}", "exploitability, budget: 1m}", "line 5: objective.budget: belongs to measure: exploiter"},
		{"measure: exploitability", "measure: exploiter",
			"objective.budget: 0s is not at least 1s of processor time for the exploiter"},
		{"measure: exploitability", "measure: exploiter, budget: 10",
			"line 5: objective.budget: 10 is not a duration like 30s"},
		{"measure: exploitability", "measure: exploiter, budget: 1s, opponents: [random]",
			"objective.opponents: exploiter has none"},
		{"measure: exploitability", "measure: exploiter, budget: 1s, summary: area",
			"line 5: objective.summary: an exploiter learns"},
		{"exploitability}", "exploitability, play: badly}", `line 5: objective.play: "badly" is not sampled or best`},
		{"exploitability}", "exploitability, play: best}",
			"line 5: objective.play: exploitability is that of the policy, sampled"},
		{"exploitability}", "exploitability, summary: half}", `line 5: objective.summary: "half" is not`},
	} {
		require.Contains(t, plain, test.old)
		_, err := Parse(standard.Games, []byte(strings.Replace(plain, test.old, test.new, 1)))
		require.ErrorContains(t, err, test.want, "%s", test.new)
		require.NotContains(t, err.Error(), "\n")
	}
	for given, want := range map[string]string{
		"{uniform: [1, 0]}": "greater than the first", "{log_uniform: [0, 1]}": "greater than 0",
		"{integer: [1]}":                     "two ends",
		"{uniform: [0, 1], integer: [0, 1]}": "a range is one of", "{gauss: [0, 1]}": "unknown key",
		"{}": "a range is one of",
	} {
		text := strings.Replace(plain, "[0.001, 0.01]", given, 1) + "search: {method: random, candidates: 3}\n"
		_, err := Parse(standard.Games, []byte(text))
		require.ErrorContains(t, err, "line 3: vary.learner.learning_rate_start: ", given)
		require.ErrorContains(t, err, want, given)
	}
	_, err := Read(standard.Games, filepath.Join(t.TempDir(), "none.yaml"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestExamples(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, path := range files {
		f, err := Read(standard.Games, path)
		require.NoError(t, err)
		require.Equal(t, "base", names(f)[0], path)
		if strings.HasSuffix(path, "-opponents.yaml") {
			require.Equal(t, []string{"fictitious", "prioritised"}, names(f)[1:3], path)
		}
	}
}

// The winner's settings are a file for croupier train --config.
func TestWinnerIsAConfiguration(t *testing.T) {
	s := &Sweep{Dir: t.TempDir(), File: parse(t, plain)}
	require.NoError(t, s.writeWinner(2))
	c, err := settings.Default(standard.Games, "kuhn")
	require.NoError(t, err)
	require.NoError(t, (&settings.Changes{File: s.Winner()}).Apply(t.Context(), c))
	require.Equal(t, 0.01, c.Learner.LearningRateStart)
}
