package tysiac

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/enginetest"
	"croupier/games/tysiac/cards"
)

// good is a position in the play: seat 1 has bid 120, proved it, and leads to the third trick.
const good = `{"seat": 1, "dealer": 0, "scores": [340, 210], "bombs_left": [2, 1], "hand_number": 5,
	"hand": ["9♠", "Q♠", "K♠", "Q♣", "J♦", "10♥", "KH", "QH"],
	"auction": ["bid 100", "bid 110", "bid 130", "challenge ♠", "pass"],
	"taken": 2, "musik": ["10♥", "9♠"], "no_bomb": true, "returned": ["9♥", "J♣"], "contract": 150,
	"plays": ["A♠", "10♠", "A♥", "J♥"]}`

func parse(t *testing.T, position string) *State {
	t.Helper()
	g, err := New(nil)
	require.NoError(t, err)
	s, notes, err := g.(*Game).ParsePosition([]byte(position), engine.NewRNG(1, 0))
	require.NoError(t, err)
	require.Empty(t, notes)
	return s.(*State)
}

func TestPositionInThePlay(t *testing.T) {
	s := parse(t, good)
	require.Equal(t, 1, s.Player())
	require.Equal(t, playing, s.phase)
	require.EqualValues(t, 150, s.contract)
	require.EqualValues(t, 8, s.hands[0].Len())
	require.EqualValues(t, 4, s.hand)
	rng, hands := engine.NewRNG(2, 0), map[cards.Set]bool{}
	before := s.InformationKey(1, nil)
	for range 1000 {
		s.Redeal(1, rng)
		require.Equal(t, before, s.InformationKey(1, nil))
		hands[s.hands[0]] = true
	}
	require.Greater(t, len(hands), 30)
	for hand := range hands {
		require.Zero(t, hand&cards.OfSuit(cards.Suits-1), "all other cards of ♥ are known")
	}
}

func TestImpossiblePositions(t *testing.T) {
	change := func(pairs ...string) string {
		bad := strings.NewReplacer(pairs...).Replace(good)
		require.NotEqual(t, good, bad)
		return bad
	}
	enginetest.RequireRefused(t, New, "", map[string]string{
		change(`"seat": 1`, `"seat": 2`):                        "seat: 2 is not in 0..1",
		change(`"dealer": 0, `, ``):                             "dealer: is missing",
		change(`"dealer": 0`, `"dealer": 3`):                    "dealer: 3 is not in 0..1",
		change(`[340, 210]`, `[340]`):                           "scores: 1 entries",
		change(`[340, 210]`, `[1000, 210]`):                     "scores[0]: 1000 points would have won the game",
		change(`[340, 210]`, `[345, 210]`):                      "scores[0]: no seat can have 345",
		change(`[2, 1]`, `[2, 3]`):                              "bombs_left[1]: 3 is not in 0..2",
		change(`"hand_number": 5`, `"hand_number": 0`):          "hand_number: 0 is not in 1..200",
		change(`["9♠", "Q♠"`, `["9♠", "9♠"`):                    "hand[1]: 9♠ appears twice",
		change(`["9♠", "Q♠"`, `["9♠", "1♠"`):                    `hand[1]: "1♠" is not a card`,
		change(`["9♠", "Q♠", `, `["9♠", `):                      "hand: 7 cards do not fit",
		change(`["10♥", "9♠"], "no`, `["10♥", "J♠"], "no`):      "musik: J♠ was taken, but is neither in the hand",
		change(`["10♥", "9♠"], "no`, `["10♥"], "no`):            "musik: 1 cards, but a musik has 2",
		change(`"taken": 2, `, ``):                              "taken: is missing",
		change(`"taken": 2`, `"taken": 3`):                      "taken: 3 is not 1 or 2",
		change(`"bid 100", `, `"bid 101", `):                    `auction[0]: "bid 101" is not like`,
		change(`"bid 110"`, `"bid 100"`):                        "auction[1]: this could not happen with any cards that fit the rest",
		change(`challenge ♠`, `challenge ♥`):                    "auction[3]: this could not happen",
		change(`"pass"]`, `"pass", "bid 140"]`):                 "auction[5]: the auction was already over",
		change(`"bid 130", "challenge ♠", "pass"`, `"bid 130"`): "taken: the auction is not over",
		change(`"contract": 150`, `"contract": 155`):            "contract: 155 is not a multiple of 10",
		change(`"contract": 150`, `"contract": 120`):            "contract: this could not happen",
		change(`"contract": 150,`, ``):                          "contract: is missing: cards were played",
		change(`"bombs_left": [2, 1]`, `"bombs_left": [2, 0]`):  "no_bomb: the seat that plays has no bomb to decline",
		change(`"A♠", "10♠"`, `"A♠", "10♥"`):                    "plays[1]: 10♥ appears twice",
		change(`"A♠", "10♠"`, `"A♠ declared", "10♠"`):           "plays[0]: only K and Q can be declared",
		change(`"A♥", "J♥"]`, `"A♥", "J♥", "K♣"]`):              "hand: 8 cards do not fit",
		change(`"A♥", "J♥"]`, `"A♥"]`):                          "seat: the other one is to move here (play)",
	})
	enginetest.RequireRefused(t, NewHand, "", map[string]string{
		`{"seat": 1, "dealer": 0, "hand": []}`: "the rules of tysiac-hand give dealer, scores, bombs_left and hand_number",
	})
}
