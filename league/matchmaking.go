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
// newest member stands for the learner.
func (c *core) opponents() []*messages.Opponent {
	var names []string
	for _, m := range c.members[max(0, len(c.members)-c.config.Pool):] {
		names = append(names, m.Name)
	}
	if c.config.TrainOnReferences {
		names = append(names, c.references...)
	}
	out, total := make([]*messages.Opponent, len(names)), 0.0
	for i, name := range names {
		weight := math.Pow(1-c.winRate(name), c.config.PriorityPower)
		out[i] = &messages.Opponent{Name: name, Weight: weight}
		total += weight
	}
	for _, o := range out {
		o.Weight /= total
	}
	return out
}

// winRate is the newest member's chance in a duel with an opponent, ½ without any
// results: what the ratings predict, corrected by the share among such opponents
// that was measured, at odds that make parity one half.
func (c *core) winRate(opponent string) float64 {
	newest := c.newest()
	if newest == nil || newest.Name == opponent {
		return 0.5
	}
	i, ok := c.standing.index[newest.Name]
	j, known := c.standing.index[opponent]
	if !ok || !known {
		return 0.5
	}
	others := float64(c.spec.Seats - 1)
	difference, _ := c.standing.ratings.difference(i, j)
	f := c.focal(newest.Name, opponent)
	share := sigmoid(difference - math.Log(others))
	share = (f.Share.float() + predictedSets*share) / (float64(f.sets) + predictedSets)
	return share * others / (share*others + 1 - share)
}
