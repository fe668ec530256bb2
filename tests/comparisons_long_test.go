//go:build long

package tests

import (
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/agents"
	"croupier/games/standard"
)

// TestRecordedComparisonsHold plays the comparisons that come with the program again, with other
// deals. What the recorded strongest agent gets against each other one must agree with the
// record: the two means differ by less than 1.5 times the sum of their intervals' halves, more
// than four standard errors. Elsewhere the program plays otherwise than when it was compared:
// "make agents".
func TestRecordedComparisonsHold(t *testing.T) {
	for _, entry := range standard.Games.Games() {
		t.Run(entry.Name, func(t *testing.T) {
			game, err := standard.Games.New(entry.Name, nil)
			require.NoError(t, err)
			recorded, _, err := entry.Compared(game)
			require.NoError(t, err)
			strongest := recorded.Agents[0].Name
			for _, other := range recorded.Agents[1:] {
				tournament := agents.Tournament{
					Game: game, Games: recorded.Games, Seed: uint64(recorded.Seed) + 1, Workers: runtime.NumCPU(),
				}
				names := []string{strongest, other.Name}
				fresh, _, err := tournament.Compare(t.Context(), agents.New(game, agents.Sources{Catalog: standard.Games}), names)
				require.NoError(t, err)
				now, _ := fresh.Between(strongest, other.Name)
				before, _ := recorded.Between(strongest, other.Name)
				t.Logf("%s; recorded: %s", fresh.Describe(now), recorded.Describe(before))
				margin := 1.5 * (now.High - now.Low + before.High - before.Low) / 2
				require.Less(t, math.Abs(now.Mean-before.Mean), margin+1e-9, "%s and %s", strongest, other.Name)
			}
		})
	}
}
