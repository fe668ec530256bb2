package stat

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

type cluster struct{ value, weight float64 }

func ratioOf(clusters ...cluster) (r Ratio) {
	for _, c := range clusters {
		r.Add(c.value, c.weight)
	}
	return r
}

// With equal weights the interval is that of a mean.
func TestEstimateOfEqualWeightsIsThatOfAMean(t *testing.T) {
	r := ratioOf(cluster{2, 2}, cluster{4, 2}, cluster{12, 2})
	i, ok := r.Estimate()
	require.True(t, ok)
	// The means 1, 2, 6 have the mean 3 and the sample variance 7.
	half := Z95 * math.Sqrt(7.0/3)
	require.InDelta(t, 3, i.Value, 1e-12)
	require.InDelta(t, 3-half, i.Low, 1e-9)
	require.InDelta(t, 3+half, i.High, 1e-9)
}

func TestEstimateLeavesOutClustersWithoutWeight(t *testing.T) {
	some := []cluster{{3, 1}, {5, 1}, {8, 2}}
	want, ok := ratioOf(some...).Estimate()
	require.True(t, ok)
	got, ok := ratioOf(append(some, make([]cluster, 1000)...)...).Estimate()
	require.True(t, ok)
	require.Equal(t, want, got)
}

func TestEstimateNeedsClusters(t *testing.T) {
	_, ok := Ratio{}.Estimate()
	require.False(t, ok)
	_, ok = Ratio{}.EstimateShare()
	require.False(t, ok)
	_, ok = ratioOf(cluster{3, 1}).Estimate()
	require.False(t, ok, "one cluster has no spread")
}

func TestSharesNeverPretendToCertainty(t *testing.T) {
	var all []cluster
	last := 1.0
	for range 50 {
		all = append(all, cluster{3, 3})
		i, ok := ratioOf(all...).EstimateShare()
		require.True(t, ok)
		require.Equal(t, 1.0, i.Value)
		require.Equal(t, 1.0, i.High)
		require.Less(t, i.Low, 1.0)
		require.Greater(t, 1-i.Low, 0.5/float64(len(all)))
		require.LessOrEqual(t, 1-i.Low, last+1e-12)
		last = 1 - i.Low
	}
	require.Less(t, last, 0.1)
}

// The interval has the true ratio in it in about 95 of 100 cases.
func TestIntervalsCover(t *testing.T) {
	for name, test := range map[string]struct {
		estimate func(Ratio) (Interval, bool)
		truth    float64
		draw     func(rng *rand.Rand) cluster
	}{
		"weights that vary with the values": {Ratio.Estimate, 29.0 / 4, func(rng *rand.Rand) cluster {
			w := float64(1 + rng.IntN(7)) // mean 4; the value of each is w and a die more: 20 + 9 = 29
			return cluster{w * (w + float64(rng.IntN(4)) + 0.75), w}
		}},
		"rare events": {Ratio.EstimateShare, 0.2, func(rng *rand.Rand) cluster {
			switch rng.IntN(25) {
			case 0:
				return cluster{1, 1}
			case 1, 2, 3, 4:
				return cluster{0, 1}
			}
			return cluster{}
		}},
	} {
		rng := rand.New(rand.NewPCG(1, 0))
		const trials, clusters = 4000, 300
		covered := 0
		for range trials {
			var r Ratio
			for range clusters {
				c := test.draw(rng)
				r.Add(c.value, c.weight)
			}
			if i, ok := test.estimate(r); ok && i.Low <= test.truth && test.truth <= i.High {
				covered++
			}
		}
		require.InDelta(t, 0.95*trials, covered, 0.015*trials, name)
	}
}
