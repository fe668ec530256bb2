package bankcards

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/enginetest"
)

const good = `{"seat": 1, "turn": 4, "hand": [7, 30, 52], "counts": [2, 3], "pile": [4, 9], "top": 9, "held": [50]}`

func TestImpossiblePositions(t *testing.T) {
	change := func(pairs ...string) string {
		bad := strings.NewReplacer(pairs...).Replace(good)
		require.NotEqual(t, good, bad)
		return bad
	}
	enginetest.RequireRefused(t, New, "", map[string]string{
		change(`"turn": 4`, `"turn": 501`):             "turn: 501 is not in 1..500",
		change(`"seat": 1`, `"seat": 0`):               "seat: it is not to move in turn 4",
		change(`[2, 3]`, `[2, 3], "deck": 46`):         "deck: it has not 46 cards: 5 are in hands and 2 on the pile, of 52",
		change(`[2, 3]`, `[2, 3, 4]`):                  "counts: 3 entries for 2 seats",
		change(`[2, 3]`, `[2, 4]`):                     "counts[1]: 4, but the hand has 3 cards",
		change(`[2, 3]`, `[0, 3]`):                     "counts[0]: no seat can hold 0 cards",
		change(`[2, 3]`, `[48, 3]`):                    "counts: 51 cards in hands and 2 on the pile are more than the deck's 52",
		change(`[7, 30, 52]`, `[7, 30, 53]`):           "hand[2]: 53 is not in 1..52",
		change(`[7, 30, 52]`, `[7, 30, 30]`):           "hand[2]: card 30 appears twice",
		change(`[4, 9]`, `[7, 9]`):                     "pile[0]: card 7 appears twice",
		change(`"held": [50]`, `"held": [9]`):          "held[0]: card 9 appears twice",
		change(`"held": [50]`, `"held": [1, 2, 3]`):    "held: 3 cards, the other hands have 2",
		change(`"top": 9`, `"top": 8`):                 "top: 8 is not on the pile",
		change(`"top": 9`, `"top": 4`):                 "top: 4 cannot lie on a pile with 9",
		change(`"pile": [4, 9], "top": 9`, `"top": 9`): "top: 9 is not on the pile",
	})
}

// The known cards of the other hand are always in it, and each other card is as likely as the
// next.
func TestRedealKeepsWhatIsHeld(t *testing.T) {
	g, err := New(nil)
	require.NoError(t, err)
	parsed, _, err := g.(*Game).ParsePosition([]byte(good), engine.NewRNG(1, 0))
	require.NoError(t, err)
	s, rng, counts := parsed.(*State), engine.NewRNG(2, 0), map[int]int{}
	const draws = 20_000
	for range draws {
		s.Redeal(1, rng)
		for _, card := range s.hands[0].list() {
			counts[card]++
		}
	}
	require.Equal(t, draws, counts[50])
	require.Len(t, counts, 47, "52 less three in the hand and two on the pile")
	for card, n := range counts {
		if card != 50 {
			require.InDelta(t, draws/46, n, 120, "card %d", card)
		}
	}
	require.Equal(t, 52-3-2-2, s.deck.len())
}
