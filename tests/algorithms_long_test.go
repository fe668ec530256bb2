//go:build long

package tests

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/stat"
)

// The comparison of the algorithms (docs/explain/algorithms/dqn.md) can be made longer or of
// other games and seeds.
var (
	compareGames = flag.String("compare.games", "bank,pig", "games on which the algorithms are compared")
	compareFor   = flag.Duration("compare.for", 3*time.Minute, "length of each run")
	compareSeeds = flag.Int("compare.seeds", 5, "runs of each algorithm, with the seeds 1, 2, …")
	comparePlay  = flag.String("compare.play", "3000", "games against each opponent")
)

// opponents of each game in the comparison.
var opponents = map[string][]string{
	"bank": {"random", "threshold(100)", "rolls(6)", "leader-chaser"},
	"pig":  {"random", "hold(20)", "solver:optimal"},
}

// TestPPOAndDQN trains both algorithms for the same time, one run after the other with
// the seeds interleaved, so that what else the machine does falls on both alike. It prints
// the mean share of wins over the seeds with its 95 % interval, and that of the
// difference, seed by seed.
func TestPPOAndDQN(t *testing.T) {
	algorithms := []string{"ppo", "dqn"}
	for _, game := range strings.Split(*compareGames, ",") {
		require.Contains(t, opponents, game)
		shares := map[string]map[string][]float64{} // by opponent, algorithm and seed
		for _, o := range opponents[game] {
			shares[o] = map[string][]float64{}
		}
		for seed := 1; seed <= *compareSeeds; seed++ {
			for _, algorithm := range algorithms {
				r := train(t, game, compareFor.String(), "--algo", algorithm, "--seed", fmt.Sprint(seed))
				for _, o := range opponents[game] {
					shares[o][algorithm] = append(shares[o][algorithm], r.arena(t, r.newest(), o, *comparePlay).ShareA)
				}
			}
		}
		table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintf(table, "%s, %v, %d seeds\tppo\tdqn\tdqn - ppo\n", game, *compareFor, *compareSeeds)
		for _, o := range opponents[game] {
			ppo, dqn := shares[o]["ppo"], shares[o]["dqn"]
			difference := make([]float64, len(ppo))
			for i := range ppo {
				difference[i] = dqn[i] - ppo[i]
			}
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", o, meanWithInterval(ppo), meanWithInterval(dqn), meanWithInterval(difference))
		}
		require.NoError(t, table.Flush())
		for _, algorithm := range algorithms {
			require.Greater(t, stat.Of(shares["random"][algorithm]).Mean, 0.9, "%s: %s has not learnt", game, algorithm)
		}
	}
}

// meanWithInterval is a mean with its 95 % interval by Student's t distribution; of one
// value the mean alone.
func meanWithInterval(values []float64) string {
	m := stat.Of(values)
	i, ok := m.Student()
	if !ok {
		return fmt.Sprintf("%.3f", m.Mean)
	}
	return fmt.Sprintf("%.3f (%.3f … %.3f)", i.Value, i.Low, i.High)
}
