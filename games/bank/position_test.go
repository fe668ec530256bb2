package bank

import (
	"strings"
	"testing"

	"croupier/engine/enginetest"
)

func TestImpossiblePositions(t *testing.T) {
	// Each is the good position with a change.
	const good = `{"round": 3, "roll": 4, "dice": [5, 6], "bank": 105, "totals": [200, 120, 0], "seat": 1, "banked": [0], "banked_now": [0]}`
	change := func(from, to string) string {
		bad := strings.Replace(good, from, to, 1)
		if bad == good {
			t.Fatalf("no %s", from)
		}
		return bad
	}
	enginetest.RequireRefused(t, New, "", map[string]string{
		change(`"round": 3`, `"round": 11`):                             "round: 11 is not in 1..10",
		change(`"roll": 4`, `"roll": 0`):                                "roll: 0 is not in 1..10000",
		change(`"seat": 1`, `"in": [0, 1], "seat": 1`):                  "in: it is not [0 1], given banked [0]",
		change(`"seat": 1`, `"seven_ends_round": false, "seat": 1`):     "seven_ends_round: it is not false after roll 4",
		change(`"seat": 1`, `"asked_first_next_roll": 2, "seat": 1`):    "asked_first_next_roll: it is not 2 but 0",
		change(`[5, 6]`, `[5]`):                                         "dice: 1 dice, but a roll has 2",
		change(`[5, 6]`, `[5, 7]`):                                      "dice[1]: 7 is not in 1..6",
		change(`[5, 6]`, `[3, 4]`):                                      "dice: a seven on roll 4 has ended the round",
		change(`"bank": 105`, `"bank": 12`):                             "bank: it cannot be 12: after roll 4 and 5-6 it is in 17..221",
		change(`"bank": 105`, `"bank": 222`):                            "bank: it cannot be 222",
		change(`[5, 6], "bank": 105`, `[2, 2], "bank": 105`):            "bank: 105 is odd, and doubles have just doubled it",
		change(`[5, 6], "bank": 105`, `[2, 2], "bank": 500`):            "bank: it cannot be 500: after roll 4 and 2-2 it is in 12..420",
		change(`"bank": 105`, `"bank": 2000000000000`):                  "bank: it cannot be 2000000000000",
		change(`[200, 120, 0]`, `[200, 120]`):                           "totals: 2 entries for 3 seats",
		change(`[200, 120, 0]`, `[104, 120, 0]`):                        "totals[0]: 104 is less than the bank of 105 that the seat has just banked",
		change(`[200, 120, 0]`, `[200, -1, 0]`):                         "totals[1]: no seat can have -1",
		change(`"round": 3`, `"round": 1`):                              "totals[0]: 200 is impossible in the first round",
		change(`"seat": 1`, `"seat": 3`):                                "seat: 3 is not in 0..2",
		change(`"seat": 1`, `"seat": 0`):                                "seat: it has banked in this round and is not asked",
		change(`"seat": 1`, `"seat": 2`):                                "seat: it cannot be the one that is asked",
		change(`"banked": [0]`, `"banked": [3]`):                        "banked[0]: 3 is not in 0..2",
		change(`"banked": [0]`, `"banked": [0, 0]`):                     "banked[1]: 0 appears twice",
		change(`"banked": [0]`, `"banked": [2]`):                        "banked_now: 0 is not in banked",
		change(`"banked_now": [0]`, `"passed": [0]`):                    "passed: 0 has banked in this round",
		change(`"banked_now": [0]`, `"banked_now": [0], "passed": [1]`): "seat: it has passed and is not asked",
	})
}
