package bank

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
)

// view returns a seat's observation by segment.
func view(s *State, seat int) map[string][]float32 {
	dst := make([]float32, s.game.spec.ObservationSize)
	s.Observe(seat, dst)
	segments := map[string][]float32{}
	for _, segment := range s.game.spec.Segments {
		segments[segment.Name] = dst[segment.Offset : segment.Offset+segment.Size]
	}
	return segments
}

func TestObservation(t *testing.T) {
	s := newState(t, "rounds: 2")
	rollOnly(t, s, seven, seven) // 140
	apply(t, s, doubleOnes)      // 142
	require.Equal(t, []int{0, 1}, asked(t, s, Pass, Bank))
	require.Equal(t, 2, s.Player())

	v := view(s, 2)
	require.Equal(t, []float32{0, 1, 0.1, 0}, v["round"])
	require.Equal(t, []float32{0, 0, 0, 1, 0, 0.15, 1}, v["roll"])
	require.Equal(t, []float32{1.0 / 6, 1.0 / 6, 1, 0}, v["dice"])
	require.InDelta(t, 142.0/250, v["bank"][0], 1e-6)
	require.InDelta(t, math.Log2(143)/10, v["bank"][1], 0.0087)
	require.Equal(t, []float32{0, 0}, v["own"])
	// Relative to seat 2: seat 0 is next, then seat 1, who has 142.
	bank := logarithm(142)
	require.Equal(t, []float32{0, 0, bank, -bank}, v["others"][:4])
	require.Equal(t, []float32{-linear(142, 250), -bank, 0, -bank}, v["others"][4:])
	require.Equal(t, []float32{
		1, 0, 1, 1, 0, // itself: active, asked, has to answer
		1, 0, 1, 0, 1, // seat 0: is asked again; opens the next phase
		0, 1, 0, 0, 0, // seat 1: has banked in this phase
	}, v["seats"])

	require.Equal(t, view(s, 2)["seats"][:5], view(s, 0)["seats"][10:], "the same seat seen from elsewhere")
	require.InDelta(t, 142.0/200, view(s, 1)["own"][0], 1e-6)

	apply(t, s, Bank, Bank)
	require.Equal(t, []float32{0.5, 0.5, 0, 1}, view(s, 0)["round"], "the last round")
	require.Equal(t, []float32{0, 0, 0, 0}, view(s, 0)["dice"], "no roll yet")
}

func TestObservationShowsWhoOpensWithoutRepoll(t *testing.T) {
	s := newState(t, "repoll: false")
	rng := engine.NewRNG(1, 0)
	for range 200 {
		if s.Player() == engine.Terminal {
			break
		}
		if s.Player() != engine.Chance {
			apply(t, s, rng.IntN(2))
			continue
		}
		seats := view(s, 1)["seats"]
		apply(t, s, fiveSix)
		if s.active == s.game.all {
			relative := (s.Player() - 1 + 3) % 3
			require.EqualValues(t, 1, seats[seatsSize*relative+4])
		}
	}
}

func TestLogarithm(t *testing.T) {
	require.Zero(t, logarithm(0))
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Int64Range(0, 1000*MaxBank).Draw(t, "a")
		b := rapid.Int64Range(0, 1000*MaxBank).Draw(t, "b")
		require.InDelta(t, math.Log2(float64(a)+1), logUnit*float64(logarithm(a)), 0.0872)
		require.Equal(t, -logarithm(a), logarithm(-a))
		if a <= b {
			require.LessOrEqual(t, logarithm(a), logarithm(b))
		}
	})
}
