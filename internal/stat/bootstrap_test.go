package stat

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIQM(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{7}, 7},
		{[]float64{1, 2, 6}, 3},         // nothing is cut
		{[]float64{100, 2, 4, -100}, 3}, // the middle two
		{[]float64{9, 1, 2, 3, -50}, 2}, // the middle three
		{[]float64{8, 7, 6, 5, 4, 3, 2, 1}, 4.5},
	} {
		require.InDelta(t, test.want, IQM(test.values), 1e-12, "%v", test.values)
	}
	values := []float64{3, 1, 2, 0}
	IQM(values)
	require.Equal(t, []float64{3, 1, 2, 0}, values, "they stay in their order")
	require.True(t, math.IsNaN(IQM(nil)))
}

func mean(values []float64) float64 { return Of(values).Mean }

// Resamples of 0 and 1 have means of 0, ½ and 1 with probabilities ¼, ½, ¼. Within strata that do not vary
// nothing does.
func TestStratifiedOfKnownAnswers(t *testing.T) {
	i, ok := Stratified([][]float64{{0, 1}}, mean, 4000, 1)
	require.True(t, ok)
	require.Equal(t, Interval{0.5, 0, 1}, i)
	i, ok = Stratified([][]float64{{1, 1, 1}, {3, 3, 3}, {}}, mean, 100, 1)
	require.True(t, ok)
	require.Equal(t, Interval{2, 2, 2}, i, "drawn from the pool, it would vary")
	_, ok = Stratified([][]float64{{1}, {2}}, mean, 100, 1)
	require.False(t, ok)
	_, ok = Stratified(nil, mean, 100, 1)
	require.False(t, ok)
	a, _ := Stratified([][]float64{{1, 5, 2, 8}}, IQM, 500, 7)
	b, _ := Stratified([][]float64{{1, 5, 2, 8}}, IQM, 500, 7)
	require.Equal(t, a, b)
}

// The interval of few interquartile means covers as often as it says; that of two values is no longer their range.
func TestIQMIntervalOfFewValues(t *testing.T) {
	i, known := IQMInterval([]float64{1, 2}, 400, 1)
	require.True(t, known)
	require.InDelta(t, 1.5, i.Value, 1e-12)
	require.InDelta(t, 1.5-12.7062*0.5, i.Low, 1e-3, "Student's t of one degree of freedom, and a standard error of 0.5")
	require.InDelta(t, 1.5+12.7062*0.5, i.High, 1e-3)
	_, known = IQMInterval([]float64{1}, 400, 1)
	require.False(t, known)
	many := []float64{1, 2, 3, 4, 9, 1, 2, 3, 4, 9}
	i, _ = IQMInterval(many, 400, 1)
	bootstrap, _ := Stratified([][]float64{many}, IQM, 400, 1)
	require.Equal(t, bootstrap, i)
	for _, values := range []int{2, 3, 4, 5, 6, 7, 8, 9} {
		got := coverage(4000, 2, func(rng *rand.Rand, _ int) (Interval, bool) {
			sample := make([]float64, values)
			for i := range sample {
				sample[i] = 2 + rng.NormFloat64()
			}
			return IQMInterval(sample, 400, 1)
		})
		require.InDelta(t, 0.95, got, 0.015, "%d values", values)
	}
}

func TestPercentile(t *testing.T) {
	sorted := []float64{0, 10, 20, 30, 40}
	require.Equal(t, 0.0, percentile(sorted, 0))
	require.Equal(t, 15.0, percentile(sorted, 0.375))
	require.Equal(t, 40.0, percentile(sorted, 1))
}

// coverage is the share of trials whose interval holds the truth.
func coverage(trials int, truth float64, draw func(rng *rand.Rand, trial int) (Interval, bool)) float64 {
	rng := rand.New(rand.NewPCG(3, 0))
	covered := 0
	for trial := range trials {
		if i, ok := draw(rng, trial); ok && i.Low <= truth && truth <= i.High {
			covered++
		}
	}
	return float64(covered) / float64(trials)
}

// What the comment of Stratified says of its intervals.
func TestStratifiedCovers(t *testing.T) {
	for values, want := range map[int]float64{5: 0.89, 10: 0.93, 20: 0.94} {
		got := coverage(1500, 2, func(rng *rand.Rand, trial int) (Interval, bool) {
			sample := make([]float64, values)
			for i := range sample {
				sample[i] = 2 + rng.NormFloat64()
			}
			return Stratified([][]float64{sample}, IQM, 400, uint64(trial))
		})
		require.InDelta(t, want, got, 0.025, "%d values", values)
	}
	// Two tasks of different heights: their distance is no uncertainty.
	got := coverage(1500, 5, func(rng *rand.Rand, trial int) (Interval, bool) {
		strata := [][]float64{make([]float64, 15), make([]float64, 15)}
		for i := range strata[0] {
			strata[0][i], strata[1][i] = rng.NormFloat64(), 10+rng.NormFloat64()
		}
		return Stratified(strata, mean, 400, uint64(trial))
	})
	require.InDelta(t, 0.94, got, 0.03)
}

// Runs of the same seed have their luck in common: it is in neither the difference nor its interval, which
// five pairs suffice for.
func TestPairedCovers(t *testing.T) {
	width := 0.0
	got := coverage(2000, 0.5, func(rng *rand.Rand, _ int) (Interval, bool) {
		a, b := make([]float64, 5), make([]float64, 5)
		for i := range a {
			luck := 100 * rng.NormFloat64()
			a[i], b[i] = luck+0.5+rng.NormFloat64(), luck
		}
		i, ok := Paired(a, b)
		width = max(width, i.High-i.Low)
		return i, ok
	})
	require.InDelta(t, 0.95, got, 0.015)
	require.Less(t, width, 10.0)
	i, ok := Paired([]float64{3, 5}, []float64{1, 1})
	require.True(t, ok)
	require.InDelta(t, 3, i.Value, 1e-12)
	require.InDelta(t, 12.706, i.High-i.Value, 1e-3) // t of 1 degree of freedom, standard error 1
	_, ok = Paired([]float64{3}, []float64{1})
	require.False(t, ok)
}
