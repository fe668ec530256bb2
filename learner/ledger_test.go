package learner

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/messages"
	"croupier/messages/conduct"
)

// TestLedgerAccountsForEveryEpisode sends numbered batches, some of which are lost and some
// redelivered, and checks the sum.
func TestLedgerAccountsForEveryEpisode(t *testing.T) {
	chance := &messages.Refusal{Reason: messages.ReasonChance}
	rapid.Check(t, func(t *rapid.T) {
		l := &messages.Ledger{}
		var before, arrived, dropped uint64
		for sequence := uint64(1); sequence <= 20; sequence++ {
			n := rapid.Uint64Range(0, 5).Draw(t, "episodes")
			lose := rapid.Bool().Draw(t, "lose")
			if lose {
				dropped += n
			} else {
				repeated, gap, err := openBatch(l, sequence, before)
				require.NoError(t, err)
				require.False(t, repeated)
				tally := &messages.Ledger{Episodes: gap, Lost: gap}
				for range n {
					book(tally, verdict(rapid.IntRange(int(consumed), int(refused)).Draw(t, "verdict")), chance)
				}
				l.Sequence = sequence
				addLedger(l, tally)
				arrived += n
				require.Equal(t, dropped, l.Lost)
			}
			before += n
			if l.Sequence > 0 {
				repeated, _, err := openBatch(l, rapid.Uint64Range(1, l.Sequence).Draw(t, "again"), 0)
				require.NoError(t, err)
				require.True(t, repeated)
			}
		}
		require.Equal(t, arrived, l.Consumed+l.Stale+l.Refused)
		require.Equal(t, l.Episodes, l.Consumed+l.Stale+l.Refused+l.Lost)
		require.Equal(t, l.Refused, l.RefusedByReason["chance"])
	})
}

func TestImpossibleBatchNumbers(t *testing.T) {
	l := &messages.Ledger{Sequence: 3, Episodes: 100}
	for name, test := range map[string]struct{ sequence, before uint64 }{
		"fewer episodes than before":                   {5, 99},
		"more although none is lost":                   {4, 101},
		"fewer although none is lost":                  {4, 99},
		"the end of all numbers":                       {math.MaxUint64, 100},
		"a jump of a thousand years":                   {1 << 60, 1 << 60},
		"games in a single lost batch that do not fit": {5, 100 + messages.MaxEpisodes + 1},
		"more games than can be lost":                  {1 << 19, 100 + maxGapEpisodes + 1},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := openBatch(l, test.sequence, test.before)
			require.Equal(t, string(messages.ReasonSequence), conduct.ReasonOf(err))
		})
	}
}
