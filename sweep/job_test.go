package sweep

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const halved = `game: kuhn
vary:
  learner.learning_rate_start: {log_uniform: [0.001, 0.01]}
search: {method: halving, candidates: 8, reduction: 3, least: 4s}
seeds: {tuning: 2, reporting: 3}
budget: 45s
objective: {measure: exploitability}
`

// playAll gives each run of the round the value that the function says.
func playAll(results Results, r Round, value func(Job) float64) {
	for _, j := range r.Jobs() {
		results[j] = Result{Job: j, Value: value(j)}
	}
}

// Nine candidates: all of them for a ninth of the budget, the best three for a third, the best of those is the
// winner, though it was not the best in the first round; it meets the base on other seeds. What comes out
// there decides nothing.
func TestHalving(t *testing.T) {
	f, results := parse(t, halved), Results{}
	first := []float64{9, 8, 7, 6, 1, 2, 5, 3, 4}
	values := []func(j Job) float64{
		func(j Job) float64 { return first[j.Candidate] + float64(j.Seed%2) },
		func(j Job) float64 { return float64(10 - j.Candidate) },
		func(j Job) float64 { return float64(j.Candidate) },
	}
	var spent time.Duration
	for i, value := range values {
		rounds, winner := f.Rounds(results)
		require.Len(t, rounds, i+1)
		require.Equal(t, -1, winner)
		jobs := rounds[i].Jobs()
		for _, j := range jobs[:len(jobs)-1] {
			results[j] = Result{Job: j, Value: value(j)}
			spent += j.Budget
		}
		again, _ := f.Rounds(results)
		require.Equal(t, rounds, again, "one run is missing")
		playAll(results, rounds[i], value)
	}
	rounds, winner := f.Rounds(results)
	require.Equal(t, 7, winner)
	require.Equal(t, []Round{
		{0, false, 15 * time.Second, []int{0, 1, 2, 3, 4, 5, 6, 7, 8}, []uint64{1001, 1002}},
		{1, false, 45 * time.Second, []int{4, 5, 7}, []uint64{1001, 1002}},
		{2, true, 45 * time.Second, []int{0, 7}, []uint64{1, 2, 3}},
	}, rounds)
}

func TestBudgetsOfHalving(t *testing.T) {
	f := parse(t, halved)
	require.Equal(t, []time.Duration{15 * time.Second, 45 * time.Second}, f.budgets(), "three are left")
	f.Search.Reduction = 2
	require.Equal(t, 2, f.Search.kept(3))
	require.Equal(t, []time.Duration{45 * time.Second / 8, 45 * time.Second / 4, 45 * time.Second / 2, 45 * time.Second},
		f.budgets())
	f.Search.Least = 10 * time.Second
	require.Len(t, f.budgets(), 3)
	f.Search.Method = Random
	require.Len(t, f.budgets(), 1)
}

// Without tuning all candidates are reported on the same seeds.
func TestReportWithoutTuning(t *testing.T) {
	f, results := parse(t, plain), Results{}
	rounds, _ := f.Rounds(results)
	require.Equal(t, []Round{{0, true, 2 * time.Second, []int{0, 1, 2}, []uint64{1, 2, 3, 4, 5}}}, rounds)
	playAll(results, rounds[0], func(j Job) float64 { return float64(3 - j.Candidate) })
	_, winner := f.Rounds(results)
	require.Equal(t, 2, winner)
}

// Where the base is the best, it is reported alone.
func TestBaseWins(t *testing.T) {
	f, results := parse(t, plain+"seeds: {tuning: 1, reporting: 2}\n"), Results{}
	rounds, _ := f.Rounds(results)
	playAll(results, rounds[0], func(j Job) float64 { return float64(j.Candidate) })
	rounds, _ = f.Rounds(results)
	require.Equal(t, []int{0}, rounds[1].Candidates)
	playAll(results, rounds[1], func(Job) float64 { return 1 })
	_, winner := f.Rounds(results)
	require.Zero(t, winner)
}

// A failed run puts its candidate behind all others; equal ones stay in their order; the direction counts.
func TestRanked(t *testing.T) {
	f, results := parse(t, plain), Results{}
	rounds, _ := f.Rounds(results)
	playAll(results, rounds[0], func(j Job) float64 { return 1 })
	require.Equal(t, []int{0, 1, 2}, f.ranked(rounds[0], results))
	failed := rounds[0].Jobs()[0]
	results[failed] = Result{Job: failed, Failed: "collapsed"}
	require.Equal(t, []int{1, 2, 0}, f.ranked(rounds[0], results))
	results[rounds[0].Jobs()[12]] = Result{Value: 0.5}
	require.Equal(t, []int{1, 2, 0}, f.ranked(rounds[0], results), "the mean without quarters")
	playAll(results, rounds[0], func(j Job) float64 { return float64(j.Candidate) })
	f.Objective.Measure = Return
	require.Equal(t, []int{2, 1, 0}, f.ranked(rounds[0], results))
	require.False(t, f.Objective.better(math.NaN(), 1))
	require.True(t, f.Objective.better(1, math.NaN()))
}
