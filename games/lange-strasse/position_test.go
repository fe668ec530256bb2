package langestrasse

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine/enginetest"
)

func TestImpossiblePositions(t *testing.T) {
	g, err := New(nil)
	require.NoError(t, err)
	good := string(g.(*Game).ExamplePosition())
	change := func(pairs ...string) string {
		bad := strings.NewReplacer(pairs...).Replace(good)
		require.NotEqual(t, good, bad)
		return bad
	}
	const kept, rolled = `[[5, 5, 5]]`, `[4, 1, 2]`
	enginetest.RequireRefused(t, New, "", map[string]string{
		change(rolled, `[4, 7, 2]`):                                    "available_dice[1]: 7 is not in 1..6",
		change(rolled, `[4, 1]`):                                       "available_dice: 2 dice, but with 3 kept 3 are rolled",
		change(rolled, `[4, 3, 2]`):                                    "available_dice: none of 2-3-4 can be kept: this is a strich",
		change(kept, `[[5, 5]]`):                                       "kept_groups[0]: 2 dice: a single is one die, a group has three or more",
		change(kept, `[[5, 5, 4]]`):                                    "kept_groups[0][2]: a 4 in a group of 5s",
		change(kept, `[[5, 5, 0]]`):                                    "kept_groups[0][2]: 0 is not in 1..6",
		change(kept, `[[3]]`):                                          "kept_groups[0]: a single 3 cannot be kept",
		change(kept, `[[]]`):                                           "kept_groups[0]: 0 dice",
		change(kept, `[[5, 5, 5], [2, 2, 2]]`):                         "kept_groups[1]: a second group leaves no die to roll",
		change(kept, `[[5, 5, 5], [1], [1], [1]]`):                     "kept_groups[3]: no die of the 6 is left to roll",
		change(kept, `[[5, 5, 5, 5, 5, 5, 5, 5]]`):                     "kept_groups[0]: no die of the 6 is left to roll",
		change(`"turn_score": 1500`, `"turn_score": 250`):              "turn_score: finished sets cannot have 250 points",
		change(`"turn_score": 1500`, `"turn_score": 1510`):             "turn_score: finished sets cannot have 1510 points",
		change(`"turn_number": 7`, `"turn_number": 0`):                 "turn_number: 0 is not in 1..200",
		change(`"turn_number": 7`, `"turn_number": 7, "roll": 4`):      "roll: 4 is not in 2..2",
		change(`, "you": true`, ``):                                    `players: the one whose turn it is needs "you": true`,
		change(`"strich": false}`, `"strich": false, "you": true}`):    "players[2].you: it is already the turn of players[1]",
		change(`4550`, `4555`):                                         "players[0].score: no seat can have 4555 points",
		change(`4550`, `250`):                                          "players[0].score: a turn cannot make 250 points",
		change(`6400`, `10050`):                                        "players[2].score: 10050 points would have ended the game with round 6",
		change(`6400`, `1750`):                                         "players[2].score: 1750 points are too few for 6 turns without a strich",
		change(`"turn_number": 7`, `"turn_number": 1`):                 "players[0].score: the player cannot have points yet",
		change(`"strich": false}`, `"strich": false, "money_ct": 50}`): "players: money_ct sums to 50",
		change("\n    {\"score\": 4550, \"strich\": true},", ""):       "players: 2 entries for 3 players",
	})
}

func TestRollTellsTheSuperStrasse(t *testing.T) {
	g, err := New(nil)
	require.NoError(t, err)
	position := func(roll string) string {
		return `{"kept_groups": [[1], [5]], "available_dice": [2, 3, 4, 6], "turn_score": 0, ` + roll + `"turn_number": 1,
			"players":
				[{"score": 0, "strich": false, "you": true}, {"score": 0, "strich": false}, {"score": 0, "strich": false}]}`
	}
	for roll, want := range map[string]string{`"roll": 3, `: "Super Strasse", `"roll": 2, `: "Lange Strasse",
		"": "Lange Strasse"} {
		s, notes, err := g.(*Game).ParsePosition([]byte(position(roll)), nil)
		require.NoError(t, err)
		require.Equal(t, []int{Straight}, s.LegalActions(nil))
		require.Equal(t, want, s.ActionName(Straight))
		require.Len(t, notes, map[bool]int{true: 1}[roll == ""])
	}
}
