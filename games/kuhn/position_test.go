package kuhn

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/enginetest"
)

func TestImpossiblePositions(t *testing.T) {
	enginetest.RequireRefused(t, New, "", map[string]string{
		`{"card": "A", "moves": []}`:                        `card: "A" is not J, Q or K`,
		`{"card": "", "moves": []}`:                         `card: "" is not J, Q or K`,
		`{"card": "JQ", "moves": []}`:                       `card: "JQ" is not J, Q or K`,
		`{"card": "Q"}`:                                     "moves: is missing",
		`{"card": "Q", "moves": ["call"]}`:                  `moves[0]: "call" is not possible there, only check, bet`,
		`{"card": "Q", "moves": ["bet", "bet"]}`:            `moves[1]: "bet" is not possible there, only fold, call`,
		`{"card": "Q", "moves": ["check", "check"]}`:        "moves: they end the game",
		`{"card": "Q", "moves": ["bet", "fold", "check"]}`:  "moves[2]: no seat is to move there",
		`{"card": "Q", "moves": ["check", "bet", "raise"]}`: `moves[2]: "raise" is not possible`,
	})
}

// The hidden card is each of the two others equally often.
func TestRedealIsUniform(t *testing.T) {
	s, _, err := Game{}.ParsePosition([]byte(`{"card": "Q", "moves": ["check"]}`), engine.NewRNG(1, 0))
	require.NoError(t, err)
	rng, counts := engine.NewRNG(2, 0), map[int]int{}
	for range 10_000 {
		s.(*State).Redeal(1, rng)
		counts[s.(*State).Card(0)]++
	}
	require.Len(t, counts, 2)
	require.InDelta(t, 5000, counts[0], 200)
	require.InDelta(t, 5000, counts[2], 200)
}
