// Package solve solves Pig by value iteration: the optimum, which is too large for a tree, and what other players win
// against it.
package solve

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"croupier/catalog"

	"croupier/engine"
	"croupier/games/pig"
	"croupier/policy"
)

const (
	// maxTarget bounds the time to solve, which grows with the cube of the target,
	// to a few seconds.
	maxTarget = 500
	// tolerance is the change of a win probability at which value iteration stops.
	tolerance = 1e-15
	faces     = 6
)

// Optimum is the exact optimum of Pig (Neller and Presser, "Optimal Play of the Dice Game
// Pig", The UMAP Journal 25, 2004): the probability that the seat to move wins, at the
// beginning of its turn. All other values and the optimal actions follow from it by working
// backwards through one turn. It is immutable once solved.
type Optimum struct {
	target int
	begin  []float64 // by own score × target + other score
}

func (o *Optimum) factory() func() policy.Stochastic {
	return func() policy.Stochastic { return &optimal{optimum: o, values: o.newTurn()} }
}

// Tables are the probabilities of winning at the beginning of a turn, by own score × target + other score.
type Tables struct{ Begin []float64 }

// SolveTables solves Pig under the game's rules. It returns a factory of policies that play the optimum, which are
// policy.Valuers, and the tables of which [OptimalOf] makes such policies again. It refuses targets that would take too
// long.
func SolveTables(ctx context.Context, g engine.Game) (func() policy.Stochastic, *Tables, error) {
	o, err := Solve(ctx, g, nil)
	if err != nil {
		return nil, nil, err
	}
	return o.factory(), &Tables{o.begin}, nil
}

// OptimalOf returns a factory of policies that play the optimum, as SolveTables does. It is an error if the tables are
// of another target.
func OptimalOf(g engine.Game, tables *Tables) (func() policy.Stochastic, error) {
	target := g.Rules().(pig.Rules).Target
	if len(tables.Begin) != target*target {
		return nil, fmt.Errorf("solver: pig: the tables have %d scores, the target is %d", len(tables.Begin), target)
	}
	return (&Optimum{target, tables.Begin}).factory(), nil
}

// Solve solves Pig under the game's rules. It refuses targets that would take too long. It calls progress, unless that
// is nil, after the scores of each sum.
func Solve(ctx context.Context, g engine.Game, progress func(done, total int)) (*Optimum, error) {
	target := g.Rules().(pig.Rules).Target
	if target > maxTarget {
		return nil, fmt.Errorf("solver: pig: the optimum is computed for targets up to %d, the target is %d",
			maxTarget, target)
	}
	return solve(ctx, target, progress)
}

// FirstPlayer returns the probability that the seat that begins the game wins.
func (o *Optimum) FirstPlayer() float64 { return o.begin[0] }

// Turn is what to do in a turn with the given scores, and what the turn is worth.
type Turn struct {
	Own   int     `json:"own"`
	Other int     `json:"other"`
	Win   float64 `json:"win"` // probability of winning at the beginning of the turn
	// Roll holds the turn totals at which to roll, as ranges that include both ends.
	Roll [][2]int `json:"roll"`
}

// TurnColumns names the cells of a [Turn].
var TurnColumns = []string{"own", "other", "win", "roll"}

// Cells returns the turn as a row of a table.
func (t Turn) Cells() []string {
	ranges := make([]string, len(t.Roll))
	for i, r := range t.Roll {
		ranges[i] = fmt.Sprintf("%d-%d", r[0], r[1])
	}
	return []string{strconv.Itoa(t.Own), strconv.Itoa(t.Other), fmt.Sprint(t.Win), strings.Join(ranges, " ")}
}

// Turns lists the optimal turns for all scores below the target.
func (o *Optimum) Turns() []Turn {
	turns, values := make([]Turn, 0, len(o.begin)), o.newTurn()
	for own := range o.target {
		for other := range o.target {
			t := Turn{Own: own, Other: other, Win: o.begin[own*o.target+other]}
			o.turn(own, other, 0, values)
			for total := range o.target - own {
				if !(o.roll(own, other, values[total:]) > o.hold(own, other, total)) {
					continue
				}
				if n := len(t.Roll); n > 0 && t.Roll[n-1][1] == total-1 {
					t.Roll[n-1][1] = total
				} else {
					t.Roll = append(t.Roll, [2]int{total, total})
				}
			}
			turns = append(turns, t)
		}
	}
	return turns
}

// optimal plays the optimum.
type optimal struct {
	optimum *Optimum
	values  []float64
	scores  []int64
}

func (p *optimal) Reset() {}

func (p *optimal) Choose(state engine.State, _ []int, _ *engine.RNG) int {
	own, other, total := p.position(state)
	if p.optimum.rolls(own, other, total, p.values) {
		return pig.Roll
	}
	return pig.Hold
}

