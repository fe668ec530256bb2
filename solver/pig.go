package solver

import (
	"fmt"
	"math"

	"croupier/engine"
	"croupier/engine/pig"
	"croupier/policy"
)

const (
	// maxPigTarget bounds the time to solve, which grows with the cube of the target,
	// to a few seconds.
	maxPigTarget = 500
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

// NewPig solves Pig under the game's rules and returns a factory of policies that play
// the optimum. It refuses targets that would take too long.
func NewPig(g engine.Game) (func() policy.Stochastic, error) {
	target := g.Rules().(pig.Rules).Target
	if target > maxPigTarget {
		return nil, fmt.Errorf("solver: pig: the optimum is computed for targets up to %d, the target is %d", maxPigTarget, target)
	}
	o := solvePig(target)
	return func() policy.Stochastic { return &pigPolicy{optimum: o, values: o.newTurn()} }, nil
}

// pigPolicy plays the optimum.
type pigPolicy struct {
	optimum *pigOptimum
	values  []float64
	scores  []int64
}

func (p *pigPolicy) Reset() {}

func (p *pigPolicy) Choose(state engine.State, _ []int, _ *engine.RNG) int {
	seat := state.Player()
	p.scores = state.Scores(p.scores[:0])
	if p.optimum.rolls(int(p.scores[seat]), int(p.scores[1-seat]), state.(*pig.State).Turn(), p.values) {
		return pig.Roll
	}
	return pig.Hold
}

func (p *pigPolicy) Distribution(state engine.State, legal []int, dst []float64) {
	clear(dst)
	dst[p.Choose(state, legal, nil)] = 1
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

// iterate solves the beginnings of a turn with two scores, in both orders. Two rounds
// of the iteration are followed by Aitken's extrapolation, which is exact as soon as
// the best actions stand still, because the values are linear then. After a few of
// them the rounds, which are contractions, go on alone.
func (o *pigOptimum) iterate(low, high int, values []float64) {
	const extrapolations = 10
	second := &o.begin[high*o.target+low]
	for n := 0; ; n++ {
		x0 := *second
		o.round(low, high, values)
		x1 := *second
		o.round(low, high, values)
		x2 := *second
		if math.Abs(x2-x1) <= pigTolerance {
			return
		}
		if bend := x2 - 2*x1 + x0; bend != 0 && n < extrapolations {
			*second = min(max(x2-(x2-x1)*(x2-x1)/bend, 0), 1)
		}
	}
}

// round sets the values of both orders, one after the other.
func (o *pigOptimum) round(low, high int, values []float64) {
	o.turn(low, high, 0, values)
	o.begin[low*o.target+high] = values[0]
	o.turn(high, low, 0, values)
	o.begin[high*o.target+low] = values[0]
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
