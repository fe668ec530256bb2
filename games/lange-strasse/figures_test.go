package langestrasse

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

func TestFigures(t *testing.T) {
	s := newState(t)
	sums := engine.NewSums(&spec)
	measured := func(step int) {
		s.MeasureStep(step, sums)
		require.NoError(t, s.Apply(step))
	}
	roll := func(dice ...uint8) {
		before := s.Clone().(*State)
		throw(t, before, dice...)
		for outcome := range s.Outcomes(nil) {
			after := s.Clone().(*State)
			require.NoError(t, after.Apply(outcome))
			if *after == *before {
				measured(outcome)
				return
			}
		}
	}
	// Seat 0: a Lange Strasse, then 1000 points.
	roll(1, 2, 3, 4, 5, 6)
	measured(Straight)
	roll(1, 1, 1, 2, 3, 3)
	measured(keepAction(s, 1, 1, 1) + 1)
	// Seat 1: a strich.
	roll(2, 2, 3, 3, 4, 6)
	// Seat 2: a Super Strasse, then a Talheim.
	roll(1, 2, 2, 3, 3, 4)
	measured(keepAction(s, 1))
	roll(2, 2, 3, 3, 5)
	measured(keepAction(s, 5))
	roll(2, 3, 4, 6)
	measured(Straight)
	roll(2, 2, 4, 4, 6, 6)
	measured(Talheim)
	require.Equal(t, []int64{2250, 0, 1750}, s.Scores(nil))
	s.MeasureEnd(sums)

	// The seats have got 100 and 200 ct for the Strassen, and a Totale paid 100.
	want := [seats][]engine.Sum{
		{money: {Value: 50, Weight: 1}, turnPoints: {Value: 2250, Weight: 1}, straights: {Value: 1, Weight: 1}},
		{money: {Value: -250, Weight: 1}, strichs: {Value: 1, Weight: 1}, turnPoints: {Weight: 1}},
		{money: {Value: 200, Weight: 1}, turnPoints: {Value: 1750, Weight: 1}, superStraights: {Value: 1, Weight: 1},
			talheims: {Value: 1, Weight: 1}},
	}
	for seat, sum := range want {
		for figure, got := range sums.Of(seat) {
			expected := engine.Sum{Weight: 1}
			if figure < len(sum) && sum[figure] != (engine.Sum{}) {
				expected = sum[figure]
			}
			require.Equal(t, expected, got, "seat %d, %s", seat, figures[figure].Name)
		}
	}
}
