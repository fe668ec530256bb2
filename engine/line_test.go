package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

// noted is a position with a section of each kind.
type noted struct {
	Seat   int8     `json:"seat"`
	Scores []int32  `json:"scores"`
	Round  int      `json:"round"`
	Dice   []int    `json:"dice"`
	Card   string   `json:"card"`
	Moves  []string `json:"moves"`
	Groups [][]int  `json:"groups"`
}

func (n *noted) Sections() []engine.Section {
	return []engine.Section{
		engine.MoverSection(&n.Seat, engine.NumbersSection("scores", &n.Scores)),
		engine.NumberSection("round", &n.Round),
		engine.DiceSection("dice", &n.Dice),
		engine.WordSection("card", &n.Card),
		engine.WordsSection("moves", &n.Moves),
		engine.ListSection("groups", &n.Groups, engine.WriteDice, engine.ReadDice),
	}
}

// Every section is read as it is written, also in quotes; empty ones at the end are left out.
func TestPositionInOneLine(t *testing.T) {
	full := noted{1, []int32{3, -4}, 2, []int{4, 1}, "K", []string{"check", "bet"}, [][]int{{5, 5, 5}, {1}}}
	for line, want := range map[string]noted{
		"3 >-4 | 2 | 4-1 | K | check bet | 5-5-5 1": full,
		">3":           {Scores: []int32{3}},
		">3 | - | 6-2": {Scores: []int32{3}, Dice: []int{6, 2}},
	} {
		for _, text := range []string{line, " " + line + "\n", `"` + line + `"`} {
			var got noted
			require.NoError(t, engine.ReadPosition([]byte(text), &got), text)
			require.Equal(t, want, got, text)
		}
		require.Equal(t, line, engine.WriteLine(&want))
	}
	var got noted
	require.NoError(t, engine.ReadPosition([]byte(">3|-|62"), &got))
	require.Equal(t, []int{6, 2}, got.Dice)
	require.ErrorContains(t, engine.ReadPosition([]byte(`{"seat": 0}`), &got), "scores: is missing", "JSON is read as before")
}

func TestWrongSections(t *testing.T) {
	for line, message := range map[string]string{
		"3 4":                           `scores: no seat is marked with ">" as the one to move`,
		">3 >4":                         `scores: 2 seats are marked`,
		">3 | x":                        `round: "x" is not a whole number`,
		">3 | 1 2":                      `round: "1 2" is more than one number`,
		">99999999999":                  "scores[0]: 99999999999 is out of range",
		">3 | 1 | 4x":                   "dice[1]: 'x' is not a face of a die",
		">3 | 1 | 4 | K Q":              `card: "K Q" is more than one word`,
		">3 | | 4":                      "round: section 2 is empty",
		">3 | - | - | - | - | 5y":       "groups[0][1]: 'y' is not a face",
		">3 | 1 | 1 | K | bet | 1 | no": `it has 7 sections, "no" is too many: there are scores | round`,
	} {
		require.ErrorContains(t, engine.ReadPosition([]byte(line), &noted{}), message, line)
	}
}

func TestListNames(t *testing.T) {
	require.Equal(t, "roll, hold", engine.ListNames([]string{"roll", "hold"}))
	require.Equal(t, "keep 1, roll; hold", engine.ListNames([]string{"keep 1, roll", "hold"}))
}
