package pig

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

func TestView(t *testing.T) {
	s := newState(t, "target: 20")
	require.Equal(t, "Seat 1: 0 of 20 points\nSeat 2: 0 of 20 points\nTurn of: seat 1\n", shown(s, engine.Public))
	apply(t, s, Roll, die(6), Roll)
	require.Equal(t, &View{
		Target: 20, Phase: "roll", Turn: 6, Die: 6, IfHeld: 6, Risk: 1.0 / 6,
	}, s.game.View(s, 0))
	apply(t, s, die(5))
	require.Contains(t, shown(s, 0), "You made 11 points in this turn, the last roll was a 5; holding makes 11.")
	apply(t, s, Hold)
	require.Contains(t, shown(s, 1), "Seat 1 held 11 points.")
	apply(t, s, Roll, die(4), Roll, die(1))
	v := s.game.View(s, 1).(*View)
	require.Equal(t, &TurnEnd{Seat: 1, Points: 4, Lost: true}, v.Before)
	require.Contains(t, v.String(), "You rolled a 1 and lost 4 points.\nSeat 1: 11 of 20 points\nYou: 0 of 20 points\n")
	apply(t, s, Roll, die(6), Roll, die(3))
	require.True(t, s.game.View(s, 1).(*View).Wins)
	apply(t, s, Hold)
	v = s.game.View(s, 0).(*View)
	require.Equal(t, "over", v.Phase)
	require.Equal(t, &TurnEnd{Seat: 0, Points: 9}, v.Before)
	require.Contains(t, v.String(), "You won.")
}

func shown(s *State, eye int) string { return fmt.Sprint(s.game.View(s, eye)) }
