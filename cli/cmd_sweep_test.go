package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/games/standard"
	"croupier/internal/nightly"
	"croupier/sweep"
)

// tinySweep has a base and a candidate, one seed of tuning and one to report; two in the nightly list.
var tinySweep = fmt.Sprintf(`game: kuhn
base:
  learner: {ppo: {samples: 2048, minibatch: 512}}
  league: {freeze_updates: 100, reference_sets: 10, gate_sets: 10, final_sets: 10}
vary:
  learner.learning_rate_start: [0.01]
seeds: {tuning: 1, reporting: %d}
budget: 1s
parallel: 2
objective: {measure: exploitability}
`, reportedSeeds)

var reportedSeeds = nightly.Cases(1, 2)

// aloneWith is tinySweep with another objective and with the base as its only candidate: one run.
func aloneWith(objective string) string {
	text, _, _ := strings.Cut(tinySweep, "vary:")
	return text + "seeds: {reporting: 1}\nbudget: 1s\nobjective: {" + objective + "}\n"
}

// A sweep that is killed with its runs continues: what was over is not played again, its results stay what they
// were, and in the end there are the table, the settings and the weights of the winner, and nothing else.
func TestSweepThatIsKilled(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("rates.yaml", []byte(tinySweep), 0o644))
	results := filepath.Join("runs", "sweep-rates", "results.jsonl")
	began := process(t, "sweep", "rates.yaml", "--parallel", "1")
	var kept []byte
	require.Eventually(t, func() bool {
		kept, _ = os.ReadFile(results)
		return bytes.Count(kept, []byte("\n")) >= 1
	}, time.Minute, 20*time.Millisecond)
	require.Eventually(t, func() bool {
		runs, _ := filepath.Glob("runs/sweep-rates/runs/*/run/run.json")
		return len(runs) == 1
	}, time.Minute, 5*time.Millisecond, "the next run has begun")
	require.NoError(t, began.Process.Kill())
	_ = began.Wait()
	require.Contains(t, refused(t, 1, "sweep", "show", "runs"), "runs holds no sweep")
	require.Contains(t, succeed(t, "", "sweep", "show", "runs/sweep-rates"), "1 of 2 runs played")
	require.Contains(t, refused(t, 1, "sweep", "show", "runs/sweep-rates", "--svg", "no/folder.svg"), "no/folder.svg")
	part, err := os.OpenFile(results, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = part.WriteString(`{"round":0,"candi`) // of a line that was being written
	require.NoError(t, err)
	require.NoError(t, part.Close())

	out := succeed(t, "", "sweep", "rates.yaml")
	require.NotContains(t, out, "seed 1001  base:", "it was over")
	require.Contains(t, out, "seed 1001  learning_rate_start=0.01:")
	require.Contains(t, out, "The winner is ")
	after, err := os.ReadFile(results)
	require.NoError(t, err)
	require.True(t, bytes.HasPrefix(after, kept))
	var shown sweep.Shown
	require.NoError(t, json.Unmarshal([]byte(succeed(t, "", "sweep", "show", "runs/sweep-rates", "--json")), &shown))
	require.Len(t, shown.Table.Rounds, 2)
	require.Equal(t, bytes.Count(after, []byte("\n")), shown.Table.Rounds[0].Runs+shown.Table.Rounds[1].Runs,
		"each was played once")
	for _, round := range shown.Table.Rounds {
		for _, row := range round.Rows {
			require.GreaterOrEqual(t, row.Processor, 1.0, "the budget")
			require.Less(t, row.Value.Value, 0.5)
		}
	}
	require.NotEmpty(t, shown.Bands)
	require.Contains(t, succeed(t, "", "sweep", "show", "runs/sweep-rates", "--svg", "curve.svg"), "The winner is ")
	drawn, err := os.ReadFile("curve.svg")
	require.NoError(t, err)
	for _, row := range shown.Table.Rounds[1].Rows {
		require.Contains(t, string(drawn), ">"+row.Candidate+"<")
	}
	require.Contains(t, succeed(t, "", "sweep", "show", "runs/sweep-rates", "--csv"), "2,true,1,")

	weights, err := filepath.Glob("runs/sweep-rates/weights/*")
	require.NoError(t, err)
	require.Len(t, weights, reportedSeeds, "the winner's, on the seeds of the report")
	require.Contains(t, succeed(t, "", "arena", "file:"+weights[0], "random", "--game", "kuhn", "--games", "10"), "file:")
	runs, err := os.ReadDir("runs/sweep-rates/runs")
	require.NoError(t, err)
	require.Empty(t, runs)
	require.Contains(t, succeed(t, "", "config", "kuhn", "--config", "runs/sweep-rates/winner.yaml"), "samples: 2048")

	again := succeed(t, "", "sweep", "rates.yaml")
	require.NotContains(t, again, "seed 1", "nothing is left to play")
	require.NoError(t, os.WriteFile("rates.yaml", []byte(strings.Replace(tinySweep, "1s", "2s", 1)), 0o644))
	require.Contains(t, refused(t, 1, "sweep", "rates.yaml"), "holds the sweep of another file")
}

