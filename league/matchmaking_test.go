package league

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
	"croupier/league/rating"
	"croupier/league/rating/ratingtest"
	"croupier/messages"
)

// leagueOf returns a core with n members, no results, and its table.
func leagueOf(t *testing.T, config Config, n int) *core {
	c := newTestCore(config, 3, false)
	for i := range n {
		mustStep(t, c, memberKnown{&messages.Member{Name: fmt.Sprintf("main@%d", i+1), Order: uint64(i + 1)}})
	}
	mustStep(t, c, caughtUp{})
	mustStep(t, c, tick{})
	c.trusting = true // results come without having been asked for
	return c
}

func weightsOf(m *messages.Matchmaking) map[string]float64 {
	out := map[string]float64{}
	for _, o := range m.Opponents {
		out[o.Name] = o.Weight
	}
	return out
}

func TestMatchmakingWithoutResultsIsUniform(t *testing.T) {
	config := testConfig()
	config.Pool, config.TrainOnReferences = 2, true
	table := leagueOf(t, config, 3).tables()[0]
	require.Equal(t, map[string]float64{"main@2": 0.25, "main@3": 0.25, "random": 0.25, "threshold(100)": 0.25},
		weightsOf(table))
	require.Equal(t, "main", table.Learner)
	require.Equal(t, config.SelfPlay, table.SelfPlay)
}

func TestMatchmakingWithoutMembersIsSelfPlay(t *testing.T) {
	table := leagueOf(t, testConfig(), 0).tables()[0]
	require.Empty(t, table.Opponents)
	require.Equal(t, 1.0, table.SelfPlay)
}

func TestMatchmakingPrefersWhomTheLearnerLosesTo(t *testing.T) {
	config := testConfig()
	config.Pool = 3
	c := leagueOf(t, config, 3)
	for opponent, share := range map[string]float64{"main@1": 0.8, "main@2": 0.15} {
		m := c.Match(rating.NewKey("main@3", opponent), rating.Span{First: 0, End: 100}, 0)
		a, b := 1.0/3, share // main@3 comes second in the pair's order
		mustStep(t, c, arrival(1, resultWith(m, a, b, 0.1)))
	}
	mustStep(t, c, tick{})
	w := weightsOf(c.tables()[0])
	require.Less(t, w["main@1"], w["main@3"])
	require.Less(t, w["main@3"], w["main@2"])
	require.InDelta(t, 1, w["main@1"]+w["main@2"]+w["main@3"], 1e-12)
	// A share of 0.8 among two others is a duel won with odds of 8 to 1.
	require.InDelta(t, 8.0/9, c.chanceOf("main@3", "main@1"), 0.03)
	require.Equal(t, 0.5, c.chanceOf("main@3", "main@3"))
}

// A learner that wins half a deviation of a game's return from one opponent, and loses as
// much to another, meets them as one with these chances of a normal return above 0.
func TestMatchmakingForMoneyGoesByReturnsOverTheirDeviation(t *testing.T) {
	for _, unit := range []float64{1, 100} {
		spec := *ratingtest.MoneySpec(3)
		spec.MaxReturn *= unit
		config := testConfig()
		config.Pool = 3
		c := newTestCore(config, 3, false)
		c.Results = rating.NewResults(&spec, "run", ratingtest.Rules, rating.Sequential{})
		s := &ratingtest.Simulation{Spec: &spec, Spread: unit, RNG: engine.NewRNG(1, 0),
			Theta: map[string]float64{"main@1": -0.5 * unit, "main@2": 0.5 * unit, "main@3": 0}}
		for i := range 3 {
			mustStep(t, c, memberKnown{&messages.Member{Name: fmt.Sprintf("main@%d", i+1), Order: uint64(i + 1)}})
		}
		mustStep(t, c, caughtUp{})
		c.trusting = true
		mustStep(t, c, arrival(1, s.Play(c.Match(rating.NewKey("main@3", "main@1"), rating.Span{First: 0, End: 1000}, 0))))
		mustStep(t, c, arrival(2, s.Play(c.Match(rating.NewKey("main@3", "main@2"), rating.Span{First: 0, End: 1000}, 0))))
		mustStep(t, c, arrival(3, s.Play(c.Match(rating.NewKey("main@3", "random"), rating.Span{First: 0, End: 1000}, 0))))
		mustStep(t, c, tick{})
		require.InDelta(t, 0.691, c.chanceOf("main@3", "main@1"), 0.02)
		require.InDelta(t, 0.309, c.chanceOf("main@3", "main@2"), 0.02)
		w := weightsOf(c.tables()[0])
		require.InDelta(t, math.Pow(0.309/0.691, 2), w["main@1"]/w["main@2"], 0.03)
		require.InDelta(t, math.Pow(0.5/0.691, 2), w["main@3"]/w["main@2"], 0.04)
	}
}

