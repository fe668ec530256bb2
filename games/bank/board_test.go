package bank

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

func TestView(t *testing.T) {
	s := newState(t, "rounds: 2")
	see := func() *View { return s.game.View(s, 0).(*View) }
	require.Equal(t, &View{
		Round: 1, Rounds: 2, Safe: 3, Dice: []int{}, Phase: "roll", Asked: -1, Queue: []int{},
		Players: []Player{{State: "in"}, {State: "in"}, {State: "in"}},
	}, see())
	apply(t, s, 5, Pass, Pass, Pass) // 1-6, a safe seven
	require.Equal(t, "added", see().Effect)
	apply(t, s, 0, Pass, Pass, Pass, 0) // 1-1 twice: + 2 each
	require.Equal(t, "added", see().Effect, "doubles of the third roll add")
	require.InDelta(t, 1.0/6, see().Risk, 1e-12)
	apply(t, s, Pass, Pass, Pass, 0)
	require.Equal(t, "doubled", see().Effect)
	apply(t, s, Pass, Bank)
	v := see()
	require.True(t, v.Again)
	require.Equal(t, []Player{
		{After: 148, Lead: -148, State: "in"},
		{Total: 148, After: 148, Lead: 148, State: "banked", Now: true},
		{After: 148, Lead: -148, State: "asked"},
	}, v.Players)
	require.Equal(t, []int{2, 0}, v.Queue, "player 1 is asked again, after player 3")
	require.Contains(t, v.String(), "Round 1 of 2, roll 4 was 1-1: the bank is 148, 1 in 6 that the next roll loses it.\n"+
		"You: 0 points\nSeat 2: 148 points, banked\nSeat 3: 0 points, asked now\n")
	apply(t, s, Pass, Pass, 5)
	require.Equal(t, &RoundEnd{Dice: []int{1, 6}, Bank: 148, Seven: true}, see().Before)
	require.Contains(t, see().String(),
		"The round before ended with a seven: 148 points were lost.\nRound 2 of 2, before the first roll")
	apply(t, s, 1, Bank, Bank, Bank)
	require.Equal(t, "over", see().Phase)
	require.Equal(t, []bool{false, true, false}, []bool{see().Players[0].Won, see().Players[1].Won, see().Players[2].Won})
	require.Contains(t, fmt.Sprint(s.game.View(s, engine.Public)), "Seat 2: 151 points, won\n")
}
