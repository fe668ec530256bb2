package pig

import (
	"testing"

	"croupier/engine/enginetest"
)

func TestImpossiblePositions(t *testing.T) {
	enginetest.RequireRefused(t, New, "", map[string]string{
		`{"scores": [0, 0], "turn": 0}`:                     "seat: is missing",
		`{"scores": [0, 0, 0], "turn": 0, "seat": 0}`:       "scores: 3 entries for 2 seats",
		`{"scores": [0, -5], "turn": 0, "seat": 0}`:         "scores[1]: -5 points cannot be held",
		`{"scores": [1, 0], "turn": 0, "seat": 0}`:          "scores[0]: 1 points cannot be held",
		`{"scores": [100, 0], "turn": 0, "seat": 0}`:        "scores[0]: 100 points would have won the game, which is played to 100",
		`{"scores": [0, 0], "turn": 1, "seat": 0}`:          "turn: a turn cannot have 1 points",
		`{"scores": [0, 0], "turn": 2000000000, "seat": 0}`: "turn: a turn cannot have 2000000000 points",
		`{"scores": [0, 0], "turn": 0, "seat": 2}`:          "seat: 2 is not in 0..1",
		`{"scores": [0, 0], "turn": 0, "seat": 300}`:        "seat: 300 is out of range",
		`{"scores": [0, 0], "turn": 0, "seat": 0, "x": 1}`:  "x: unknown key",
	})
}
