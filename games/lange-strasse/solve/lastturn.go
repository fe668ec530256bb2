package solve

import (
	"math"
	"slices"
	"sync"

	langestrasse "croupier/games/lange-strasse"
)

// The last turn of a game. All that counts is which thresholds its points reach: those that pass
// a seat, half the target (below it a seat pays) and, in the last round that there is, the target.
// Between two thresholds lies a class of points, for which the engine says what each seat wins. The
// turn from some points of finished sets on is the same turn with thresholds that are that much
// nearer, so each combination of thresholds is one row of backward induction, and the rows are
// shared by all turns with the same money ([lastTurns]).
//
// Rows are exact, or rough: those are solved on a grid of distances, with straight lines in between,
// and forget a third threshold more than roughReach steps away. There are far fewer.

const (
	thresholds = 4
	// horizon is the number of steps from which on a threshold counts as out of reach.
	horizon = 240
	// roughReach is the same, in rough rows, of a threshold after two others.
	roughReach = 100
	// never is a threshold that is not reached.
	never = 255
	// lastTurnRows is the number of known rows after which all are forgotten, about 60 MB.
	lastTurnRows = 1 << 20
	// settlePasses solve the turn after the last threshold, whose row leads to itself. Each reduces
	// the error at least fivefold.
	settlePasses = 16
)

// distances are the steps of points to each threshold, ascending: 0 if it is reached.
type distances [thresholds]uint8

// prizes are what the seat in turn wins by class more than with a strich, ct.
type prizes [thresholds + 1]int16

// finish is how the last turn ends under the best play.
type finish struct {
	own     float32 // expected money of the seat in turn beyond that of a strich, units
	classes [thresholds + 1]float32
	strich  float32
	won     float32 // expected money for Lange Strassen, units
}

func (f *finish) addScaled(p float32, g *finish) {
	f.own += p * g.own
	f.strich += p * g.strich
	f.won += p * g.won
	for i := range f.classes {
		f.classes[i] += p * g.classes[i]
	}
}

// lastTurns are the solved rows of last turns, shared by all players.
type lastTurns struct {
	mutex sync.Mutex
	known map[kind]*lastTurnSolver
	rows  int
}

// kind are the last turns that share rows.
type kind struct {
	prizes prizes
	rough  bool
}

var sharedLastTurns = lastTurns{known: map[kind]*lastTurnSolver{}}

// value returns what each seat wins from a standing before the last turn of the game.
func (t *lastTurns) value(s *langestrasse.Standing, rough bool) (m money) {
	payoffs, lost, at := classes(s)
	own := s.Seat
	if rough && at[2] > roughReach {
		at[2], at[3] = never, never
	}
	k := kind{rough: rough}
	for i, payoff := range payoffs {
		k.prizes[i] = int16(payoff[own] - lost[own])
	}
	f := t.finish(k, at)
	for seat := range m {
		sum := f.strich * float32(lost[seat])
		for i, payoff := range payoffs {
			sum += f.classes[i] * float32(payoff[seat])
		}
		m[seat] = sum/unit - f.won/2
	}
	m[own] += f.won * 3 / 2
	return m
}

// classes returns the money that changes hands at the end by class of points, after a strich, and
// the distances of the thresholds.
func classes(s *langestrasse.Standing) (payoffs [thresholds + 1]langestrasse.Money, lost langestrasse.Money,
	at distances) {
	after := *s
	lost, _ = after.EndTurn(0, true)
	after = *s
	payoffs[0], _ = after.EndTurn(0, false)
	own := s.Points[s.Seat]
	needs := []int32{half - own, target - own}
	for seat, points := range s.Points {
		if seat != int(s.Seat) {
			needs = append(needs, tieBroken(points-own, seat < int(s.Seat)))
		}
	}
	slices.Sort(needs)
	n := 0
	for _, points := range needs {
		if points <= 0 || points > horizon*Step {
			continue
		}
		after = *s
		if payoff, _ := after.EndTurn(points, false); payoff != payoffs[n] {
			at[n] = uint8(points / Step)
			n++
			payoffs[n] = payoff
		}
	}
	for i := n; i < thresholds; i++ {
		at[i], payoffs[i+1] = never, payoffs[n]
	}
	return payoffs, lost, at
}

// finish returns how a last turn ends.
func (t *lastTurns) finish(k kind, at distances) finish {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.rows > lastTurnRows {
		clear(t.known)
		t.rows = 0
	}
	solver := t.known[k]
	if solver == nil {
		solver = newLastTurnSolver(k)
		t.known[k] = solver
	}
	before := len(solver.known)
	f := solver.between(at)
	t.rows += len(solver.known) - before
	return f
}

