package solver

import (
	"fmt"
	"math"
)

// Variant is a member of the family of counterfactual regret minimisation: how it adds up the
// regrets and strategies of the iterations.
type Variant struct {
	name    string
	floor   float64 // cumulative regrets are cut off below it
	regrets bool    // the regrets of iteration t have weight t instead of 1
	average bool    // the strategy of iteration t has weight t in the average instead of 1
}

// The variants. All of them update the seats alternately.
var (
	// Plain is the original (Zinkevich, Johanson, Bowling and Piccione, "Regret
	// Minimization in Games with Incomplete Information", NeurIPS 2007).
	Plain = Variant{name: "cfr", floor: math.Inf(-1)}
	// Linear is linear CFR (Brown and Sandholm, "Solving Imperfect-Information Games via
	// Discounted Regret Minimization", AAAI 2019, arXiv 1809.04040, section 4).
	Linear = Variant{name: "linear", floor: math.Inf(-1), regrets: true, average: true}
	// Plus is CFR+ (Tammelin, "Solving Large Imperfect Information Games Using CFR+",
	// arXiv 1407.5042).
	Plus = Variant{name: "cfr+", average: true}
)

// Name is "cfr", "linear" or "cfr+".
func (v Variant) Name() string { return v.name }

// CFR minimises counterfactual regret in a two-player zero-sum game by full sweeps
// over its tree.
//
// It works on the sequence form. Counterfactual values of a seat are the payoff matrix times
// the other seat's realisation plan, summed from the last information sets to the first. The
// average strategy is the average of realisation plans, which is exactly the average weighted
// by the seat's own reach. The strategy of an iteration is the one after its update.
//
// A CFR belongs to one goroutine.
type CFR struct {
	tree       *Tree
	variant    Variant
	iterations int
	seats      [2]regretMinimiser
}

// regretMinimiser is one seat of CFR. All slices are by sequence of the seat.
type regretMinimiser struct {
	matrix   sparse    // rows: own sequences, columns: the other seat's
	regret   []float64 // cumulative, at least the variant's floor
	strategy []float64 // current probabilities
	plan     []float64 // realisation plan of strategy
	average  []float64 // weighted sum of plans
	value    []float64 // scratch: counterfactual values
}

// NewCFR starts from the uniform strategy. It is an error if the game is not a
// two-player zero-sum game.
func NewCFR(t *Tree, v Variant) (*CFR, error) {
	name := t.game.Spec().Name
	if len(t.sides) != 2 {
		return nil, fmt.Errorf("solver: CFR is for two seats, %s has %d", name, len(t.sides))
	}
	for leaf := range t.leaves {
		if sum := t.sides[0].payoff[leaf] + t.sides[1].payoff[leaf]; math.Abs(sum) > 1e-9 {
			return nil, fmt.Errorf("solver: CFR is for zero-sum games, %s is not one", name)
		}
	}
	c := &CFR{tree: t, variant: v}
	for seat := range c.seats {
		n := t.sides[seat].sequences()
		r := &c.seats[seat]
		r.matrix = newSparse(&t.sides[seat], &t.sides[1-seat])
		r.regret, r.strategy, r.plan = make([]float64, n), make([]float64, n), make([]float64, n)
		r.average, r.value = make([]float64, n), make([]float64, n)
		r.match(&t.sides[seat], v.floor)
		t.plan(seat, r.strategy, r.plan)
	}
	return c, nil
}

// Run does n iterations without allocating: in each, both seats are updated, one
// after the other.
func (c *CFR) Run(n int) {
	for range n {
		c.iterations++
		regretWeight, averageWeight := 1.0, 1.0
		if c.variant.regrets {
			regretWeight = float64(c.iterations)
		}
		if c.variant.average {
			averageWeight = float64(c.iterations)
		}
		for seat := range c.seats {
			r, side := &c.seats[seat], &c.tree.sides[seat]
			r.matrix.multiply(c.seats[1-seat].plan, r.value)
			r.accumulate(side, regretWeight, c.variant.floor)
			r.match(side, c.variant.floor)
			c.tree.plan(seat, r.strategy, r.plan)
			for q, p := range r.plan {
				r.average[q] += averageWeight * p
			}
		}
	}
}

// accumulate sums the values from the last information sets to the first and adds the weighted
// regrets of the current strategy, cut off below the floor.
func (r *regretMinimiser) accumulate(side *side, weight, floor float64) {
	for set := len(side.parent) - 1; set >= 0; set-- {
		first, end := side.span(set)
		values, strategy := r.value[first:end], r.strategy[first:end]
		expected := 0.0
		for i, v := range values {
			expected += v * strategy[i]
		}
		regrets := r.regret[first:end]
		for i, v := range values {
			regrets[i] = max(floor, regrets[i]+weight*(v-expected))
		}
		r.value[side.parent[set]] += expected
	}
}

// match sets the strategy in proportion to the positive regrets.
func (r *regretMinimiser) match(side *side, floor float64) {
	weights := r.regret
	if floor < 0 {
		weights = r.strategy
		for q, regret := range r.regret {
			weights[q] = max(0, regret)
		}
	}
	r.strategy[0] = 1
	for set := range side.parent {
		first, end := side.span(set)
		proportional(weights[first:end], r.strategy[first:end])
	}
}

// proportional scales non-negative weights to sum to 1; if all weights are 0, the result is
// uniform.
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

// Average returns the average strategy, which converges to an equilibrium. It is uniform at
// information sets that its own choices never reach.
func (c *CFR) Average() *Strategy {
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

// On returns the method in the form that [Iteration.Approach] drives.
func (c *CFR) On() Iteration {
	return Iteration{Run: c.Run, Average: c.Average, Every: sweepsBetweenLooks}
}
