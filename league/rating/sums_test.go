package rating

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/internal/stat"
	"croupier/league/rating/ratingtest"
)

func TestEstimateOfOrdinaryData(t *testing.T) {
	// 1,000 sets, half 0.2 and half 0.6: mean 0.4, standard error 0.2/√1000.
	i := bounds{0, 1, 1.0 / 3, 1.0 / 3}.agrestiCoull(stat.FromSums(1000, 400, 500*(0.04+0.36)))
	require.InDelta(t, 0.4, i.Value, 1e-12)
	require.InDelta(t, 0.4-stat.Z95*0.2/31.62, i.Low, 0.001)
	require.InDelta(t, 0.4+stat.Z95*0.2/31.62, i.High, 0.001)
}

func TestEstimateIsNeverCertain(t *testing.T) {
	b := bounds{0, 1, 0.5, 0.5}
	require.Equal(t, stat.Interval{Value: 0.5, Low: 0, High: 1}, b.agrestiCoull(stat.Moments{}))
	won := b.agrestiCoull(stat.FromSums(100, 100, 100))
	require.Equal(t, 1.0, won.Value)
	require.Equal(t, 1.0, won.High)
	require.InDelta(t, 0.97, won.Low, 0.005, "rule of three: 1 - 3/100")
	lost := b.agrestiCoull(stat.FromSums(100, 0, 0))
	require.Equal(t, 0.0, lost.Low)
	require.InDelta(t, 1-won.Low, lost.High, 1e-12)
}

// Ten sets of 0.1 and ten of 0.3: mean 0.2, deviation 0.1026, and 2.093 is the
// 97.5 % quantile of Student's t with 19 degrees of freedom.
func TestStudent(t *testing.T) {
	b := bounds{-1, 1, 0, 1}
	require.Equal(t, stat.Interval{Value: 0, Low: -1, High: 1}, b.student(stat.FromSums(1, 0.5, 0.25)))
	i := b.student(stat.FromSums(20, 4, 10*(0.01+0.09)))
	require.InDelta(t, 0.2, i.Value, 1e-12)
	require.InDelta(t, 2.093*0.1026/4.472, i.High-i.Value, 1e-4)
	require.InDelta(t, i.High-i.Value, i.Value-i.Low, 1e-12)
}

// With two seats the second agent's results are the first one's mirrored.
func TestMirroredLineup(t *testing.T) {
	s := &ratingtest.Simulation{Spec: ratingtest.Spec(2), Theta: map[string]float64{"a": 0.4, "b": 0},
		RNG: engine.NewRNG(1, 1)}
	b := playAll(s, []string{"a", "b"}, 50)
	mine, its := b.Focal("a", "b"), b.Focal("b", "a")
	require.InDelta(t, 1, mine.WinShare().Value+its.WinShare().Value, 1e-9)
	require.InDelta(t, mine.WinShare().Low, 1-its.WinShare().High, 1e-9)
	require.InDelta(t, 0, mine.MeanReturn().Value+its.MeanReturn().Value, 1e-9)
	require.InDelta(t, mine.GameSquares.float()+its.GameSquares.float(), 100, 1e-6, "every game has one winner")
	require.Equal(t, mine.lineup, its.mirrored(50, 100))
}

// Three games with the same outcome are one observation, three independent ones
// are a mean of three.
func TestSetVarianceRatio(t *testing.T) {
	for luck, want := range map[float64]float64{0: 1, 1: 3} {
		s := &ratingtest.Simulation{Spec: ratingtest.Spec(3), Theta: strengths, Luck: luck, RNG: engine.NewRNG(1, 1)}
		ratio, ok := playAll(s, rated, 1000).SetVarianceRatio()
		require.True(t, ok)
		require.InDelta(t, want, ratio, 0.1)
	}
	_, ok := NewResults(ratingtest.Spec(3), "run", ratingtest.Rules, Sequential{}).SetVarianceRatio()
	require.False(t, ok)
}

// What equal agents get is 0: a third of the win of three, no money.
func TestOutcome(t *testing.T) {
	sets := Focal{Sets: 100, spec: ratingtest.Spec(3)}
	sets.lineup = lineup{Share: toFixed(50), ShareSquares: toFixed(35), Return: toFixed(2), ReturnSquares: toFixed(1)}
	require.InDelta(t, 0.5-1.0/3, sets.Outcome().Value, 1e-9)
	require.InDelta(t, sets.WinShare().Low-1.0/3, sets.Outcome().Low, 1e-12)
	money := *sets.spec
	money.Payoff, money.MaxReturn = engine.Money, 20
	sets.spec = &money
	require.InDelta(t, 0.4, sets.Outcome().Value, 1e-9)
	require.Equal(t, sets.MeanReturn(), sets.Outcome())
}
