package langestrasse

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

func returns(s *State) []float64 {
	dst := []float64{9, 9, 9}
	s.Returns(dst)
	return dst
}

// lastTurn is the state before the roll of the round's last seat, with the given points; all
// seats have had a strich.
func lastTurn(t require.TestingT, round uint8, scores ...int32) *State {
	s := newState(t)
	s.standing.Round, s.standing.Seat, s.standing.Strich = round, 2, 0b111
	copy(s.standing.Points[:], scores)
	return s
}

func TestTotaleCostsFiftyToEach(t *testing.T) {
	s := newState(t)
	scoreThousand(t, s)
	strich(t, s)
	require.Equal(t, Money{50, -100, 50}, s.money)
	require.EqualValues(t, 0b010, s.standing.Strich, "a Totale is a strich")
	scoreThousand(t, s)
	strich(t, s)
	require.Equal(t, Money{50, -100, 50}, s.money, "only in the first turn")
}

func TestTotaleCountsAfterALangeStrasse(t *testing.T) {
	s := newState(t)
	throw(t, s, 1, 2, 3, 4, 5, 6)
	require.NoError(t, s.Apply(Straight))
	strich(t, s)
	require.Equal(t, Money{}, s.money, "what it brought is paid back")
}

func TestTheRoundIsFinished(t *testing.T) {
	s := newState(t)
	s.standing.Round, s.standing.Points = 12, [3]int32{9500, 4000, 9800}
	scoreThousand(t, s)
	require.EqualValues(t, 10500, s.standing.Points[0])
	require.Equal(t, engine.Chance, s.Player(), "the others have their turns")
	strich(t, s)
	scoreThousand(t, s)
	require.Equal(t, engine.Terminal, s.Player())
	require.Equal(t, []int64{10500, 4000, 10800}, s.Scores(nil))
}

func TestTenThousandIsEnough(t *testing.T) {
	s := lastTurn(t, 12, 0, 0, 9000)
	scoreThousand(t, s)
	require.Equal(t, engine.Terminal, s.Player())
	s = lastTurn(t, 12, 0, 0, 8950)
	scoreThousand(t, s)
	require.Equal(t, engine.Chance, s.Player())
	require.EqualValues(t, 13, s.standing.Round)
}

func TestMoneyOfTheEnd(t *testing.T) {
	for _, test := range []struct {
		name   string
		round  uint8
		scores []int32 // before the last turn, which adds 1000
		clean  uint8   // seats without a strich
		want   []float64
	}{
		{"second pays 50, third 70", 11, []int32{6000, 7000, 9000}, 0, []float64{-0.7, -0.5, 1.2}},
		{"a fast end", 10, []int32{6000, 7000, 9000}, 0, []float64{-1.2, -1.0, 2.2}},
		{"no strich, the winner", 11, []int32{6000, 7000, 9000}, 0b100, []float64{-1.2, -1.0, 2.2}},
		{"no strich, a loser", 11, []int32{6000, 7000, 9000}, 0b001, []float64{0.3, -1.0, 0.7}},
		{"nobody has a strich", 11, []int32{6000, 7000, 9000}, 0b111, []float64{-0.7, -0.5, 1.2}},
		{"below 5000", 11, []int32{4950, 5000, 9000}, 0, []float64{-1.2, -0.5, 1.7}},
		{"both below 5000", 11, []int32{0, 4950, 9000}, 0, []float64{-1.2, -1.0, 2.2}},
		{"tie for the win", 11, []int32{10000, 7000, 9000}, 0, []float64{1.2, -0.7, -0.5}},
		{"tie for the second place", 11, []int32{7000, 7000, 9000}, 0, []float64{-0.5, -0.7, 1.2}},
		{"three equal", 11, []int32{10000, 10000, 9000}, 0, []float64{1.2, -0.5, -0.7}},
	} {
		s := lastTurn(t, test.round, test.scores...)
		s.standing.Strich &^= test.clean
		require.Equal(t, []float64{0, 0, 0}, returns(s), "%s: before the end", test.name)
		scoreThousand(t, s)
		require.InDeltaSlice(t, test.want, returns(s), 1e-12, test.name)
		require.Zero(t, s.money[0]+s.money[1]+s.money[2], test.name)
	}
}

func TestRoundTwoHundredIsTheLast(t *testing.T) {
	s := lastTurn(t, 199, 3000, 4000, 0)
	scoreThousand(t, s)
	require.Equal(t, engine.Chance, s.Player())
	s = lastTurn(t, 200, 3000, 4000, 0)
	s.standing.Strich = 0b110
	scoreThousand(t, s)
	require.Equal(t, engine.Terminal, s.Player())
	require.InDeltaSlice(t, []float64{-0.5 + 1, 1.2 - 0.5, -0.7 - 0.5}, returns(s), 1e-12,
		"places and no strich pay, points below 5000 do not")
	s = lastTurn(t, 200, 3000, 4000, 9000)
	scoreThousand(t, s)
	require.InDeltaSlice(t, []float64{-0.7 - 0.5, -0.5 - 0.5, 1.2 + 1}, returns(s), 1e-12, "somebody has the target")
}
