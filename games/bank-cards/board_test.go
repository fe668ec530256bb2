package bankcards

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

// A seat sees its own cards with the actions that play them; others see how many there are.
func TestView(t *testing.T) {
	s := newState(t, "players: 3\nhand: 3")
	apply(t, s, 1, 2, 3, 4, 5)
	require.Equal(t, "deal", s.game.View(s, 0).(View).Phase)
	apply(t, s, 6, 7, 8, 9, play+1)
	v := s.game.View(s, 0).(View)
	require.Equal(t, []HeldCard{{2, play + 2}, {3, play + 3}}, v.Seats[0].Held)
	require.Empty(t, v.Seats[1].Held)
	require.Equal(t, 3, v.Seats[1].Cards)
	require.Equal(t, 1, v.Top)
	require.Equal(t, 1, v.Player)
	require.Equal(t, `Turn 2 of at most 500: seat 2 to move.
On the pile: 1 (1 in it); 43 in the deck.
In the pile: 1
You: 2 3
Seat 2: cards in hand: 3
Seat 3: cards in hand: 3
`, v.String())
	require.Empty(t, s.game.View(s, engine.Public).(View).Seats[0].Held)
	require.Len(t, s.game.View(s, engine.Everything).(View).Seats[2].Held, 3)
	apply(t, s, Draw)
	require.Equal(t, "draw", s.game.View(s, 0).(View).Phase)

	s = newState(t, "")
	apply(t, s, 1, 2, 3, 4, 5, 11, 12, 13, 14, 15)
	for card := 1; card < 5; card++ {
		apply(t, s, play+card, Draw, 20+card)
	}
	apply(t, s, play+5)
	v = s.game.View(s, engine.Public).(View)
	require.Equal(t, "over", v.Phase)
	require.True(t, v.Seats[0].Wins)
	require.Equal(t, 9, v.Turn)
	require.Contains(t, v.String(), "The game is over after 9 turns. Seat 1 won.")
}

// Once the pile has become the deck, what was in neither must be in a hand.
func TestViewKnowsHeldCards(t *testing.T) {
	s := small(t, "")
	apply(t, s, play+5, play+6)
	s.deck = cards{}
	apply(t, s, Draw, 6)
	v := s.game.View(s, 0).(View)
	require.NotContains(t, v.Known, 10, "an own card")
	require.Contains(t, v.Known, 11)
	require.Contains(t, s.game.View(s, engine.Public).(View).Known, 10)
}
