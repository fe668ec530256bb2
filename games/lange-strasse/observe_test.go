package langestrasse

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// segment returns a seat's view of one segment.
func segment(t *testing.T, s *State, seat int, name string) []float32 {
	t.Helper()
	dst := make([]float32, observationSize)
	s.Observe(seat, dst)
	for _, segment := range segments {
		if segment.Name == name {
			return dst[segment.Offset : segment.Offset+segment.Size]
		}
	}
	require.Fail(t, "no segment", name)
	return nil
}

// logOf is the logarithm of the observation.
func logOf(points float64) float32 { return float32(math.Log2(1+points/50) / 9) }

func TestObservationOfTheDice(t *testing.T) {
	s := newState(t)
	require.Equal(t, make([]float32, rollSize), segment(t, s, 0, "roll"))
	throw(t, s, 1, 5, 2, 4, 4, 6)
	keep(t, s, 1)
	throw(t, s, 1, 2, 5, 5, 6)
	require.Equal(t, []float32{
		1, 0, 0, 0, 0, 0,
		0, 1, 0, 0, 0, 0,
		0, 0, 0, 0, 1, 0,
		0, 0, 0, 0, 1, 0,
		0, 0, 0, 0, 0, 1,
		0, 0, 0, 0, 0, 0,
	}, segment(t, s, 2, "roll"))
}

func TestObservationOfTheSet(t *testing.T) {
	for _, test := range []struct {
		set  set
		want []float32
	}{
		{set{}, []float32{
			0, 0, 0, 0, 0, 0, 0, 0, 0, // group
			0, 0, 0, 0, 0, 0, 0, 0, 0, 0, // singles
			0, 0, 0, 0, 0, 1, // left
			0, 1, 1, 1, 1}},
		{set{ones: 2, face: 3, size: 3}, []float32{
			0, 0, 1, 0, 0, 0, 1, 0, 0,
			1, 1, 0, 0, 0, 0, 0, 0, 0, 0,
			1, 0, 0, 0, 0, 0,
			0.5, 0, 0, 0, 0}},
		{set{ones: 1, fives: 1}, []float32{
			0, 0, 0, 0, 0, 0, 0, 0, 0,
			1, 0, 0, 0, 0, 1, 0, 0, 0, 0,
			0, 0, 0, 1, 0, 0,
			0.15, 0.5, 1, 0, 1}},
		{set{ones: 1, fives: 1, super: true}, []float32{
			0, 0, 0, 0, 0, 0, 0, 0, 0,
			1, 0, 0, 0, 0, 1, 0, 0, 0, 0,
			0, 0, 0, 1, 0, 0,
			0.15, 0.5, 1, 1, 1}},
		{set{fives: 3}, []float32{
			0, 0, 0, 0, 0, 0, 0, 0, 0,
			0, 0, 0, 0, 0, 1, 1, 1, 0, 0,
			0, 0, 1, 0, 0, 0,
			0.15, 0.5, 0, 0, 0}},
	} {
		v := test.set.observation()
		require.InDeltaSlice(t, test.want, v[:], 1e-6, "%+v", test.set)
	}
}

func TestObservationOfTurnAndScores(t *testing.T) {
	s := newState(t)
	s.standing.Round, s.standing.Seat, s.standing.Strich = 12, 1, 0b010
	s.standing.Points, s.money = [3]int32{2500, 5000, 10000}, [3]int32{100, -50, -50}
	throw(t, s, 1, 1, 1, 5, 5, 5)
	keep(t, s, 1, 1, 1, 5, 5, 5)
	throw(t, s, 5, 5, 5, 2, 3, 4)
	keep(t, s, 5, 5, 5)
	require.InDeltaSlice(t, []float32{1.5, logOf(1500), 2, logOf(2000)}, segment(t, s, 0, "turn"), 1e-6)
	require.InDeltaSlice(t, []float32{1.2, 0, 0, 1, 0.06}, segment(t, s, 0, "round"), 1e-6)
	require.Equal(t, []float32{0, 0, 1}, segment(t, s, 2, "order"))
	require.InDeltaSlice(t, []float32{
		1, 0, 1, 1, 1, -0.1, 0, 0,
		0.25, logOf(7500), 0, 0, 1, 0.2, 0, 1,
		0.5, logOf(5000), 1, 0, 0, -0.1, 1, 0,
	}, segment(t, s, 2, "seats"), 1e-6)
	require.InDeltaSlice(t, []float32{
		3, logOf(7500), 3, logOf(7500),
		2, logOf(5000), 1.2, logOf(3000),
	}, segment(t, s, 2, "leads"), 1e-6, "of seat 2: to seat 0, then to seat 1, who plays")
	require.InDeltaSlice(t, []float32{
		-2, -logOf(5000), -1.2, -logOf(3000),
		1, logOf(2500), 1.8, logOf(4500),
	}, segment(t, s, 1, "leads"), 1e-6)
	s.Reset()
	require.InDeltaSlice(t, []float32{0.1, 0.9, 1, 0, 0.005}, segment(t, s, 0, "round"), 1e-6)
}

func TestLogarithmIsClipped(t *testing.T) {
	s := newState(t)
	require.EqualValues(t, 0, s.logarithm(0))
	require.EqualValues(t, 1, s.logarithm(25_550))
	require.EqualValues(t, 1, s.logarithm(math.MaxInt32))
	require.EqualValues(t, -1, s.logarithm(-1_000_000))
}
