//go:build nightly

package load

import (
	"crypto/sha256"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Many actors all get each version of the weights, whole, and the learner accepts what every one of them sends.
func TestManyActors(t *testing.T) {
	const actors, versions = 100, 3
	f := newFabric(t, actors)
	type arrival struct {
		actor int
		sum   [sha256.Size]byte
	}
	arrived := make(chan arrival, actors)
	stop := f.follow(t.Context(), func(actor int, weights []byte) { arrived <- arrival{actor, sha256.Sum256(weights)} })
	for number := range versions {
		sum := f.version(t.Context(), number)
		seen := map[int]bool{}
		for len(seen) < actors {
			a := <-arrived
			require.Equal(t, sum, a.sum)
			require.False(t, seen[a.actor], "each of them once")
			seen[a.actor] = true
		}
	}
	require.NoError(t, stop())

	heard := map[string]bool{}
	f.learn(t.Context(), func(actor string, _ int) bool {
		heard[actor] = true
		return len(heard) == actors
	})
}

// People at many tables play their games to the end at the same time, each with a stream of its own.
func TestManyPeople(t *testing.T) {
	const tables = 10
	page := newPage(t, 0)
	var playing sync.WaitGroup
	for range tables {
		playing.Go(func() { page.game(t.Context()) })
	}
	playing.Wait()
	require.NoError(t, page.failed())
	require.Equal(t, tables, page.games)
	require.Greater(t, len(page.latencies), tables*seatsAtTable, "everybody has moved")
}
