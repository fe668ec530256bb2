package league

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/messages"
)

// resultWith makes a result of a three-seat game in which every set of the focal
// agent a had the given share, alternately more and less by spread.
func resultWith(m *messages.Match, a, b, spread float64) *messages.Result {
	lineup := func(share float64) *messages.Lineup {
		n := float64(m.Sets)
		return &messages.Lineup{
			Sets: uint64(m.Sets), Games: 3 * uint64(m.Sets), ShareSum: n * share, ShareSquares: n * (share*share + spread*spread),
			GameShareSquares: 3 * n * share, ReturnSquares: n * spread,
		}
	}
	return &messages.Result{Schema: 1, Run: m.Run, Match: m, OneA: lineup(a), OneB: lineup(b)}
}

// gateCase are the shares that main@2 had alone among others, each with 100 sets.
type gateCase struct {
	againstBest       float64
	random, bestOther float64 // main@2's and main@1's share among random
	sets              uint64  // deciding sets that are there
}

func (g gateCase) best(t *testing.T) string {
	config := testConfig()
	config.GateSets, config.ReferenceSets = 100, 100
	c := newTestCore(config, 3, false)
	c.references = []string{"random"}
	mustStep(t, c, memberKnown{&messages.Member{Name: "main@1", Order: 1}})
	mustStep(t, c, memberKnown{&messages.Member{Name: "main@2", Order: 2}})
	apply := func(focal, other string, share float64, sets uint64) {
		k := newPairKey(focal, other)
		a, b := share, 1.0/3
		if k.a != focal {
			a, b = b, a
		}
		require.NoError(t, c.apply(resultWith(c.match(k, span{0, sets}), a, b, 0.25)))
	}
	apply("main@2", "main@1", g.againstBest, g.sets)
	apply("main@2", "random", g.random, 100)
	apply("main@1", "random", g.bestOther, 100)
	return c.champion()
}

func TestGate(t *testing.T) {
	for name, c := range map[string]struct {
		gateCase
		want string
	}{
		"stronger":                         {gateCase{0.45, 0.6, 0.6, 100}, "main@2"},
		"not clearly stronger":             {gateCase{0.36, 0.6, 0.6, 100}, "main@1"},
		"weaker":                           {gateCase{0.2, 0.6, 0.6, 100}, "main@1"},
		"stronger, a set is missing":       {gateCase{0.45, 0.6, 0.6, 99}, "main@1"},
		"stronger, no longer beats random": {gateCase{0.45, 0.36, 0.7, 100}, "main@1"},
		"stronger, beats random by less":   {gateCase{0.45, 0.5, 0.7, 100}, "main@2"},
		"stronger, insignificantly worse":  {gateCase{0.45, 0.6, 0.62, 100}, "main@2"},
	} {
		require.Equal(t, c.want, c.best(t), name)
	}
}

func TestNoBestWithoutMembers(t *testing.T) {
	require.Empty(t, newTestCore(testConfig(), 3, false).champion())
}
