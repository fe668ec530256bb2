package solver

import (
	"slices"

	"croupier/engine"
	"croupier/policy"
)

// tremble is the probability with which the other seats are assumed to choose at random when
// inferring what they hold: without it, an information set that they never reach would say
// nothing about that. It changes values by less than 1e-9.
const tremble = 1e-12

// actionValues returns, by seat and sequence, what the sequence's action is worth at its
// information set in the game's unit: the seat's expected return, given all that it knows
// there, if the other seats keep to the strategy and the seat continues with its best response.
// If the strategy is an equilibrium, continuing with the strategy is worth the same.
func (s *Strategy) actionValues() [][]float64 {
	plans, values := s.trembling().plans(), make([][]float64, len(s.probability))
	for seat := range values {
		side := &s.tree.sides[seat]
		values[seat] = s.tree.marginals(seat, plans)
		// reach is the probability of the leaves below a sequence if the seat does everything to get
		// there; it is the same for all actions of an information set.
		reach := s.tree.gather(seat, s.tree.chance, plans)
		for set := len(side.parent) - 1; set >= 0; set-- {
			first, end := side.span(set)
			parent, come := side.parent[set], reach[first]
			values[seat][parent] += slices.Max(values[seat][first:end])
			reach[parent] += come
			for q := first; q < end; q++ {
				values[seat][q] /= come
			}
		}
	}
	return values
}

// trembling mixes the strategy with the uniform one.
func (s *Strategy) trembling() *Strategy {
	t := newStrategy(s.tree)
	for seat, p := range s.probability {
		side := &s.tree.sides[seat]
		for set := range side.parent {
			first, end := side.span(set)
			for q := first; q < end; q++ {
				t.probability[seat][q] = (1-tremble)*p[q] + tremble/float64(end-first)
			}
		}
	}
	return t
}

const (
	// played is the probability from which on an action counts as one that the strategy plays: the
	// average of CFR keeps traces of what its first iterations played.
	played = 0.01
	// rare is the probability below which an information set says nothing of the accuracy: the
	// seats hardly ever come there, so the strategy is hardly fitted to it.
	rare = 1e-6
)

// accuracy returns how far actions that the strategy plays are at most worth less than the best
// one, by their values. In an equilibrium they are worth the same, so this is the error of the
// solution in differences of values.
func (s *Strategy) accuracy(values [][]float64) (worst float64) {
	plans := s.plans()
	for seat := range values {
		side := &s.tree.sides[seat]
		reach := s.tree.gather(seat, s.tree.chance, plans)
		for set := len(side.parent) - 1; set >= 0; set-- {
			first, end := side.span(set)
			parent := side.parent[set]
			reach[parent] += reach[first]
			if reach[first]*plans[seat][parent] < rare {
				continue
			}
			best := slices.Max(values[seat][first:end])
			for q := first; q < end; q++ {
				if s.probability[seat][q] >= played {
					worst = max(worst, best-values[seat][q])
				}
			}
		}
	}
	return worst
}

// valued is a table that also knows what its actions are worth.
type valued struct {
	*table
	values   [][]float64 // see Strategy.actionValues
	accuracy float64     // see Strategy.accuracy
}

// scale is that of exact values of a game: shares of the win where it is won or lost, else returns.
func scale(spec *engine.Spec, accuracy float64) policy.Scale {
	if spec.Payoff == engine.WinLoss {
		return policy.Scale{Unit: "wins", Exact: true, Accuracy: accuracy / (2 * spec.MaxReturn)}
	}
	return policy.Scale{Unit: spec.Unit, Exact: true, Accuracy: accuracy}
}

// inUnit returns the value of an expected return in a game for two, in the unit of [scale].
func inUnit(spec *engine.Spec, v float64) policy.Value {
	if spec.Payoff == engine.WinLoss {
		v = (1 + v/spec.MaxReturn) / 2
	}
	return policy.Value{Mean: v, Low: v, High: v}
}

// Scale reports that values are exact.
func (p *valued) Scale() policy.Scale { return scale(p.strategy.tree.game.Spec(), p.accuracy) }

// Values looks up the values of the actions.
func (p *valued) Values(s engine.State, _ []int, dst []policy.Value) {
	seat, first, end := p.find(s)
	for i, v := range p.values[seat][first:end] {
		dst[i] = inUnit(p.strategy.tree.game.Spec(), v)
	}
}
