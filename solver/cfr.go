package solver

import (
	"fmt"
	"math"
)

// checkEvery is how many iterations of CFR+ pass between two looks at the
// exploitability of the average, which costs as much as about ten iterations.
const checkEvery = 100

// CFRPlus is counterfactual regret minimisation plus (Tammelin, "Solving Large
// Imperfect Information Games Using CFR+", arXiv 1407.5042) for a two-player
// zero-sum game: alternating updates, regret matching plus, and an average strategy
// in which iteration t has the weight t.
//
// It works on the sequence form. Counterfactual values of a seat are the payoff
// matrix times the other seat's realisation plan, summed up from the last
// information sets to the first; and the average strategy is the average of
// realisation plans, which is exactly the average weighted by the seat's own reach.
//
// A CFRPlus belongs to one goroutine.
type CFRPlus struct {
	tree       *Tree
	iterations int
	seats      [2]regretMinimiser
}

// regretMinimiser is one seat of CFRPlus. All slices are by sequence of the seat.
type regretMinimiser struct {
	matrix   sparse    // rows: own sequences, columns: the other seat's
	regret   []float64 // cumulative, never negative
	strategy []float64 // current probabilities
	plan     []float64 // realisation plan of strategy
	average  []float64 // sum of t × plan
	value    []float64 // scratch: counterfactual values
}

// NewCFRPlus starts from the uniform strategy. It is an error if the game is not a
// two-player zero-sum game.
func NewCFRPlus(t *Tree) (*CFRPlus, error) {
	name := t.game.Spec().Name
	if len(t.sides) != 2 {
		return nil, fmt.Errorf("solver: CFR+ is for two seats, %s has %d", name, len(t.sides))
	}
	for leaf := range t.leaves {
		if sum := t.sides[0].payoff[leaf] + t.sides[1].payoff[leaf]; math.Abs(sum) > 1e-9 {
			return nil, fmt.Errorf("solver: CFR+ is for zero-sum games, %s is not one", name)
		}
	}
	c := &CFRPlus{tree: t}
	for seat := range c.seats {
		n := t.sides[seat].sequences()
		r := &c.seats[seat]
		r.matrix = newSparse(&t.sides[seat], &t.sides[1-seat])
		r.regret, r.strategy, r.plan = make([]float64, n), make([]float64, n), make([]float64, n)
		r.average, r.value = make([]float64, n), make([]float64, n)
		r.match(&t.sides[seat])
		t.plan(seat, r.strategy, r.plan)
	}
	return c, nil
}

// Iterations returns how many iterations were run.
func (c *CFRPlus) Iterations() int { return c.iterations }

// Run does n iterations without allocating: in each, both seats are updated, one
// after the other.
func (c *CFRPlus) Run(n int) {
	for range n {
		c.iterations++
		for seat := range c.seats {
			r, side := &c.seats[seat], &c.tree.sides[seat]
			r.matrix.multiply(c.seats[1-seat].plan, r.value)
			r.accumulate(side)
			r.match(side)
			c.tree.plan(seat, r.strategy, r.plan)
			weight := float64(c.iterations)
			for q, p := range r.plan {
				r.average[q] += weight * p
			}
		}
	}
}

// accumulate sums the values up from the last information sets to the first and
// adds the regrets of the current strategy, cut off at zero.
func (r *regretMinimiser) accumulate(side *side) {
	for set := len(side.parent) - 1; set >= 0; set-- {
		first, end := side.span(set)
		values, strategy := r.value[first:end], r.strategy[first:end]
		expected := 0.0
		for i, v := range values {
			expected += v * strategy[i]
		}
		regrets := r.regret[first:end]
		for i, v := range values {
			regrets[i] = max(0, regrets[i]+v-expected)
		}
		r.value[side.parent[set]] += expected
	}
}

// match sets the strategy in proportion to the regrets.
func (r *regretMinimiser) match(side *side) {
	r.strategy[0] = 1
	for set := range side.parent {
		first, end := side.span(set)
		proportional(r.regret[first:end], r.strategy[first:end])
	}
}

// proportional scales non-negative weights to the sum 1; without any weight the
// result is uniform.
func proportional(weights, dst []float64) {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	if sum == 0 {
		for i := range dst {
			dst[i] = 1 / float64(len(dst))
		}
		return
	}
	scale := 1 / sum
	for i, w := range weights {
		dst[i] = w * scale
	}
}

// Average returns the average strategy, which converges to an equilibrium. At
// information sets that it never reaches by its own choice it is uniform.
func (c *CFRPlus) Average() *Strategy {
	s := newStrategy(c.tree)
	for seat := range c.seats {
		side := &c.tree.sides[seat]
		for set := range side.parent {
			first, end := side.span(set)
			proportional(c.seats[seat].average[first:end], s.probability[seat][first:end])
		}
	}
	return s
}

// Equilibrium runs CFR+ until the exploitability of the average strategy is at
// most the target, in the game's unit. It is an error if maxIterations are not enough.
func Equilibrium(t *Tree, target float64, maxIterations int) (*Strategy, error) {
	c, err := NewCFRPlus(t)
	if err != nil {
		return nil, err
	}
	for {
		c.Run(min(checkEvery, maxIterations-c.iterations))
		s := c.Average()
		reached := s.Exploitability()
		if reached <= target {
			return s, nil
		}
		if c.iterations >= maxIterations {
			return nil, fmt.Errorf("solver: %s: exploitability is %g after %d iterations of CFR+, the target is %g",
				t.game.Spec().Name, reached, c.iterations, target)
		}
	}
}

// sparse is a matrix in compressed rows.
type sparse struct {
	start  []int32 // by row, its first entry; one more element ends the last row
	column []int32
	value  []float64
}

// newSparse returns the payoff matrix of a seat: an entry for each leaf.
func newSparse(own, other *side) sparse {
	m := sparse{
		start:  make([]int32, own.sequences()+1),
		column: make([]int32, len(own.payoff)),
		value:  make([]float64, len(own.payoff)),
	}
	for _, q := range own.sequence {
		m.start[q+1]++
	}
	for q := range own.sequences() {
		m.start[q+1] += m.start[q]
	}
	next := append([]int32(nil), m.start...)
	for leaf, q := range own.sequence {
		m.column[next[q]], m.value[next[q]] = other.sequence[leaf], own.payoff[leaf]
		next[q]++
	}
	return m
}

// multiply writes the matrix times x to dst.
func (m *sparse) multiply(x, dst []float64) {
	for row := range dst {
		columns := m.column[m.start[row]:m.start[row+1]]
		values := m.value[m.start[row]:m.start[row+1]]
		sum := 0.0
		for i, c := range columns {
			sum += values[i] * x[c]
		}
		dst[row] = sum
	}
}
