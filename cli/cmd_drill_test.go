package cli

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// A drill judges what is typed, counts it, and ends with the sum; the same seed deals the same positions.
func TestDrill(t *testing.T) {
	status, out, errOut := croupier("roll\ndance\nhold\nquit\n", "drill", "pig", "--seed", "7", "--difficulty", "hard")
	require.Zero(t, status, errOut)
	require.Regexp(t, `^Pig, hard, seed 7\.`, out)
	require.Contains(t, out, "It loses 0.0009 win probability: hold is better.")
	require.Contains(t, out, "Rule of thumb: keep-pace (")
	require.Contains(t, out, `"dance" is not a move here`)
	require.Regexp(t, `Decisions: 2, good: 0, streak: 0, longest: 0, lost per decision: 0\.\d{4} win probability\.\n`+
		`Croupier deals the same positions again with --seed 7\.\n$`, out)
	positions := regexp.MustCompile(`(?m)^Position: .*$`)
	_, again, _ := croupier("roll\nhold\n", "drill", "pig", "--seed", "7")
	require.Equal(t, positions.FindAllString(out, -1), positions.FindAllString(again, -1))
	require.Len(t, positions.FindAllString(out, -1), 3)
}

// A good move is praised, also where several are equally good, and a position of one's own is asked about first.
func TestDrillOfAPosition(t *testing.T) {
	status, out, errOut := croupier("roll\n", "drill", "pig", "--seed", "7", ">30 42 | 18")
	require.Zero(t, status, errOut)
	require.Contains(t, out, "Position: >30 42 | 18\n")
	require.Contains(t, out, "\nThe best move.\n")
	require.Contains(t, out, "Decisions: 1, good: 1, streak: 1, longest: 1, lost per decision: 0.0000 win probability.")
	status, out, errOut = croupier("", "drill", "kuhn", "--seed", "1")
	require.Zero(t, status, errOut)
	require.Contains(t, out, "Nothing was decided.")
}

func TestDrillRefuses(t *testing.T) {
	for said, args := range map[string][]string{
		"croupier: tysiac cannot be practised: no agent knows the values of its actions\n": {"drill", "tysiac"},
		"croupier: --difficulty is easy or hard, not \"cruel\"\n":                          {"drill", "pig", "--difficulty", "cruel"},
		"croupier: POSITION: scores: no seat is marked with \">\" as the one to move\n":    {"drill", "pig", "3 4"},
	} {
		require.Equal(t, said, refused(t, 2, args...))
	}
}
