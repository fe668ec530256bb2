package bank

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

func TestFigures(t *testing.T) {
	s := newState(t, "players: 2\nrounds: 2\nrepoll: false")
	sums := engine.NewSums(s.game.Spec())
	for _, step := range []int{
		fiveSix, Pass, Bank, // seat 1 banks 11 after the first roll
		oneTwo, Pass, // 14
		oneTwo, Pass, // 17
		doubleThree, Pass, // 34
		fiveSix, Pass, // 45
		oneTwo, Bank, // seat 0 banks 48 after the sixth roll
		oneTwo, Pass, Pass, // the second round
		oneTwo, Pass, Pass,
		oneTwo, Pass, Bank, // the asking goes from seat 1 on: seat 0 banks 9 after the third roll
		seven, // seat 1 gets nothing
	} {
		s.MeasureStep(step, sums)
		apply(t, s, step)
	}
	require.Equal(t, engine.Terminal, s.Player())
	require.Equal(t, []int64{57, 11}, s.Scores(nil))
	s.MeasureEnd(sums)
	require.Equal(t, []engine.Sum{
		bankedValue:     {Value: 57, Weight: 2},
		bankRoll:        {Value: 9, Weight: 2},
		banked:          {Value: 2, Weight: 2},
		bankedFirst:     {Value: 0, Weight: 2},
		bankedFirst + 1: {Value: 0, Weight: 2},
		bankedFirst + 2: {Value: 1, Weight: 2},
		bankedFirst + 3: {Value: 0, Weight: 2},
		bankedFirst + 4: {Value: 0, Weight: 2},
		bankedLater:     {Value: 1, Weight: 2},
	}, sums.Of(0))
	require.Equal(t, []engine.Sum{
		bankedValue: {Value: 11, Weight: 1},
		bankRoll:    {Value: 1, Weight: 1},
		banked:      {Value: 1, Weight: 2},
		bankedFirst: {Value: 1, Weight: 1},
	}, sums.Of(1)[:bankedFirst+1])
}
