package learner

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestNumbersAgainstASet compares the ring with a set of all that was seen.
func TestNumbersAgainstASet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, seen, next := &numbers{}, map[uint64]bool{}, uint64(0)
		for range 300 {
			low := max(next, 2*recentNumbers) - 2*recentNumbers
			number := rapid.OneOf(
				rapid.Uint64Range(low, next+20), rapid.Uint64Range(next, next+3*recentNumbers),
			).Draw(t, "number")
			err := n.take(number)
			if seen[number] || number+recentNumbers < next {
				require.Error(t, err, "%d, next is %d", number, next)
				continue
			}
			require.NoError(t, err, "%d, next is %d", number, next)
			seen[number] = true
			next = max(next, number+1)
		}
	})
}

func TestTheLastNumber(t *testing.T) {
	n := &numbers{}
	require.NoError(t, n.take(math.MaxUint64))
	require.Error(t, n.take(math.MaxUint64))
	require.Error(t, n.take(5))
}
