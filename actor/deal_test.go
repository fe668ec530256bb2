package actor

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// count returns how many workers each agent is dealt.
func count(agents []Agent, workers int, id string, every bool) []int {
	counts := make([]int, len(agents))
	for _, i := range deal(agents, workers, id, every) {
		counts[i]++
	}
	return counts
}

func TestDealBySharesOverManyProcesses(t *testing.T) {
	agents := []Agent{{"main", 2}, {"x", 1}, {"y", 0.5}}
	const processes = 4000
	for _, workers := range []int{1, 2, 4, 7} {
		sums := make([]float64, len(agents))
		for p := range processes {
			counts := count(agents, workers, fmt.Sprintf("actor-%d", p), false)
			total := 0
			for i, n := range counts {
				quota := agents[i].Share / 3.5 * float64(workers)
				require.InDelta(t, quota, n, 1, "rounded up or down")
				sums[i] += float64(n)
				total += n
			}
			require.Equal(t, workers, total)
		}
		for i, a := range agents {
			require.InDelta(t, a.Share/3.5, sums[i]/processes/float64(workers), 0.03, "%d workers, %s", workers, a.Name)
		}
	}
}

// Actors whose keys are numbered, as in a small cluster, leave no agent without a worker, whatever their name is.
func TestDealToFewNumberedProcesses(t *testing.T) {
	agents := []Agent{{"main", 2}, {"hunter", 1}}
	for _, c := range []struct{ processes, workers, least, most int }{{2, 2, 1, 2}, {5, 1, 1, 2}, {8, 1, 2, 4}, {6, 4, 7, 9}} {
		for stem := range 50 {
			for first := range 20 {
				hunters := 0
				for p := range c.processes {
					hunters += count(agents, c.workers, fmt.Sprintf("actor%c-%d", 'a'+stem, first+p), false)[1]
				}
				require.GreaterOrEqual(t, hunters, c.least, "%v %d %d", c, stem, first)
				require.LessOrEqual(t, hunters, c.most, "%v %d %d", c, stem, first)
			}
		}
	}
}

func TestDealToEvery(t *testing.T) {
	agents := []Agent{{"main", 100}, {"x", 1}, {"y", 1}}
	for p := range 50 {
		id := fmt.Sprintf("actor-%d", p)
		require.Equal(t, []int{1, 1, 1}, count(agents, 3, id, true))
		require.Equal(t, []int{8, 1, 1}, count(agents, 10, id, true))
	}
	require.Equal(t, []int{5}, count(agents[:1], 5, "a", true))
	require.Equal(t, []int{5}, count(agents[:1], 5, "a", false))
}
