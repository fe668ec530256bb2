package league

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

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
	return c
}

func weights(m *messages.Matchmaking) map[string]float64 {
	out := map[string]float64{}
	for _, o := range m.Opponents {
		out[o.Name] = o.Weight
	}
	return out
}

func TestMatchmakingWithoutResultsIsUniform(t *testing.T) {
	config := testConfig()
	config.Pool, config.TrainOnReferences = 2, true
	table := leagueOf(t, config, 3).matchmaking()
	require.Equal(t, map[string]float64{"main@2": 0.25, "main@3": 0.25, "random": 0.25, "threshold(100)": 0.25}, weights(table))
	require.Equal(t, "main", table.Learner)
	require.Equal(t, config.SelfPlay, table.SelfPlay)
}

func TestMatchmakingWithoutMembersIsSelfPlay(t *testing.T) {
	table := leagueOf(t, testConfig(), 0).matchmaking()
	require.Empty(t, table.Opponents)
	require.Equal(t, 1.0, table.SelfPlay)
}

func TestMatchmakingPrefersWhomTheLearnerLosesTo(t *testing.T) {
	config := testConfig()
	config.Pool = 3
	c := leagueOf(t, config, 3)
	for opponent, share := range map[string]float64{"main@1": 0.8, "main@2": 0.15} {
		m := c.match(newPairKey("main@3", opponent), span{0, 100})
		a, b := 1.0/3, share // main@3 comes second in the pair's order
		mustStep(t, c, resultArrived{1, resultWith(m, a, b, 0.1)})
	}
	mustStep(t, c, tick{})
	w := weights(c.matchmaking())
	require.Less(t, w["main@1"], w["main@3"])
	require.Less(t, w["main@3"], w["main@2"])
	require.InDelta(t, 1, w["main@1"]+w["main@2"]+w["main@3"], 1e-12)
	// A share of 0.8 among two others is a duel won with odds of 8 to 1.
	require.InDelta(t, 8.0/9, c.winRate("main@1"), 0.03)
	require.Equal(t, 0.5, c.winRate("main@3"))
}

func TestPowerZeroIsUniform(t *testing.T) {
	config := testConfig()
	config.PriorityPower = 0
	c := leagueOf(t, config, 2)
	mustStep(t, c, resultArrived{1, resultWith(c.match(newPairKey("main@1", "main@2"), span{0, 50}), 0.1, 0.9, 0.1)})
	mustStep(t, c, tick{})
	require.Equal(t, map[string]float64{"main@1": 0.5, "main@2": 0.5}, weights(c.matchmaking()))
}

func TestOldMembersRetire(t *testing.T) {
	config := testConfig()
	config.Population, config.LadderMembers = 2, 3
	c := leagueOf(t, config, 6)
	require.Equal(t, []string{"main@1", "main@5", "main@6"}, c.active("main@1"), "the newest and the best")
	require.Equal(t, []string{"random", "threshold(100)", "main@1", "main@5", "main@6"}, c.listed("main@1"))
	for _, old := range []string{"main@2", "main@4"} {
		mustStep(t, c, resultArrived{1, resultWith(c.match(newPairKey(old, "random"), span{0, 10}), 0.5, 0.2, 0.1)})
	}
	require.Equal(t, []string{"random", "threshold(100)", "main@1", "main@5", "main@6", "main@4"}, c.listed("main@1"),
		"a retired member with results stays on the ladder, up to its cap")
}
