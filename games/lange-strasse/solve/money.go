package solve

import (
	_ "embed"
	"fmt"
	"math"

	"croupier/catalog"

	"croupier/engine"
	langestrasse "croupier/games/lange-strasse"
	"croupier/internal/stat"
	"croupier/policy"
)

// moneyTable is the output of "croupier solve lange-strasse --money", see
// games/lange-strasse/README.md.
//
//go:embed money.table
var moneyTable []byte

// NewMoney returns a factory of players that maximise their expected money by the values built
// into the program. They are [policy.Valuer].
func NewMoney(game engine.Game) (func() policy.Stochastic, error) {
	if _, ok := game.(*langestrasse.Game); !ok {
		return nil, fmt.Errorf("money: the game is %s, not lange-strasse", game.Spec().Name)
	}
	return ReadPlayer(game, moneyTable)
}

func (v *Values) players() func() policy.Stochastic {
	return func() policy.Stochastic { return newMoneyPlayer(v) }
}

// moneyPlayer solves each of its turns once, at its first decision.
type moneyPlayer struct {
	turn   langestrasse.Turn
	solver *turnSolver
}

func newMoneyPlayer(v *Values) *moneyPlayer {
	return &moneyPlayer{langestrasse.NewTurn(), newTurnSolver(v)}
}

func (p *moneyPlayer) Reset() {}

func (p *moneyPlayer) Choose(state engine.State, _ []int, _ *engine.RNG) int {
	var best langestrasse.Move
	most := float32(math.Inf(-1))
	p.eachMove(state.(*langestrasse.State), func(_ int, m langestrasse.Move, c cell) {
		if c.own > most {
			best, most = m, c.own
		}
	})
	return int(best.Action)
}

func (p *moneyPlayer) Distribution(state engine.State, legal []int, dst []float64) {
	certain(p.Choose(state, legal, nil), legal, dst)
}

// Scale implements [policy.Valuer]. The accuracy is that of float32 in the last turns of a game.
func (p *moneyPlayer) Scale() policy.Scale {
	return policy.Scale{Unit: "units", Risk: "strich", Accuracy: 2e-5}
}

// Settles implements [policy.Settler]: in the turns after which the game is over, or only the last
// turn follows, all values are exact.
func (p *moneyPlayer) Settles(state engine.State) bool {
	s := state.(*langestrasse.State)
	points, _, _ := s.InTurn()
	p.solver.solve(s.Standing(), points/Step-p.row(s))
	return p.solver.exact()
}

// Values writes the expected money of the whole game, including what has been paid so far. The
// intervals reflect the error of the value function, see errors.go; where Settles says so they are
// empty.
func (p *moneyPlayer) Values(state engine.State, _ []int, dst []policy.Value) {
	s := state.(*langestrasse.State)
	paid := float64(s.Money()[s.Standing().Seat]) / unit
	p.eachMove(s, func(i int, m langestrasse.Move, c cell) {
		spread := p.solver.expectimax.spread(p.row(s), m)
		dst[i] = within(paid+float64(c.own), p.solver.valueError(spread))
		dst[i].Risk = float64(c.strich)
	})
}

// Differences implements [policy.Differencer].
func (p *moneyPlayer) Differences(state engine.State, legal []int, base int, dst []policy.Value) {
	s := state.(*langestrasse.State)
	spreads, own := make([]*spread, len(legal)), make([]float64, len(legal))
	p.eachMove(s, func(i int, m langestrasse.Move, c cell) {
		spreads[i], own[i] = p.solver.expectimax.spread(p.row(s), m), float64(c.own)
	})
	for i := range legal {
		dst[i] = within(own[base]-own[i], p.solver.differenceError(spreads[base], spreads[i]))
	}
}

// within returns a value with the 95 % interval of a normally distributed error.
func within(mean, deviation float64) policy.Value {
	half := stat.Z95 * deviation
	return policy.Value{Mean: mean, Low: mean - half, High: mean + half}
}

// eachMove calls f with every legal move and what it is worth.
func (p *moneyPlayer) eachMove(s *langestrasse.State, f func(i int, m langestrasse.Move, c cell)) {
	points, set, throw := s.InTurn()
	row := p.row(s)
	e := p.solver.solve(s.Standing(), points/Step-row)
	for i, m := range p.turn.Moves(set, throw) {
		f(i, m, e.move(p.turn, row, set, m))
	}
}

