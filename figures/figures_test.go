package figures

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
)

var (
	points = engine.Figure{Name: "points", Unit: "points", Per: "turn"}
	share  = engine.Figure{Name: "share", Unit: engine.Share, Per: "turn"}
)

func momentsOf(clusters ...engine.Sum) (m Moments) {
	for _, c := range clusters {
		m.Add(c)
	}
	return m
}

// With equal weights the interval is that of a mean.
func TestEstimateOfEqualWeightsIsThatOfAMean(t *testing.T) {
	m := momentsOf(engine.Sum{Value: 2, Weight: 2}, engine.Sum{Value: 4, Weight: 2}, engine.Sum{Value: 12, Weight: 2})
	i, ok := m.Estimate(points)
	require.True(t, ok)
	// The means 1, 2, 6 have the mean 3 and the sample variance 7.
	half := z95 * math.Sqrt(7.0/3)
	require.InDelta(t, 3, i.Value, 1e-12)
	require.InDelta(t, 3-half, i.Low, 1e-9)
	require.InDelta(t, 3+half, i.High, 1e-9)
}

func TestEstimateLeavesOutClustersWithoutWeight(t *testing.T) {
	some := []engine.Sum{{Value: 3, Weight: 1}, {Value: 5, Weight: 1}, {Value: 8, Weight: 2}}
	want, ok := momentsOf(some...).Estimate(points)
	require.True(t, ok)
	got, ok := momentsOf(append(some, make([]engine.Sum, 1000)...)...).Estimate(points)
	require.True(t, ok)
	require.Equal(t, want, got)
}

func TestEstimateNeedsClusters(t *testing.T) {
	_, ok := Moments{}.Estimate(points)
	require.False(t, ok)
	_, ok = Moments{}.Estimate(share)
	require.False(t, ok)
	_, ok = momentsOf(engine.Sum{Value: 3, Weight: 1}).Estimate(points)
	require.False(t, ok, "one cluster has no spread")
}

func TestSharesNeverPretendToCertainty(t *testing.T) {
	var all []engine.Sum
	last := 1.0
	for range 50 {
		all = append(all, engine.Sum{Value: 3, Weight: 3})
		i, ok := momentsOf(all...).Estimate(share)
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
		figure engine.Figure
		truth  float64
		draw   func(rng *engine.RNG) engine.Sum
	}{
		"weights that vary with the values": {points, 29.0 / 4, func(rng *engine.RNG) engine.Sum {
			w := float64(1 + rng.IntN(7)) // mean 4; the value of each is w and a die more: 20 + 9 = 29
			return engine.Sum{Value: w * (w + float64(rng.IntN(4)) + 0.75), Weight: w}
		}},
		"rare events": {share, 0.2, func(rng *engine.RNG) engine.Sum {
			switch rng.IntN(25) {
			case 0:
				return engine.Sum{Value: 1, Weight: 1}
			case 1, 2, 3, 4:
				return engine.Sum{Weight: 1}
			}
			return engine.Sum{}
		}},
	} {
		rng := engine.NewRNG(1, 0)
		const trials, clusters = 1000, 300
		covered := 0
		for range trials {
			var m Moments
			for range clusters {
				m.Add(test.draw(rng))
			}
			if i, ok := m.Estimate(test.figure); ok && i.Low <= test.truth && test.truth <= i.High {
				covered++
			}
		}
		require.InDelta(t, 0.95*trials, covered, 25, name)
	}
}

func TestPackedMomentsAreTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		figures := []engine.Figure{points, share}
		all := make([]Moments, len(figures))
		n := rapid.IntRange(1, 20).Draw(t, "clusters")
		for range n {
			weight := float64(rapid.IntRange(0, 5).Draw(t, "weight"))
			all[0].Add(engine.Sum{Value: float64(rapid.Int64Range(-1e12, 1e12).Draw(t, "value")) / 7, Weight: weight})
			all[1].Add(engine.Sum{Value: float64(rapid.IntRange(0, int(weight)).Draw(t, "counted")), Weight: weight})
		}
		again, err := Unpack(Pack(figures, all), uint64(n), figures)
		require.NoError(t, err)
		require.Equal(t, all, again)
	})
	require.Nil(t, Pack(nil, nil))
	none, err := Unpack(nil, 1, []engine.Figure{points})
	require.NoError(t, err)
	require.Nil(t, none)
}

func TestImpossibleSumsAreRefused(t *testing.T) {
	good := Moments{Value: 4, Weight: 5, ValueSquares: 8, WeightSquares: 13, Products: 10}
	_, err := Unpack(Pack([]engine.Figure{share}, []Moments{good}), 2, []engine.Figure{share})
	require.NoError(t, err)
	for name, change := range map[string]func(*Moments){
		"too little squared": func(m *Moments) { m.ValueSquares = 7.9 },
		"weight squared":     func(m *Moments) { m.WeightSquares = 12 },
		"product":            func(m *Moments) { m.Products = -11 },
		"negative weight":    func(m *Moments) { m.Weight = -1 },
		"share above 1":      func(m *Moments) { m.Value, m.ValueSquares = 6, 18 },
		"share below 0":      func(m *Moments) { m.Value = -1 },
		"not a number":       func(m *Moments) { m.Products = math.NaN() },
		"infinite":           func(m *Moments) { m.Value, m.ValueSquares = math.Inf(1), math.Inf(1) },
		"infinite squares":   func(m *Moments) { m.WeightSquares = math.Inf(1) },
	} {
		bad := good
		change(&bad)
		_, err := Unpack(Pack([]engine.Figure{share}, []Moments{bad}), 2, []engine.Figure{share})
		require.ErrorContains(t, err, "impossible figure share", name)
	}
	p := Pack([]engine.Figure{share}, []Moments{good})
	p.Products = nil
	_, err = Unpack(p, 2, []engine.Figure{share})
	require.ErrorContains(t, err, "a column of 0 figures, not of 1")
}

// Another version of a game may have other figures: its results count without them.
func TestOtherFiguresAreLeftOut(t *testing.T) {
	good := Moments{Value: 4, Weight: 5, ValueSquares: 8, WeightSquares: 13, Products: 10}
	p := Pack([]engine.Figure{share, points}, []Moments{good, good})
	for _, figures := range [][]engine.Figure{{points, share}, {share}, nil} {
		all, err := Unpack(p, 2, figures)
		require.NoError(t, err)
		require.Nil(t, all)
	}
}
