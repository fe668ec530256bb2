//go:build long

package tests

import (
	"flag"
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/internal/stat"
	"croupier/messages"
	"croupier/policy"
)

var searchSeeds = flag.Int("search.seeds", 3, "networks of each game, trained with the seeds 1, 2, …")

// searched are the games that can be searched: how long a network trains, and the games that
// its search plays against each opponent.
var searched = []struct{ game, length, games string }{
	{"pig", "1m", "4000"}, {"bank", "1m", "900"}, {"lange-strasse", "1m", "300"},
	{"tysiac-hand", "1m", "400"}, {"bank-cards", "1m", "400"}, {"tysiac", "2m", "40"},
}

// TestSearchIsNotWorseThanItsNetwork plays the search of each network against the network, greedy
// and sampled. A mean return below 0 fails in two cases, each of which falls on searches that
// are all as good as their networks with a probability of at most 1 %: one comparison is below 0
// by that many standard errors that any of them is in 1 of 100 times (Bonferroni), or all against
// one kind of opponent together are (their z-scores summed, Stouffer 1949).
func TestSearchIsNotWorseThanItsNetwork(t *testing.T) {
	const errorRate = 0.01
	opponents := []string{"greedy:", ""}
	worst := normalQuantile(errorRate / float64(len(searched)**searchSeeds*len(opponents)))
	sums, n := map[string]float64{}, 0
	for _, s := range searched {
		for seed := range *searchSeeds {
			r := train(t, s.game, s.length, "--seed", strconv.Itoa(seed+1))
			_, network, err := policy.CutTemperature(r.newest())
			require.NoError(t, err)
			n++
			for _, opponent := range opponents {
				z := score(r.arena(t, "search:"+network, opponent+network, s.games))
				sums[opponent] += z
				require.Greater(t, z, worst, "%s, seed %d, against %s%s", s.game, seed+1, opponent, network)
			}
		}
	}
	for _, opponent := range opponents {
		z := sums[opponent] / math.Sqrt(float64(n))
		t.Logf("all against %q: z = %+.2f", opponent, z)
		require.Greater(t, z, normalQuantile(errorRate/float64(len(opponents))), "all against %q", opponent)
	}
}

// TestSearchBeatsOpenCards plays the network of Tysiąc that comes with the program, looking ahead, against the bot that
// solves as many deals with open cards as take it the same time.
func TestSearchBeatsOpenCards(t *testing.T) {
	p := arena(t, "search(32,8):trained", "pimc(24)", "--game", "tysiac", "--games", "400")
	require.Greater(t, p.ShareLow, 0.55)
}

// score is the mean return of the first agent in standard errors. Games that all ended the same
// say nothing.
func score(p messages.Payoff) float64 {
	if p.High == p.Low {
		return 0
	}
	return p.MeanReturnA / stat.Interval{Value: p.MeanReturnA, Low: p.Low, High: p.High}.StandardError()
}

// normalQuantile is that of the standard normal distribution.
func normalQuantile(probability float64) float64 {
	return math.Sqrt2 * math.Erfinv(2*probability-1)
}