// row is the row of the expectimax in which the state is: a turn with many points is solved from
// these on.
func (p *moneyPlayer) row(s *langestrasse.State) int {
	points, _, _ := s.InTurn()
	if row := points / Step; row <= rows/2 {
		return row
	}
	return 0
}

// turnSolver solves turns for the money of the game.
type turnSolver struct {
	expectimax *expectimax
	evaluator  *evaluator
	standing   langestrasse.Standing // of the solved turn
	solved     bool
	pending    [ends + 1]pending
	second     *turnSolver // of the second seat's last turn, made when it is needed
	rough      bool        // last turns need not be exact
}

// pending is the end of a turn: money at once, and the row of the value to come.
type pending struct {
	paid money
	row  int // -1: nothing is to be added
	// stage is that of the standing, exact if its value has no error.
	stage int8
}

func newTurnSolver(v *Values) *turnSolver {
	return &turnSolver{expectimax: newExpectimax(), evaluator: newEvaluator(v, ends+1)}
}

// solve solves the turn of the standing for points of finished sets from base steps on. Solving
// the same turn again takes no time.
func (t *turnSolver) solve(s langestrasse.Standing, base int) *expectimax {
	e := t.expectimax
	if t.solved && t.standing == s && e.base == base {
		return e
	}
	t.standing, t.solved, e.base = s, true, base
	if !t.rough {
		e.rows = rowsOf(&s)
	}
	next := s
	for i := range e.last() {
		next = t.end(s, i, int32(base+i)*Step, false)
	}
	next = t.end(s, ends, 0, true)
	t.evaluator.run(next.Seat)
	if t.settlesSecond(&s) {
		t.settleSecond(s)
	}
	for i := range e.last() {
		e.ends[i] = t.cell(i)
	}
	e.lost = t.cell(ends)
	e.lost.strich = 1
	e.solve()
	return e
}

// rowsOf is the number of rows for a turn. In the last round a seat that is far behind counts on points
// that are rare.
func rowsOf(s *langestrasse.Standing) int {
	behind := max(s.Points[0], s.Points[1], s.Points[2]) - s.Points[s.Seat]
	if s.Final() && behind > rows/4*Step {
		return mostRows
	}
	return rows
}

// end notes how the turn may end.
func (t *turnSolver) end(s langestrasse.Standing, i int, points int32, strich bool) langestrasse.Standing {
	settles := t.settlesSecond(&s)
	paid, over := s.EndTurn(points, strich)
	p := &t.pending[i]
	for seat, ct := range paid {
		p.paid[seat] = float32(ct) / unit
	}
	p.row, p.stage = -1, exact
	switch {
	case over:
	case s.Final() && s.Seat == seats-1:
		p.paid.add(sharedLastTurns.value(&s, t.rough))
	case s.Final() && settles: // by settleSecond
		p.stage = secondLast
	default:
		p.row, p.stage = t.evaluator.add(&s), stage(&s)
	}
	return s
}

// exact reports whether all ends of the solved turn have exact values.
func (t *turnSolver) exact() bool {
	all := true
	t.eachEnd(func(int, int, int8) { all = false })
	return all
}

// cell returns the value of an end.
func (t *turnSolver) cell(i int) cell {
	p := &t.pending[i]
	m := p.paid
	if p.row >= 0 {
		for seat, v := range t.evaluator.result(p.row) {
			m[seat] += v
		}
	}
	own := int(t.standing.Seat)
	return cell{own: m[own], next: m[(own+1)%seats]}
}

// of returns what a cell means for all seats if the given one is in turn.
func (c *cell) of(seat int8) (m money) {
	own := int(seat)
	m[own] = c.own
	m[(own+1)%seats] = c.next
	m[(own+2)%seats] = -c.own - c.next
	return m
}

// Exact is what the catalog has of Lange Strasse: the money of the game, and the points of a turn.
var Exact = catalog.Exact{
	Solutions: []catalog.Solution{
		catalog.Solved("solver:money", NewMoney), catalog.Solved("turn-optimum", NewTurnOptimum).OfPart(),
	},
	Formats: []catalog.Format{{Is: IsTable, Read: ReadPlayer}},
	Command: command,
}
