package league

import (
	"math"

	"croupier/messages"
)

// predictedSets is how many measured sets weigh as much as the ratings' prediction.
const predictedSets = 20

// opponents are whom the learner trains against when it does not play itself: the
// newest members, and the references where the configuration says so, weighted by
// (1 - win rate)^p (prioritised fictitious self-play, Vinyals et al. 2019). The
// newest member stands for the learner. Training games are sampled, and so the names are
// plain; how hard an opponent is says its rating where it plays its best.
func (c *core) opponents() []*messages.Opponent {
	var names []string
	var rates []float64
	for _, m := range c.members[max(0, len(c.members)-c.config.Pool):] {
		names, rates = append(names, m.Name), append(rates, c.winRate(c.player(m)))
	}
	if c.config.TrainOnReferences {
		for _, r := range c.references {
			names, rates = append(names, r), append(rates, c.winRate(r))
		}
	}
	out := make([]*messages.Opponent, len(names))
	for i, weight := range priorities(rates, c.config.PriorityPower) {
		out[i] = &messages.Opponent{Name: names[i], Weight: weight}
	}
	return out
}

// priorities are the weights of opponents against whom the learner wins at these
// rates, in proportion to (1 - rate)^power; they sum to 1. The hardest opponent is the
// measure of the others, so that a great power leaves it a weight. Nobody is harder
// than another for a learner that always wins: then all have the same weight.
func priorities(rates []float64, power float64) []float64 {
	hardest := 0.0
	for _, rate := range rates {
		hardest = max(hardest, 1-rate)
	}
	weights, total := make([]float64, len(rates)), 0.0
	for i, rate := range rates {
		weights[i] = 1
		if hardest > 0 {
			weights[i] = math.Pow((1-rate)/hardest, power)
		}
		total += weights[i]
	}
	for i := range weights {
		weights[i] /= total
	}
	return weights
}

// winRate is the newest member's chance in a duel with an opponent, ½ without any
// results: what the ratings predict, corrected by the share among such opponents
// that was measured, at odds that make parity one half.
func (c *core) winRate(opponent string) float64 {
	newest := c.player(c.newest())
	if newest == opponent {
		return 0.5
	}
	i, ok := c.standing.index[newest]
	j, known := c.standing.index[opponent]
	if !ok || !known {
		return 0.5
	}
	others := float64(c.spec.Seats - 1)
	difference, _ := c.standing.ratings.difference(i, j)
	f := c.focal(newest, opponent)
	share := sigmoid(difference - math.Log(others))
	share = (f.Share.float() + predictedSets*share) / (float64(f.sets) + predictedSets)
	return share * others / (share*others + 1 - share)
}
