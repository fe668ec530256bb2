package solver

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine/kuhn"
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
