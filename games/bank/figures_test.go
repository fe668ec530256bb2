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
		bankedNear:      {Value: 2, Weight: 2},
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
		bankedNear:  {Value: 1, Weight: 2},
		bankedFirst: {Value: 1, Weight: 1},
	}, sums.Of(1)[:bankedFirst+1])
}

// The lead as the round begins counts, whatever others bank during the round.
func TestFiguresByLead(t *testing.T) {
	s := newState(t, "players: 3\nrounds: 3")
	sums := engine.NewSums(s.game.Spec())
	step := func(step int) {
		s.MeasureStep(step, sums)
		apply(t, s, step)
	}
	for _, round := range [][]int{ // the seat that banks after each roll, or -1
		{-1, 1, 2, -1}, // seat 1 banks 140, seat 2 143
		{0, 2, -1, -1}, // seat 0 banks 70 from behind; seat 2 banks 140, near
		{2, -1, -1, -1},
	} {
		for i, seat := range round {
			step([]int{seven, seven, oneTwo, oneTwo}[i])
			for s.Player() >= 0 {
				step(map[bool]int{true: Bank, false: Pass}[s.Player() == seat])
			}
		}
		step(seven)
	}
	require.Equal(t, engine.Terminal, s.Player())
	s.MeasureEnd(sums)
	for seat, want := range [][]engine.Sum{ // behind, near, ahead
		{{Value: 1, Weight: 2}, {Value: 0, Weight: 1}, {}},
		{{Value: 0, Weight: 1}, {Value: 1, Weight: 2}, {}},
		{{}, {Value: 2, Weight: 2}, {Value: 1, Weight: 1}},
	} {
		require.Equal(t, want, sums.Of(seat)[bankedBehind:bankedAhead+1], "seat %d", seat)
	}
}

func TestLeadsAsARoundBegins(t *testing.T) {
	s := newState(t, "players: 3\nrounds: 2")
	for seats, leads := range map[[3]int64][3]int8{
		{near, 0, 0}:     {1, -1, -1},
		{near - 1, 0, 0}: {0, 0, 0},
		{500, 400, 301}:  {1, -1, -1},
		{500, 500, 401}:  {0, 0, 0},
		{1000, 1000, 0}:  {0, 0, -1},
	} {
		copy(s.totals[:], seats[:])
		s.noteLeads()
		require.Equal(t, leads[:], s.leads[:3], "%v", seats)
	}
}
