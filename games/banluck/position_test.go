package banluck

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/enginetest"
)

func TestImpossiblePositions(t *testing.T) {
	enginetest.RequireRefused(t, New, "", map[string]string{
		`{"seat": 2, "hand": ["7", "9"]}`:                                                          "seat: 2 is not in 0..1",
		`{"seat": 0, "hand": ["7"]}`:                                                               "hand: 1 cards: a hand has 2 to 5",
		`{"seat": 0, "hand": ["7", "1"]}`:                                                          `hand[1]: "1" is not a card`,
		`{"seat": 0, "hand": ["7", "9X"]}`:                                                         `hand[1]: "9X" is not a card`,
		`{"seat": 0, "hand": ["2", "2", "2", "2", "2"]}`:                                           "hand[4]: the deck does not have that many cards that count as 2",
		`{"seat": 0, "hand": ["T", "A"]}`:                                                          "hand: with a total of 21 in 2 cards there is nothing to choose",
		`{"seat": 0, "hand": ["T", "9", "5"]}`:                                                     "hand: with a total of 24 in 3 cards there is nothing to choose",
		`{"seat": 0, "hand": ["2", "2", "3", "3", "4"]}`:                                           "hand: with a total of 14 in 5 cards there is nothing to choose",
		`{"seat": 1, "hand": ["T", "9"]}`:                                                          "hand: with a total of 19 in 2 cards there is nothing to choose",
		`{"seat": 1, "hand": ["T", "2"]}`:                                                          "hand: with a total of 12 in 2 cards there is nothing to choose",
		`{"seat": 1, "hand": ["T", "6"], "revealed_with": 2}`:                                      "no deal leads to this position",
		`{"seat": 0, "hand": ["T", "6"], "revealed_with": 2}`:                                      "revealed_with: 2 cards",
		`{"seat": 0, "hand": ["T", "6"], "others": [{"seat": 0, "cards": 2}]}`:                     "others[0].seat: 0 is not another seat",
		`{"seat": 0, "hand": ["T", "6"], "others": [{"seat": 1, "cards": 3}]}`:                     "others[0]: it has not acted yet and still has 2 cards",
		`{"seat": 1, "hand": ["T", "6"], "others": [{"seat": 0, "cards": 6}]}`:                     "others[0].cards: 6 is not in 2..5",
		`{"seat": 1, "hand": ["T", "6"], "others": [{"seat": 0, "open": ["7", "8"]}]}`:             "others: the hand 7-8 is open, but",
		`{"seat": 1, "hand": ["T", "6"], "others": [{"seat": 0, "open": ["A", "A"]}]}`:             "no deal leads to this position",
		`{"seat": 0, "hand": ["T", "6"], "others": [{"seat": 1, "open": ["A", "A"]}]}`:             "others[0].open: the dealer's hand is never open",
		`{"seat": 1, "hand": ["T", "6"], "others": [{"seat": 0, "cards": 3, "open": ["A", "A"]}]}`: "others[0].cards: 3, but 2 are open",
	})
}

// Cards may be written in all the ways that people write them.
func TestCardsOfPositions(t *testing.T) {
	g, err := New(nil)
	require.NoError(t, err)
	for position, want := range map[string]string{
		`{"seat": 0, "hand": ["6C", "JH"]}`: `{"seat":0,"hand":["6","T"],"others":[{"seat":1,"cards":2,"open":[]}],"revealed_with":0}`,
		`{"seat": 0, "hand": ["10D", "6"]}`: `{"seat":0,"hand":["T","6"],"others":[{"seat":1,"cards":2,"open":[]}],"revealed_with":0}`,
		`{"seat": 1, "hand": ["8", "8"], "others": [{"seat": 0, "cards": 4}]}`: `{"seat":1,"hand":["8","8"],` +
			`"others":[{"seat":0,"cards":4,"open":[]}],"revealed_with":0}`,
		`{"seat": 1, "hand": ["8", "7"]}`: `{"seat":1,"hand":["8","7"],"others":[{"seat":0,"cards":2,"open":[]}],"revealed_with":0}`,
	} {
		s, _, err := g.(*Game).ParsePosition([]byte(position), engine.NewRNG(1, 0))
		require.NoError(t, err, position)
		require.Equal(t, want, string(g.(*Game).FormatPosition(s, s.Player())))
	}
}

// A dealer with 16 against three cards: the player had less than 21 with two of them and is not
// bust now, otherwise the hand would be over.
func TestRedealIsConsistent(t *testing.T) {
	g, err := New(nil)
	require.NoError(t, err)
	s, _, err := g.(*Game).ParsePosition([]byte(`{"seat": 1, "hand": ["T", "6"], "others": [{"seat": 0, "cards": 3}]}`),
		engine.NewRNG(1, 0))
	require.NoError(t, err)
	rng, hands := engine.NewRNG(2, 0), map[Hand]bool{}
	for range 2000 {
		s.(*State).Redeal(1, rng)
		hand := s.(*State).Hand(0)
		require.Equal(t, 3, hand.Size())
		require.LessOrEqual(t, g.(*Game).Worth(hand).Total, int8(limit))
		hands[hand] = true
	}
	require.Greater(t, len(hands), 50)
}
