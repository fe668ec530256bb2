package kuhn

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

func viewAfter(t *testing.T, eye int, steps ...int) View {
	s := Game{}.NewState()
	for _, step := range steps {
		require.NoError(t, s.Apply(step))
	}
	return Game{}.View(s, eye).(View)
}

func TestView(t *testing.T) {
	const jack, king = 0, 2
	require.Equal(t, [2]string{"K", ""}, viewAfter(t, 0, king).Cards, "the other card is not dealt yet")
	require.Equal(t, [2]string{"?", "J"}, viewAfter(t, 1, king, jack, Bet).Cards)
	require.Equal(t, [2]string{"?", "?"}, viewAfter(t, engine.Public, king, jack, Bet).Cards)
	require.Equal(t, [2]string{"K", "J"}, viewAfter(t, engine.Everything, king, jack, Bet).Cards)

	folded := viewAfter(t, 1, king, jack, Bet, Pass)
	require.Equal(t, [2]string{"?", "J"}, folded.Cards, "after a fold nobody shows a card")
	require.False(t, folded.Showdown)
	require.Equal(t, 0, folded.Winner)
	called := viewAfter(t, engine.Public, jack, king, Pass, Bet, Bet)
	require.Equal(t, [2]string{"J", "K"}, called.Cards)
	require.Equal(t, [2]int{2, 2}, called.Paid)
	require.Equal(t, 1, called.Winner)
	require.Equal(t, []Move{{0, "check"}, {1, "bet"}, {0, "call"}}, called.Moves)

	require.Equal(t, "seat 1: face down, 2 in the pot\nyou: J, 1 in the pot\nseat 1: bet\nyou: fold\n", folded.String())
}
