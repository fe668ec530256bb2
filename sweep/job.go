package sweep

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"croupier/internal/stat"
)

// Job is one run of a sweep.
type Job struct {
	Round     int           `json:"round"` // from 0
	Candidate int           `json:"candidate"`
	Seed      uint64        `json:"seed"`
	Budget    time.Duration `json:"budget"` // processor time
}

// Name names the job, and its files.
func (j Job) Name() string { return fmt.Sprintf("%d-%d-%d", j.Round, j.Candidate, j.Seed) }

// Result is the outcome of a job.
type Result struct {
	Job
	Name      string             `json:"name"`                // of the candidate
	Value     float64            `json:"value"`               // of the objective
	Reached   bool               `json:"reached"`             // the threshold, if there is one
	Opponents map[string]float64 `json:"opponents,omitempty"` // mean return against each
	Curve     []Point            `json:"curve,omitempty"`
	Processor float64            `json:"processor_seconds"` // of the training
	Seconds   float64            `json:"seconds"`           // of the training, on the wall
	Games     uint64             `json:"games"`
	SHA256    string             `json:"sha256"`           // of the last weights
	Failed    string             `json:"failed,omitempty"` // why there is nothing of all that
}

// Results are the newest results by job.
type Results map[Job]Result

// value is the number by which a run is compared; NaN: there is none, or the run failed.
func (r Results) value(j Job) float64 {
	result, found := r[j]
	if !found || result.Failed != "" {
		return math.NaN()
	}
	return result.Value
}

// Round is a set of jobs of which none needs the result of another.
type Round struct {
	Number     int
	Report     bool // its seeds were not chosen by
	Budget     time.Duration
	Candidates []int // in the order of the file; the base is the first
	Seeds      []uint64
}

// Jobs lists the runs of the round, those of a candidate together.
func (r Round) Jobs() (list []Job) {
	for _, c := range r.Candidates {
		for _, seed := range r.Seeds {
			list = append(list, Job{r.Number, c, seed, r.Budget})
		}
	}
	return list
}

// over reports whether all runs of the round have a result.
func (r Round) over(results Results) bool {
	for _, j := range r.Jobs() {
		if _, found := results[j]; !found {
			return false
		}
	}
	return true
}

// Rounds returns the rounds that are over and the one that is not, as far as the results decide which these
// are. winner is the best candidate once all are over, -1 before.
//
// Successive halving (Jamieson and Talwalkar, Non-stochastic best arm identification and hyperparameter
// optimization, AISTATS 2016, figure 3) keeps one of this many candidates for each round, and gives the others'
// time to it. Here each round trains again: schedules of the learning rate depend on the budget, so that half
// of a long run is not a short one.
func (f *File) Rounds(results Results) (rounds []Round, winner int) {
	all := make([]int, len(f.candidates))
	for i := range all {
		all[i] = i
	}
	report := Round{Report: true, Budget: f.Budget, Candidates: all, Seeds: seedsFrom(1, f.Seeds.Reporting)}
	if f.Seeds.Tuning > 0 {
		for i, budget := range f.budgets() {
			tuning := Round{Number: i, Budget: budget, Candidates: all, Seeds: seedsFrom(firstTuningSeed, f.Seeds.Tuning)}
			rounds = append(rounds, tuning)
			if !tuning.over(results) {
				return rounds, -1
			}
			all = f.ranked(tuning, results)
			all = all[:f.Search.kept(len(all))]
			slices.Sort(all)
			report.Number++
		}
		report.Candidates = []int{0}
		if best := f.ranked(rounds[len(rounds)-1], results)[0]; best != 0 {
			report.Candidates = []int{0, best}
		}
	}
	rounds = append(rounds, report)
	if !report.over(results) {
		return rounds, -1
	}
	if f.Seeds.Tuning > 0 {
		return rounds, report.Candidates[len(report.Candidates)-1]
	}
	return rounds, f.ranked(report, results)[0]
}

// kept is how many of that many candidates get into the next round of halving.
func (s Search) kept(candidates int) int { return (candidates + s.Reduction - 1) / s.Reduction }

// budgets are those of the rounds of tuning: the last is the whole budget, each one before it the part that
// search.reduction says. The first is at least search.least, and in the last two candidates are left to choose
// from.
func (f *File) budgets() (list []time.Duration) {
	list = []time.Duration{f.Budget}
	if f.Search.Method != Halving {
		return list
	}
	left, next := f.Search.kept(len(f.candidates)), f.Budget/time.Duration(f.Search.Reduction)
	for left > 1 && next >= f.Search.Least {
		list = append(list, next)
		left, next = f.Search.kept(left), next/time.Duration(f.Search.Reduction)
	}
	slices.Reverse(list)
	return list
}

// ranked returns the candidates of a round, the best first; of equal ones the first in the file. One with a
// run that failed, or is missing, is behind all others.
func (f *File) ranked(r Round, results Results) []int {
	score := map[int]float64{}
	for _, c := range r.Candidates {
		var values []float64
		for _, seed := range r.Seeds {
			values = append(values, results.value(Job{r.Number, c, seed, r.Budget}))
		}
		if score[c] = math.NaN(); !slices.ContainsFunc(values, math.IsNaN) {
			score[c] = stat.IQM(values)
		}
	}
	order := slices.Clone(r.Candidates)
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case f.Objective.better(score[a], score[b]):
			return -1
		case f.Objective.better(score[b], score[a]):
			return 1
		}
		return cmp.Compare(a, b)
	})
	return order
}