// position returns the scores of the seat to move and of the other, and the turn total.
func (p *optimal) position(state engine.State) (own, other, total int) {
	seat := state.Player()
	p.scores = state.Scores(p.scores[:0])
	return int(p.scores[seat]), int(p.scores[1-seat]), state.(*pig.State).Turn()
}

func (p *optimal) Distribution(state engine.State, legal []int, dst []float64) {
	clear(dst)
	dst[p.Choose(state, legal, nil)] = 1
}

// Scale reports that values are exact probabilities of winning, and risks the probability of
// losing the turn's points with the next roll.
func (p *optimal) Scale() policy.Scale {
	return policy.Scale{Unit: "wins", Exact: true, Risk: "lost turn"}
}

// Values writes the probability that each action wins against the optimum.
func (p *optimal) Values(state engine.State, legal []int, dst []policy.Value) {
	own, other, total := p.position(state)
	for i, action := range legal {
		v, risk := p.optimum.hold(own, other, total), 0.0
		if action == pig.Roll {
			v, risk = p.optimum.rollFrom(own, other, total, p.values), 1.0/faces
		}
		dst[i] = policy.Value{Mean: v, Low: v, High: v, Risk: risk}
	}
}

// solve iterates the values of the paper's equations. Scores never fall, so a position
// depends only on those with a larger sum of scores and on the same scores with the seats
// exchanged: each pair of positions in turn is iterated until it converges.
func solve(ctx context.Context, target int, progress func(done, total int)) (*Optimum, error) {
	o := &Optimum{target: target, begin: make([]float64, target*target)}
	values := o.newTurn()
	for sum := 2 * (target - 1); sum >= 0; sum-- {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for low := max(0, sum-target+1); 2*low <= sum; low++ {
			o.iterate(low, sum-low, values)
		}
		if progress != nil {
			progress(2*target-1-sum, 2*target-1)
		}
	}
	return o, nil
}

// iterate solves the beginnings of a turn with two scores, in both orders. Two rounds of the
// iteration are followed by Aitken's extrapolation, which is exact once the best actions no
// longer change, because the values are linear then. After a few such steps the rounds, which
// are contractions, continue alone.
func (o *Optimum) iterate(low, high int, values []float64) {
	const extrapolations = 10
	second := &o.begin[high*o.target+low]
	for n := 0; ; n++ {
		x0 := *second
		o.round(low, high, values)
		x1 := *second
		o.round(low, high, values)
		x2 := *second
		if math.Abs(x2-x1) <= tolerance {
			return
		}
		if bend := x2 - 2*x1 + x0; bend != 0 && n < extrapolations {
			*second = min(max(x2-(x2-x1)*(x2-x1)/bend, 0), 1)
		}
	}
}

// round sets the values of both orders, one after the other.
func (o *Optimum) round(low, high int, values []float64) {
	o.turn(low, high, 0, values)
	o.begin[low*o.target+high] = values[0]
	o.turn(high, low, 0, values)
	o.begin[high*o.target+low] = values[0]
}

// newTurn returns a buffer for turn: win probabilities by turn total, with room for
// one roll beyond the target.
func (o *Optimum) newTurn() []float64 { return make([]float64, o.target+faces) }

// turn writes the win probabilities of the seat to move to values, for all turn totals from the
// given one to just beyond the first that wins.
func (o *Optimum) turn(own, other, from int, values []float64) {
	needed := o.target - own
	for i := range faces {
		values[needed+i] = 1
	}
	for total := needed - 1; total >= from; total-- {
		values[total] = max(o.roll(own, other, values[total:]), o.hold(own, other, total))
	}
}

// hold is the win probability after banking a turn total.
func (o *Optimum) hold(own, other, total int) float64 {
	if own+total >= o.target {
		return 1
	}
	return 1 - o.begin[other*o.target+own+total]
}

// roll is the win probability before the die is rolled; values begins at the turn total.
func (o *Optimum) roll(own, other int, values []float64) float64 {
	one := 1 - o.begin[other*o.target+own]
	return (one + values[2] + values[3] + values[4] + values[5] + values[6]) * (1.0 / faces)
}

// rolls reports whether the optimal player rolls; values is scratch. If both actions win
// equally often, the player holds.
func (o *Optimum) rolls(own, other, total int, values []float64) bool {
	return o.rollFrom(own, other, total, values) > o.hold(own, other, total)
}

// rollFrom is roll for any turn total; values is scratch.
func (o *Optimum) rollFrom(own, other, total int, values []float64) float64 {
	if own+total >= o.target { // any roll but a 1 still wins
		return (faces - o.begin[other*o.target+own]) * (1.0 / faces)
	}
	o.turn(own, other, total, values)
	return o.roll(own, other, values[total:])
}

// Exact is what the catalog has of Pig.
var Exact = catalog.Exact{
	Solutions: []catalog.Solution{catalog.Tables(catalog.Optimal, SolveTables, OptimalOf)},
	Command:   command,
}
