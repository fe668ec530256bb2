package solver

// marginals returns, by sequence of the seat, what the leaves directly after it are worth to
// the seat if the other seats follow their realisation plans and the seat itself takes every
// action on the way.
func (t *Tree) marginals(seat int, plans [][]float64) []float64 {
	return t.gather(seat, t.sides[seat].payoff, plans)
}

// gather adds up, by sequence of the seat, a number for each leaf directly after it times what
// the other seats' plans give the leaf.
func (t *Tree) gather(seat int, number []float64, plans [][]float64) []float64 {
	own := &t.sides[seat]
	values := make([]float64, own.sequences())
	for leaf, value := range number {
		for other, plan := range plans {
			if other != seat {
				value *= plan[t.sides[other].sequence[leaf]]
			}
		}
		values[own.sequence[leaf]] += value
	}
	return values
}

// BestResponse returns the largest expected return that the seat can reach while all other
// seats keep to the strategy, and the strategy with such a best response (pure; the first among
// equally good actions) in the seat's place. It is backward induction over the seat's
// information sets.
func (s *Strategy) BestResponse(seat int) (value float64, response *Strategy) {
	response = newStrategy(s.tree)
	copy(response.probability, s.probability)
	probability := make([]float64, len(s.probability[seat]))
	probability[0] = 1
	response.probability[seat] = probability

	side := &s.tree.sides[seat]
	values := s.tree.marginals(seat, s.plans())
	for set := len(side.parent) - 1; set >= 0; set-- {
		best, end := side.span(set)
		for q := best + 1; q < end; q++ {
			if values[q] > values[best] {
				best = q
			}
		}
		probability[best] = 1
		values[side.parent[set]] += values[best]
	}
	return values[0], response
}

// Exploitability returns NashConv divided by the number of seats: how much a seat
// gains on average by changing alone to its best response, in the game's unit. It
// is 0 exactly in a Nash equilibrium.
func (s *Strategy) Exploitability() float64 {
	gain := 0.0
	for seat, value := range s.Values() {
		best, _ := s.BestResponse(seat)
		gain += best - value
	}
	return gain / float64(len(s.probability))
}
