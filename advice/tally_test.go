package advice

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/internal/stat"
)

// The sums agree with the definitions, however the samples are split.
func TestTallyIsTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Float64Range(-10, 10)
		samples := rapid.SliceOfN(rapid.SliceOfN(number, 2, 2), 2, 30).Draw(t, "samples")
		whole, parts := newTally(2), [2]*tally{newTally(2), newTally(2)}
		weights := make([]float64, len(samples))
		for i, x := range samples {
			weights[i] = rapid.Float64Range(0.1, 3).Draw(t, "weight")
			struck := []bool{x[0] > 0, x[1] > 0}
			whole.add(weights[i], x, struck)
			parts[i%2].add(weights[i], x, struck)
		}
		whole.add(0, []float64{99, 99}, []bool{true, true}) // counts for nothing
		parts[0].merge(parts[1])
		for _, got := range []*tally{whole, parts[0]} {
			mean, margin := weighted(samples, weights, func(x []float64) float64 { return x[0] })
			require.InDelta(t, mean, got.mean(0), 1e-9)
			require.InDelta(t, margin, got.margin(0), 1e-6)
			mean, margin = weighted(samples, weights, func(x []float64) float64 { return x[0] - x[1] })
			lead, half := got.lead(0, 1)
			require.InDelta(t, mean, lead, 1e-9)
			require.InDelta(t, margin, half, 1e-6)
			require.Equal(t, len(samples), got.samples)
		}
	})
}

func weighted(samples [][]float64, weights []float64, f func([]float64) float64) (mean, margin float64) {
	total, squares, n := 0.0, 0.0, float64(len(samples))
	for i, x := range samples {
		total += weights[i]
		mean += weights[i] * f(x)
	}
	mean /= total
	for i, x := range samples {
		squares += weights[i] * weights[i] * (f(x) - mean) * (f(x) - mean)
	}
	return mean, stat.Z95 * math.Sqrt(squares*n/(n-1)) / total
}

func TestTallyOrdersActions(t *testing.T) {
	tally := newTally(3)
	for i := range 10 {
		noise := float64(i % 2)
		tally.add(1, []float64{1 + noise, 3 + noise, 2.9 + noise}, make([]bool, 3))
	}
	best, second := tally.best()
	require.Equal(t, 1, best)
	require.Equal(t, 2, second)
	require.True(t, tally.separated(), "what all actions have in common is no error in the lead")
	one := newTally(1)
	one.add(1, []float64{5}, []bool{true})
	best, second = one.best()
	require.Equal(t, [2]int{0, -1}, [2]int{best, second})
	require.True(t, one.separated())
	require.True(t, math.IsInf(one.margin(0), 1), "one sample says nothing about the error")
}
