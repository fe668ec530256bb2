package advice

import (
	"math"

	"croupier/internal/stat"
)

// crossed is the difference between two actions, where each pair was chosen on one half of the
// games and is valued on the other.
//
// The best of several noisy means is too good: chosen and valued on the same games, the best
// action leads even where all are worth the same. Chosen on other games, its lead is on average
// what the chosen action really leads by, which is at most the lead of the best (cross-fitting;
// Chernozhukov et al., "Double/debiased machine learning", 2018). Where both halves choose alike,
// the difference is that of all games.
type crossed struct{ value, squaredError float64 }

// cross values pairs of actions: pick chooses on the mean results of one half.
func (g *outcomes) cross(means *[2][]float64, pick func(means []float64) (a, b int)) (c crossed) {
	whole, _ := g.weight(all)
	for h, chosen := range means {
		a, b := pick(chosen)
		other := 1 - h
		sum, _ := g.weight(halves[other])
		share := sum / whole
		c.value += share * (g.of(means[other], a) - g.of(means[other], b))
		if a != b {
			c.squaredError += share * share * g.squaredError(halves[other], a, b)
		}
	}
	return c
}

// loss returns how far the action falls short of the best one: the estimate is on average at most
// the true loss, so not above 0 for an action that is as good as any. The interval is for the true
// loss, which is at least 0. It rests on the lead of the best of the other actions, because of an
// action that is the best in both halves the estimate alone would say that it certainly loses
// nothing; its upper end also on the lead in all games, which errs to the other side.
func (g *outcomes) loss(means *[2][]float64, action int) stat.Interval {
	if g.actions == 1 {
		return stat.Interval{}
	}
	if len(g.w) < 2 {
		return stat.Interval{High: g.unit}
	}
	value := g.cross(means, func(m []float64) (int, int) { return top(m, none), action }).value
	lead := g.cross(means, func(m []float64) (int, int) { return top(m, action), action })
	half := min(g.quantile()*math.Sqrt(lead.squaredError), g.unit)
	whole := g.means(all)
	highest := max(lead.value, whole[top(whole, action)]-whole[action])
	return stat.Interval{
		Value: value,
		Low:   min(value, max(0, lead.value-half)),
		High:  max(value, min(g.unit, max(0, highest+half))),
	}
}

// shortfall returns what the agent's own play is worth more than the action, below 0 where it is
// worth less. Neither was chosen for its results, so the difference of their means has no bias.
func (g *outcomes) shortfall(means []float64, action int) stat.Interval {
	if g.habit[action] == 1 {
		return stat.Interval{}
	}
	value := g.of(means, habitual) - means[action]
	half := min(g.quantile()*math.Sqrt(g.squaredError(all, habitual, action)), g.unit)
	return stat.Interval{Value: value, Low: value - half, High: value + half}
}

// spread returns the shortfall of the worst action, which is chosen on one half of the games and
// valued on the other.
func (g *outcomes) spread(means *[2][]float64) float64 {
	if len(g.w) < 2 {
		return 0
	}
	return g.cross(means, func(m []float64) (int, int) { return habitual, bottom(m) }).value
}

// top returns the action with the greatest mean but for the one left out.
func top(means []float64, without int) int {
	best := none
	for a, m := range means {
		if a != without && (best == none || m > means[best]) {
			best = a
		}
	}
	return best
}

func bottom(means []float64) int {
	worst := 0
	for a, m := range means {
		if m < means[worst] {
			worst = a
		}
	}
	return worst
}

// stakes are the shares of its capital that a bettor puts on every sample; the best one depends on
// the size of the loss.
var stakes = [...]float64{1. / 64, 1. / 32, 1. / 16, 1. / 8, 1. / 4, 1. / 2, 1}

// proven is the capital at which a bettor stops.
const proven = 1e12

// doubt bounds the probability of such games if no other action is better than the given one.
//
// For each other action and each stake a bettor with capital 1 bets in every sample that the other
// does better. If none is better, each bet is fair or worse, and the probability that the mean
// capital ever exceeds c is at most 1/c (Ville 1939), for any number of samples and whatever the
// distribution of the results: normal quantiles would be wrong so far out in the tails (Waudby-Smith
// and Ramdas, "Estimating means of bounded random variables by betting", 2024). A weight counts
// relative to the largest.
func (g *outcomes) doubt(action int) float64 {
	capitals := make([][len(stakes)]float64, g.actions)
	for a := range capitals {
		for j := range stakes {
			capitals[a][j] = 1
		}
	}
	heaviest := 0.0
	for _, w := range g.w {
		heaviest = max(heaviest, w)
	}
	bettors, most := float64((g.actions-1)*len(stakes)), 1.0
	for i := 0; i < len(g.w) && most < proven && g.actions > 1; i++ {
		total := 0.0
		for a := range capitals {
			if a == action {
				continue
			}
			won := g.w[i] / heaviest * (g.at(i, a) - g.at(i, action)) / g.unit
			for j, stake := range stakes {
				c := &capitals[a][j]
				*c *= 1 + stake*max(-1, min(won, 1))
				total += *c
			}
		}
		most = max(most, total/bettors)
	}
	return 1 / most
}
