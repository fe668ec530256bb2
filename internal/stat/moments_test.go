package stat

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	gonum "gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"
)

func momentsOf(values ...float64) (m Moments) {
	for _, x := range values {
		m.Add(x)
	}
	return m
}

// However values come in, their moments are those of the definition.
func TestMomentsAreTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-100, 100), 2, 50).Draw(t, "values")
		cut := rapid.IntRange(0, len(values)).Draw(t, "cut")
		sum, squares := 0.0, 0.0
		for _, x := range values {
			sum, squares = sum+x, squares+x*x
		}
		merged := momentsOf(values[:cut]...)
		merged.Merge(momentsOf(values[cut:]...))
		var doubled Moments
		for _, x := range values {
			doubled.AddWeighted(x, 2)
			doubled.AddWeighted(99, 0) // counts for nothing
		}
		doubled.N, doubled.Squares = doubled.N/2, doubled.Squares/2
		mean, variance := gonum.MeanVariance(values, nil)
		n := float64(len(values))
		for name, m := range map[string]Moments{
			"added": momentsOf(values...), "listed": Of(values), "merged": merged, "weighted": doubled,
			"summed": FromSums(n, sum, squares),
		} {
			require.Equal(t, n, m.N, name)
			require.InDelta(t, mean, m.Mean, 1e-9, name)
			require.InDelta(t, variance*(n-1), m.Squares, 1e-7, name)
		}
		require.InDelta(t, Z95*math.Sqrt(variance/n), momentsOf(values...).Margin(), 1e-9)
	})
}

// The spread is kept where sums of squares would lose it.
func TestMomentsFarFromZero(t *testing.T) {
	m := momentsOf(1e9+1, 1e9+2, 1e9+3)
	require.Equal(t, Moments{3, 1e9 + 2, 2}, m)
	require.Zero(t, momentsOf(0.1, 0.1, 0.1, 0.1, 0.1, 0.1).Squares, "values that are all the same")
}

func TestMomentsOfLittle(t *testing.T) {
	for _, m := range []Moments{{}, Of[float32](nil), FromSums(0, 0, 0)} {
		require.Equal(t, Moments{}, m)
		require.Zero(t, m.Margin())
		require.Zero(t, m.Deviation())
	}
	var empty Moments
	empty.Merge(Moments{})
	require.Equal(t, Moments{}, empty)
	empty.Merge(momentsOf(7))
	require.Equal(t, Interval{7, 7, 7}, empty.Interval())
	_, ok := empty.Student()
	require.False(t, ok)
}

func TestDeviationOfADistribution(t *testing.T) {
	var die Moments
	for face := range 6 {
		die.AddWeighted(float64(face+1), 1.0/6)
	}
	require.InDelta(t, 3.5, die.Mean, 1e-12)
	require.InDelta(t, math.Sqrt(35.0/12), die.Deviation(), 1e-12)
}

// Intervals have the true mean in them in 95 of 100 cases: Student's of few normal
// values, the normal one of many of any kind, Agresti and Coull's of shares.
func TestIntervalsOfMeansCover(t *testing.T) {
	for name, test := range map[string]struct {
		values   int
		truth    float64
		draw     func(rng *rand.Rand) float64
		interval func(Moments) Interval
	}{
		"student": {4, 2, func(rng *rand.Rand) float64 { return 2 + rng.NormFloat64() }, func(m Moments) Interval {
			i, _ := m.Student()
			return i
		}},
		"normal": {500, 1, (*rand.Rand).ExpFloat64, Moments.Interval},
		"agresti-coull": {60, 0.2, func(rng *rand.Rand) float64 {
			if rng.IntN(5) == 0 {
				return 1
			}
			return 0
		}, func(m Moments) Interval { return m.AgrestiCoull(Of([]float64{0, 1})) }},
	} {
		rng := rand.New(rand.NewPCG(2, 0))
		const trials = 4000
		covered := 0
		for range trials {
			var m Moments
			for range test.values {
				m.Add(test.draw(rng))
			}
			if i := test.interval(m); i.Low <= test.truth && test.truth <= i.High {
				covered++
			}
		}
		require.InDelta(t, 0.95*trials, covered, 0.015*trials, name)
	}
}

// Ten values of 0.1 and ten of 0.3: mean 0.2, deviation 0.1026, and 2.093 is the
// 97.5 % quantile of Student's t with 19 degrees of freedom.
func TestStudent(t *testing.T) {
	i, ok := FromSums(20, 4, 10*(0.01+0.09)).Student()
	require.True(t, ok)
	require.InDelta(t, 2.093*0.1026/4.472, i.High-i.Value, 1e-4)
	require.InDelta(t, i.High-i.Value, i.Value-i.Low, 1e-12)
}

func TestIntervals(t *testing.T) {
	i := Normal(10, 4)
	require.Equal(t, 10.0, i.Value)
	require.InDelta(t, 10-2*Z95, i.Low, 1e-12)
	require.InDelta(t, 10+2*Z95, i.High, 1e-12)
	require.InDelta(t, 2, i.StandardError(), 1e-12)
	require.Equal(t, Interval{1, 1, 1}, Normal(1, -1e-20), "a variance of rounding errors")
	require.Equal(t, Interval{30, 27, 36}, Interval{10, 9, 12}.Scale(3))
	require.Equal(t, Interval{0.5, 0, 0.75}, Interval{0.5, -1, 0.75}.Clamp(0, 1))
	require.Equal(t, Interval{0.333333, -0.666667, 1}, Interval{1.0 / 3, -2.0 / 3, 0.99999996}.Rounded())
	require.True(t, Normal(0, 1).Below(Normal(3, 1)), "3 standard errors of 1.41")
	require.False(t, Normal(0, 1).Below(Normal(2, 1)))
	require.False(t, Normal(3, 1).Below(Normal(0, 1)))
}
