package league

import (
	"math"

	"croupier/messages"
)

// predictedSets is how many measured sets weigh as much as the ratings' prediction.
const predictedSets = 20

// opponents are whom the learner trains against when it does not play itself: the
// newest members, and the references where the configuration says so, weighted by
// (1 - chance)^p (prioritised fictitious self-play, Vinyals et al. 2019). The
// newest member stands for the learner. Training games are sampled, and so the names are
// plain; how hard an opponent is says its rating where it plays its best.
func (c *core) opponents() []*messages.Opponent {
	var names []string
	var chances []float64
	for _, m := range c.members[max(0, len(c.members)-c.config.Pool):] {
		names, chances = append(names, m.Name), append(chances, c.chance(c.player(m)))
	}
	if c.config.TrainOnReferences {
		for _, r := range c.references {
			names, chances = append(names, r), append(chances, c.chance(r))
		}
	}
	out := make([]*messages.Opponent, len(names))
	for i, weight := range priorities(chances, c.config.PriorityPower) {
		out[i] = &messages.Opponent{Name: names[i], Weight: weight}
	}
	return out
}

// priorities are the weights of opponents against whom the learner has these chances,
// in proportion to (1 - chance)^power; they sum to 1. The hardest opponent is the
// measure of the others, so that a great power leaves it a weight. Nobody is harder
// than another for a learner that always wins: then all have the same weight.
func priorities(chances []float64, power float64) []float64 {
	hardest := 0.0
	for _, chance := range chances {
		hardest = max(hardest, 1-chance)
	}
	weights, total := make([]float64, len(chances)), 0.0
	for i, chance := range chances {
		weights[i] = 1
		if hardest > 0 {
			weights[i] = math.Pow((1-chance)/hardest, power)
		}
		total += weights[i]
	}
	for i := range weights {
		weights[i] /= total
	}
	return weights
}

// chance is the newest member's chance to come out ahead of an opponent, ½ without any
// results. It follows from the mean result among such opponents: what the ratings predict,
// corrected by what was measured.
func (c *core) chance(opponent string) float64 {
	newest := c.player(c.newest())
	if newest == opponent {
		return 0.5
	}
	i, ok := c.standing.index[newest]
	j, known := c.standing.index[opponent]
	if !ok || !known {
		return 0.5
	}
	r := c.standing.ratings
	difference, _ := r.difference(i, j)
	predicted, _ := r.family.mean(difference)
	f := c.focal(newest, opponent)
	measured := f.results(float64(f.sets), c.spec).Mean
	weight := float64(f.sets) / float64(f.sets+predictedSets)
	return r.family.chance(predicted + weight*(measured-predicted))
}