func TestPowerZeroIsUniform(t *testing.T) {
	config := testConfig()
	config.PriorityPower = 0
	c := leagueOf(t, config, 2)
	mustStep(t, c, arrival(1, resultWith(c.Match(rating.NewKey("main@1", "main@2"), rating.Span{First: 0, End: 50}, 0),
		0.1, 0.9, 0.1)))
	mustStep(t, c, tick{})
	require.Equal(t, map[string]float64{"main@1": 0.5, "main@2": 0.5}, weightsOf(c.tables()[0]))
}

func TestOldMembersRetire(t *testing.T) {
	config := testConfig()
	config.Population, config.LadderMembers = 2, 3
	c := leagueOf(t, config, 6)
	c.best = "main@1"
	require.Equal(t, []string{"main@1", "main@5", "main@6"}, c.active(), "the newest and the best")
	require.Equal(t, []string{"random", "threshold(100)", "main@1"}, c.listed(), "and nobody who has not met a reference")
	for _, old := range []string{"main@2", "main@4", "main@5", "main@6"} {
		mustStep(t, c, arrival(1, resultWith(c.Match(rating.NewKey(old, "random"), rating.Span{First: 0, End: 10}, 0), 0.5,
			0.2, 0.1)))
	}
	require.Equal(t, []string{"random", "threshold(100)", "main@1", "main@5", "main@6", "main@4"}, c.listed(),
		"a retired member with results stays on the ladder, up to its cap")
}

// Whatever the win rates, the weights are a distribution in which no opponent stands
// behind one that is beaten more often; all are alike for a learner that always wins.
func TestPrioritiesAreADistribution(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.OneOf(rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, 1, 1 - 1e-16, 1e-300}))
		rates := rapid.SliceOfN(rate, 1, 20).Draw(t, "rates")
		power := rapid.OneOf(rapid.Float64Range(0, 100), rapid.SampledFrom([]float64{0, 100})).Draw(t, "power")
		weights, sum := Hard.weigh(withChances(rates...), power), 0.0
		for i, w := range weights {
			require.GreaterOrEqual(t, w, 0.0)
			sum += w
			for j := range rates {
				if rates[i] < rates[j] {
					require.GreaterOrEqual(t, w, weights[j])
				}
			}
		}
		require.InDelta(t, 1, sum, 1e-9)
	})
	require.Equal(t, []float64{0.5, 0.5}, Hard.weigh(withChances(1, 1), 2))
	// (1 - rate)^100 is too small for a float64 here; the harder opponent is met all the same.
	require.Equal(t, []float64{1, 0}, Hard.weigh(withChances(0.9999, 0.99999999), 100))
	require.Empty(t, Hard.weigh(nil, 2))
	require.InDeltaSlice(t, []float64{0.25, 0.5, 0.25}, Even.weigh(
		withChances(0.5-math.Sqrt(0.125), 0.5, 0.5+math.Sqrt(0.125)), 7), 1e-12)
	require.Equal(t, []float64{0.5, 0.5}, Even.weigh(withChances(0, 1), 2))
	require.Equal(t, []float64{0.5, 0.5}, Uniform.weigh(withChances(0.1, 0.9), 2))
}

func withChances(chances ...float64) (list []opponent) {
	for _, chance := range chances {
		list = append(list, opponent{chance: chance})
	}
	return list
}

// With opponents in the settings no others are met, by whatever agent, and self-play neither.
func TestMatchmakingAgainstFixedOpponents(t *testing.T) {
	config := testConfig()
	config.Opponents, config.TrainOnReferences = []string{"random", "file:agent.safetensors"}, true
	table := leagueOf(t, config, 3).tables()[0]
	require.Equal(t, map[string]float64{"random": 0.5, "file:agent.safetensors": 0.5}, weightsOf(table))
	require.Zero(t, table.SelfPlay)
	require.NoError(t, config.Validate())
	for _, wrong := range [][]string{{"random", "random"}, {""}, make([]string, maxFixed+1)} {
		config.Opponents, config.References = wrong, nil
		require.ErrorContains(t, config.Validate(), "opponents")
		config.Opponents, config.References = nil, wrong
		require.ErrorContains(t, config.Validate(), "references")
	}
}