// A run that fails is noted with its reason. That the others continue and that the next call tries it again is tested
// in package sweep, and here in the nightly list.
func TestSweepWithFailures(t *testing.T) {
	t.Parallel()
	// No curve of this name is ever measured, so that no run has an area under it.
	file := sweepFile(t, aloneWith("measure: exploitability, summary: area, curve: nonesuch"))
	for range nightly.Cases(1, 2) {
		out := succeed(t, "", "sweep", file, "--out", filepath.Join(filepath.Dir(file), "bad"))
		require.Contains(t, out, `seed 1  base: failed: exit status 1: croupier: the run has no curve "nonesuch"`)
		require.Contains(t, out, "(1 failed)")
	}
	full := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(full, "letter"), nil, 0o644))
	require.Contains(t, refused(t, 1, "sweep", file, "--out", full), "holds something else than a sweep")
}

// sweepFile writes the file of a sweep into a folder of its own.
func sweepFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sweep.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func TestSweepAgainstOpponents(t *testing.T) {
	t.Parallel()
	file, out := sweepFile(t, aloneWith("measure: return, opponents: [random, solver:equilibrium], games: 2000")),
		t.TempDir()
	require.Contains(t, succeed(t, "", "sweep", file, "--out", out),
		"mean return against random, solver:equilibrium at the end")
	_, results, _, err := sweep.Load(standard.Games, out)
	require.NoError(t, err)
	require.Len(t, results, 1)
	for _, r := range results {
		require.Len(t, r.Opponents, 2)
		require.InDelta(t, r.Value, (r.Opponents["random"]+r.Opponents["solver:equilibrium"])/2, 1e-12)
		require.Greater(t, r.Opponents["random"], r.Opponents["solver:equilibrium"])
	}
}

func TestSweepRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	require.Contains(t, refused(t, 1, "sweep", "none.yaml"), "none.yaml")
	require.NoError(t, os.WriteFile("wrong.yaml", []byte("game: kuhn\nbudgets: 3s\n"), 0o644))
	require.Contains(t, refused(t, 2, "sweep", "wrong.yaml"),
		"wrong.yaml: line 2: budgets: unknown key (did you mean budget?)")
	require.Contains(t, refused(t, 2, "sweep", "wrong.yaml", "--parallel", "-1"), "--parallel -1")
	require.Contains(t, refused(t, 2, "sweep", "show", "x", "--json", "--csv"), "exclude one another")
	status, _, stderr := croupier("", "sweep")
	require.Equal(t, 2, status)
	require.Contains(t, stderr, "sweep takes FILE, or one of show; ")
}

// What a new learner gains against the last weights of a run is the objective: in Kuhn poker it is above nothing, and
// below what the best response gains against anybody.
func TestSweepMeasuredByExploiters(t *testing.T) {
	t.Parallel()
	file, out := sweepFile(t, aloneWith("measure: exploiter, budget: 1s, games: 4000")), t.TempDir()
	require.Contains(t, succeed(t, "", "sweep", file, "--out", out),
		"gain of an exploiter that has learnt for 1s of processor time, at the end; the smaller, the better")
	_, results, _, err := sweep.Load(standard.Games, out)
	require.NoError(t, err)
	require.Len(t, results, 1)
	for _, r := range results {
		require.Empty(t, r.Failed)
		require.Greater(t, r.Value, -0.2)
		require.Less(t, r.Value, 2.0)
		require.Less(t, r.Processor, 2.0, "the exploiter's second is not in that of the run")
	}
}
