package solver

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/games/kuhn"
	"croupier/policy"
)

func TestEntriesNameWhatIsSeen(t *testing.T) {
	entries := tableOf(t, newTree(t, kuhn.Game{}), policy.Random{}).Entries()
	require.Len(t, entries, 2*6*2)
	var seen []string
	for _, e := range entries {
		require.Equal(t, 0.5, e.Probability)
		if e.Seat == 1 && e.Action == kuhn.Bet {
			seen = append(seen, e.Seen)
			if e.Seen == "? K bet" {
				require.InDelta(t, 2, e.Value, 1e-9)
				require.Equal(t, "call", e.Name)
			}
		}
	}
	require.ElementsMatch(t, []string{"? J check", "? J bet", "? Q check", "? Q bet", "? K check", "? K bet"}, seen)
}

func TestEntriesAreRows(t *testing.T) {
	e := Entry{Seat: 1, Seen: "? K bet", Action: 1, Name: "call", Probability: 0.25, Value: 2}
	require.Equal(t, []string{"1", "? K bet", "1", "call", "0.25", "2"}, e.Cells())
	require.Len(t, e.Cells(), len(EntryColumns))
}

func TestRenderEquilibriumAnswer(t *testing.T) {
	var out strings.Builder
	a := EquilibriumAnswer{Value: -1.0 / 18, Exploitability: 1e-6, Iterations: 100, Seconds: 0.5}
	require.NoError(t, a.Render(&out, "kuhn", "cfr+", "antes"))
	require.Equal(t, "kuhn, cfr+\nvalue of seat 1  -0.055556 antes a game\nexploitability   0.000001 antes a game\n"+
		"iterations       100 in 0.50 s\n", out.String())
}