// lastTurnSolver solves rows of one kind of last turn.
type lastTurnSolver struct {
	tree  *tree
	kind  kind
	known map[distances]finish
	// Of the row that is solved: how the turn ends by what is kept, and after each way to fill the
	// set, and the class of a turn that stops with that many steps.
	values []finish
	own    []float32 // the same, of values
	fresh  [maxFill]finish
	class  [maxFill]uint8
}

func newLastTurnSolver(k kind) *lastTurnSolver {
	t := &lastTurnSolver{tree: sharedTree(), kind: k, known: map[distances]finish{}}
	t.values, t.own = make([]finish, len(t.tree.sets)), make([]float32, len(t.tree.sets))
	return t
}

// between returns how a turn ends that has the thresholds before it: of a rough kind from the rows on
// the grid around them.
func (t *lastTurnSolver) between(at distances) (f finish) {
	if !t.kind.rough {
		return t.row(at)
	}
	for i, d := range at {
		step := gridStep(d)
		if d == never || d%step == 0 {
			continue
		}
		below, above := at, at
		below[i] = d - d%step
		above[i] = below[i] + step
		share := float32(d%step) / float32(step)
		lower, upper := t.between(below.sorted()), t.between(above.sorted())
		f.addScaled(1-share, &lower)
		f.addScaled(share, &upper)
		return f
	}
	return t.row(at)
}

// gridStep is the step of the grid at a distance. It is below the points of any filled set, so that a row
// leads to other rows only.
func gridStep(d uint8) uint8 {
	switch {
	case d <= 60:
		return 1
	case d <= 100:
		return 4
	}
	return 5
}

func (d distances) sorted() distances {
	slices.Sort(d[:])
	return d
}

// row returns how a turn ends that has the thresholds before it.
func (t *lastTurnSolver) row(at distances) finish {
	if f, ok := t.known[at]; ok {
		return f
	}
	var f finish
	if at == at.less(horizon) {
		t.known[at] = f
		for range settlePasses {
			t.known[at] = t.roll(at)
		}
		return t.known[at]
	}
	for _, points := range t.tree.fillPoints {
		t.between(at.less(int(points)))
	}
	f = t.roll(at)
	t.known[at] = f
	return f
}

// less returns the distances after that many steps.
func (d distances) less(steps int) distances {
	for i, distance := range d {
		if distance != never {
			d[i] = uint8(max(0, int(distance)-steps))
		}
	}
	return d
}

// class returns the class of a number of steps.
func (d *distances) class(steps uint16) (n int) {
	for n < thresholds && uint16(d[n]) <= steps && d[n] != never {
		n++
	}
	return n
}

// roll solves the sets of a row, of which each way to fill one leads to a known row.
func (t *lastTurnSolver) roll(at distances) finish {
	for points := range t.class {
		t.class[points] = uint8(at.class(uint16(points)))
	}
	for _, points := range t.tree.fillPoints {
		t.fresh[points] = t.between(at.less(int(points)))
	}
	for set := len(t.tree.sets) - 1; set >= 0; set-- {
		v := &t.values[set]
		*v = finish{}
		for i := range t.tree.sets[set] {
			t.branch(v, &t.tree.sets[set][i])
		}
		t.own[set] = v.own
	}
	return t.values[0]
}

// branch adds the best choice of a branch to v. More points are never worth less, so that of the ways
// to stop only the last counts.
func (t *lastTurnSolver) branch(v *finish, b *branch) {
	if b.strich {
		v.strich += b.probability
		return
	}
	most, stop, roll, filled := float32(math.Inf(-1)), -1, -1, -1
	if n := len(b.stops); n > 0 {
		stop = int(t.class[b.stops[n-1]])
		most = float32(t.kind.prizes[stop]) / unit
	}
	for _, set := range b.rolls {
		if own := t.own[set]; own > most {
			most, roll = own, int(set)
		}
	}
	for i, f := range b.fills {
		if own := t.fresh[f.points].own + f.units; own > most {
			most, filled = own, i
		}
	}
	switch {
	case filled >= 0:
		f := &b.fills[filled]
		v.addScaled(b.probability, &t.fresh[f.points])
		v.own += b.probability * f.units
		v.won += b.probability * f.units
	case roll >= 0:
		v.addScaled(b.probability, &t.values[roll])
	default:
		v.own += b.probability * most
		v.classes[stop] += b.probability
	}
}
