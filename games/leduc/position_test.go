package leduc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/enginetest"
)

func TestImpossiblePositions(t *testing.T) {
	enginetest.RequireRefused(t, New, "", map[string]string{
		`{"card": "Q", "first_round": []}`:                                                                      `card: "Q" is not a card`,
		`{"card": "Qd", "first_round": []}`:                                                                     `card: "Qd" is not a card`,
		`{"card": "Qs", "first_round": [], "public": "Kx"}`:                                                     `public: "Kx" is not a card`,
		`{"card": "Qs", "first_round": ["check", "check"], "public": "Qs"}`:                                     "public: Qs is the seat's own card",
		`{"card": "Qs", "first_round": [], "public": "Ks"}`:                                                     "public: is given, but the first round is not over",
		`{"card": "Qs", "first_round": ["check", "check"]}`:                                                     "public: is missing: the first round is over",
		`{"card": "Qs", "first_round": ["fold"]}`:                                                               `first_round[0]: "fold" is not possible there, only check, raise`,
		`{"card": "Qs", "first_round": ["raise", "fold"]}`:                                                      "first_round[1]: it ends the game",
		`{"card": "Qs", "first_round": ["raise", "raise", "raise"]}`:                                            `first_round[2]: "raise" is not possible there, only fold, call`,
		`{"card": "Qs", "first_round": ["check", "check", "check"], "public": "Ks"}`:                            "first_round[2]: no seat is to move there",
		`{"card": "Qs", "first_round": [], "second_round": ["check"], "public": "Ks"}`:                          "public: is given, but the first round is not over",
		`{"card": "Qs", "first_round": ["check", "check"], "public": "Ks", "second_round": ["check", "check"]}`: "second_round[1]: it ends the game",
	})
}

// The hidden card is each of the free ones equally often.
func TestRedealIsUniform(t *testing.T) {
	s, _, err := Game{}.ParsePosition([]byte(`{"card": "Qs", "first_round": ["raise", "call"], "public": "Qh"}`),
		engine.NewRNG(1, 0))
	require.NoError(t, err)
	rng, counts := engine.NewRNG(2, 0), map[int]int{}
	for range 10_000 {
		s.(*State).Redeal(0, rng)
		counts[s.(*State).Private(1)]++
	}
	require.Len(t, counts, 4, "two jacks and two kings")
	for _, n := range counts {
		require.InDelta(t, 2500, n, 200)
	}
}
