package rating

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Results of the run that grow are compared with the recorded ones again and again, also when there are few and the
// usual outcome is all that has been seen.
func TestRecordedResultsAreNotContradictedByChance(t *testing.T) {
	const pairs, looks, recorded = 2000, 200, 10000
	rng := rand.New(rand.NewPCG(1, 2))
	set := func() float64 { // loses a little, now and then much
		if rng.Float64() < 0.1 {
			return -2
		}
		return 0.1
	}
	grow := func(c comparison, sets int) comparison {
		for range sets {
			c = c.join(comparison{sets: 1, games: 2, resultA: set()})
		}
		return c
	}
	before := grow(comparison{sets: 1, games: 2, resultA: set()}, recorded)
	family := money{variance: before.squares / before.sets, seats: 2, lineups: 2}
	found := 0
	for range pairs {
		own := comparison{sets: 1, games: 2, resultA: set()}
		for range looks {
			own = grow(own, 5)
			if own.contradicts(before, family) {
				found++
				break
			}
		}
	}
	// One in 10,000 would be 0.2 of them: 4 or more have a probability of 0.00006.
	require.Less(t, found, 4, "of %d", pairs)
	own := grow(comparison{sets: 1, games: 2, resultA: set()}, recorded)
	own.resultA = before.resultA + 6*math.Sqrt(2*family.variance/recorded)
	require.True(t, own.contradicts(before, family), "of another game")
}
