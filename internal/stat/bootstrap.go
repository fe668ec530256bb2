package stat

import (
	"math"
	"math/rand/v2"
	"slices"
)

// IQM is the interquartile mean: that of the values without the lowest and the highest quarter, of which
// the whole numbers of values count (of 5 values, one at each end; of 3, none). It is as robust as a
// median against runs that went wrong, and varies less (Agarwal et al., Deep reinforcement learning at the
// edge of the statistical precipice, NeurIPS 2021, section 4). It is NaN for no values.
func IQM(values []float64) float64 {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	cut := len(sorted) / 4
	sum := 0.0
	for _, x := range sorted[cut : len(sorted)-cut] {
		sum += x
	}
	return sum / float64(len(sorted)-2*cut)
}

// bootstrapped is the fewest values of which a bootstrap says how far they vary. Resamples of two values have their
// range as interval, which holds the truth in half of all cases, those of five in 89 of 100.
const bootstrapped = 10

// IQMInterval returns the interquartile mean with its 95 % interval: of ten values and more by [Stratified], of fewer
// by Student's t distribution, with the standard error of the mean; of two to nine normal values that holds the truth
// in 94 to 95 of 100 cases, of exponential ones, far from symmetric, in 91 to 93. It reports false for fewer than two
// values.
func IQMInterval(values []float64, resamples int, seed uint64) (Interval, bool) {
	if len(values) >= bootstrapped {
		return Stratified([][]float64{values}, IQM, resamples, seed)
	}
	var m Moments
	for _, v := range values {
		m.Add(v)
	}
	i, known := m.Student()
	shift := IQM(values) - m.Mean
	return Interval{i.Value + shift, i.Low + shift, i.High + shift}, known
}

// Stratified returns a statistic of all values with its percentile interval by the stratified bootstrap:
// values are drawn again, with replacement, within each stratum (a task, with a value for each run on it),
// so that every resample has as many of each (Agarwal et al. 2021, section 4.1, with a reference to Efron
// 1979). Strata without values count for nothing; with none at all it reports false, and also where no
// stratum has two values, which say nothing of their spread. The same seed gives the same interval.
//
// The interval is too narrow for few values: of an interquartile mean of 5, 10 and 20 normal ones it holds
// the truth in 89, 93 and 94 of 100 cases.
func Stratified(strata [][]float64, statistic func([]float64) float64, resamples int, seed uint64) (Interval, bool) {
	most := 0
	for _, s := range strata {
		most = max(most, len(s))
	}
	if most < 2 {
		return Interval{}, false
	}
	pooled := slices.Concat(strata...)
	rng := rand.New(rand.NewPCG(seed, 0))
	drawn, values := make([]float64, len(pooled)), make([]float64, resamples)
	for i := range values {
		at := 0
		for _, s := range strata {
			for range s {
				drawn[at] = s[rng.IntN(len(s))]
				at++
			}
		}
		values[i] = statistic(drawn)
	}
	slices.Sort(values)
	return Interval{statistic(pooled), percentile(values, 0.025), percentile(values, 0.975)}, true
}

// percentile returns a quantile of sorted values, between neighbours in proportion.
func percentile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	low := int(math.Floor(at))
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

// Paired returns the mean of the differences a[i] - b[i] of runs that share what they draw, such as their
// seeds, with its interval by Student's t distribution: what both have in common cancels out. It reports
// false for fewer than two pairs. Both lists have the same length.
func Paired(a, b []float64) (Interval, bool) {
	var differences Moments
	for i := range a {
		differences.Add(a[i] - b[i])
	}
	return differences.Student()
}
