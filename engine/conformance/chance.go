package conformance

import (
	"fmt"

	"gonum.org/v1/gonum/stat/distuv"

	"croupier/engine"
)

// requireDistribution checks that the outcomes of a node ascend, have names and positive
// probabilities, and sum to 1.
func (c *suite) requireDistribution(t *trial, s engine.State, outcomes []engine.Outcome, where fmt.Stringer) {
	if len(outcomes) == 0 {
		return
	}
	indices, sum := make([]int, len(outcomes)), 0.0
	for i, o := range outcomes {
		require.Positive(t, o.Probability, "%s: outcome %d", where, o.Index)
		indices[i] = o.Index
		sum += o.Probability
	}
	requireAscending(t, indices, c.spec.Outcomes, where)
	requireNames(t, indices, s.OutcomeName, where)
	require.InDelta(t, 1, sum, 1e-9, "%s: sum of the probabilities", where)
}

// checkChance: SampleChance draws with the probabilities of Outcomes (Pearson's
// chi-square test), and changes nothing but the random stream.
func (c *suite) checkChance(t *trial) {
	rng := engine.NewRNG(3, engine.ChanceStream)
	tested := 0
	c.visit(t, 400, func(s engine.State, past []int) {
		if s.Player() != engine.Chance {
			return
		}
		// Every node of the first games, then every 17th.
		if tested++; tested > 10 && tested%17 != 0 {
			return
		}
		before := c.position(s)
		requireFit(t, s, before.Outcomes, rng, after(past))
		require.Equal(t, before, c.position(s), "%s: SampleChance changed the state", after(past))
	})
	require.Equal(t, c.spec.Outcomes > 0, tested > 0, "chance nodes seen")
}

// requireFit draws from s and compares the counts. The seeds are fixed, so a game
// passes always or never; the level only says how unlikely it is that a correct
// game needs other seeds.
func requireFit(t *trial, s engine.State, outcomes []engine.Outcome, rng *engine.RNG, where fmt.Stringer) {
	const draws, level = 20000, 1e-6
	counts := map[int]float64{}
	for range draws {
		counts[s.SampleChance(rng)]++
	}
	statistic := 0.0
	for _, o := range outcomes {
		expected := draws * o.Probability
		d := counts[o.Index] - expected
		statistic += d * d / expected
		delete(counts, o.Index)
	}
	require.Empty(t, counts, "%s: SampleChance drew outcomes that Outcomes does not list", where)
	if len(outcomes) == 1 {
		return
	}
	limit := distuv.ChiSquared{K: float64(len(outcomes) - 1)}.Quantile(1 - level)
	require.Less(t, statistic, limit, "%s: chi-square of SampleChance against Outcomes", where)
}
