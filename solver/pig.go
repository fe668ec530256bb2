package solver

import (
	"math"
)

const (
	// pigTolerance is the change of a win probability at which value iteration stops.
	pigTolerance = 1e-15
	pigFaces     = 6
)

// pigOptimum is the exact optimum of Pig (Neller and Presser, "Optimal Play of the
// Dice Game Pig", The UMAP Journal 25, 2004): the probability that the seat to move
// wins, at the beginning of its turn. All other values and the optimal actions follow
// from it by going through one turn backwards. It is immutable once solved.
type pigOptimum struct {
	target int
	begin  []float64 // by own score × target + other score
}

// solvePig iterates the values of the paper's equations. Scores never fall, so that a
// position depends only on those with a larger sum of scores and on the same scores
// with the seats exchanged: pair after pair of positions is iterated until it stands
// still.
func solvePig(target int) *pigOptimum {
	o := &pigOptimum{target: target, begin: make([]float64, target*target)}
	values := o.newTurn()
	for sum := 2 * (target - 1); sum >= 0; sum-- {
		for low := max(0, sum-target+1); 2*low <= sum; low++ {
			o.iterate(low, sum-low, values)
		}
	}
	return o
}

// iterate solves the beginnings of a turn with two scores, in both orders.
func (o *pigOptimum) iterate(low, high int, values []float64) {
	first, second := &o.begin[low*o.target+high], &o.begin[high*o.target+low]
	for change := 1.0; change > pigTolerance; {
		before := *first
		o.turn(low, high, 0, values)
		*first = values[0]
		o.turn(high, low, 0, values)
		*second = values[0]
		change = math.Abs(*first - before)
	}
}

// newTurn returns a buffer for turn: win probabilities by turn total, with room for
// one roll beyond the target.
func (o *pigOptimum) newTurn() []float64 { return make([]float64, o.target+pigFaces) }

// turn writes the win probabilities of the seat to move to values, for all turn totals
// up to the first that wins and beyond, down to the given one.
func (o *pigOptimum) turn(own, other, from int, values []float64) {
	needed := o.target - own
	for i := range pigFaces {
		values[needed+i] = 1
	}
	for total := needed - 1; total >= from; total-- {
		values[total] = max(o.roll(own, other, values[total:]), o.hold(own, other, total))
	}
}

// hold is the win probability after banking a turn total that does not win yet.
func (o *pigOptimum) hold(own, other, total int) float64 {
	return 1 - o.begin[other*o.target+own+total]
}

// roll is the win probability before the die is rolled; values begins at the turn total.
func (o *pigOptimum) roll(own, other int, values []float64) float64 {
	one := 1 - o.begin[other*o.target+own]
	return (one + values[2] + values[3] + values[4] + values[5] + values[6]) * (1.0 / pigFaces)
}

// rolls tells whether the optimal player rolls; values is scratch. Where both actions
// win equally often it holds.
func (o *pigOptimum) rolls(own, other, total int, values []float64) bool {
	if own+total >= o.target {
		return false
	}
	o.turn(own, other, total, values)
	return o.roll(own, other, values[total:]) > o.hold(own, other, total)
}

// residual is by how much the values miss their equations at most.
func (o *pigOptimum) residual() float64 {
	largest, values := 0.0, o.newTurn()
	for own := range o.target {
		for other := range o.target {
			o.turn(own, other, 0, values)
			largest = max(largest, math.Abs(o.begin[own*o.target+other]-values[0]))
		}
	}
	return largest
}
