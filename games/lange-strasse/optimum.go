package langestrasse

import (
	"math"
	"sync"
)

// Optimum is the strategy that maximises the expected points of a turn, with its values. It is
// found by exact dynamic programming over the kept dice of the set and the points t of the
// finished sets of the turn.
//
// A filled set adds points, so values for t follow from values for larger t. The recursion
// ends: the points at risk cost t times the chance of losing them, so for large t it is best to
// minimise that chance, and among such strategies to make the most points. The value a·t + b of
// that strategy is linear in t. From some t on no other move is better at any node, and from
// there the line is the exact value. So nothing is cut off, and the only error is the rounding
// of float64.
type Optimum struct {
	tables *tables
	// values holds, by t in steps and set, the value of rolling the remaining dice; lines holds
	// the same for all larger t.
	values [][]value
	lines  []line
}

// value is the expected points of the turn and the chance of a strich.
type value struct{ points, strich float64 }

// line is the value at t points: kept·t + gained, with a strich of 1 - kept.
type line struct{ kept, gained float64 }

func (l line) at(t int) value { return value{l.kept*float64(t) + l.gained, 1 - l.kept} }

// TurnOptimum returns the optimum, which is computed on the first call and shared.
var TurnOptimum = sync.OnceValue(func() *Optimum { return newOptimum(sharedTables()) })

func newOptimum(t *tables) *Optimum {
	o := &Optimum{tables: t}
	o.solveLines()
	rows := o.linesHoldFrom()/step + 1
	o.values = make([][]value, rows)
	for row := rows - 1; row >= 0; row-- {
		o.values[row] = make([]value, len(t.sets))
		for set := len(t.sets) - 1; set >= 0; set-- {
			o.values[row][set] = o.rolled(row*step, set)
		}
	}
	return o
}

// rolled returns the value of rolling the remaining dice of the set.
func (o *Optimum) rolled(t, set int) (v value) {
	for _, roll := range o.tables.odds[o.tables.left[set]] {
		node := o.tables.base[set] + uint16(roll.Index)
		after := value{strich: 1}
		if len(o.tables.at(node)) > 0 {
			_, after = o.choose(t, node)
		}
		v.points += roll.Probability * after.points
		v.strich += roll.Probability * after.strich
	}
	return v
}

// same is the difference of points below which moves count as equally good, so that every
// machine chooses the one with the lowest number.
const same = 1e-8

// choose returns the best move at a node with moves, and its value.
func (o *Optimum) choose(t int, node uint16) (best Move, v value) {
	v.points = math.Inf(-1)
	for _, m := range o.tables.at(node) {
		if w := o.value(t, m); w.points > v.points+same {
			best, v = m, w
		}
	}
	return best, v
}

// value returns what a move is worth.
func (o *Optimum) value(t int, m Move) value {
	if m.Stops() {
		return value{points: float64(t + int(m.Points))}
	}
	if m.Fills() {
		t += int(m.Points)
	}
	if row := t / step; row < len(o.values) {
		return o.values[row][m.Next]
	}
	return o.lines[m.Next].at(t)
}

// solveLines finds the lines by value iteration: within a set from more kept dice to fewer, and
// again for the set that follows a filled one. Such a set is rarely reached, so each pass
// reduces the error at least tenfold.
func (o *Optimum) solveLines() {
	o.lines = make([]line, len(o.tables.sets))
	for range 20 {
		for set := len(o.lines) - 1; set >= 0; set-- {
			o.lines[set] = o.lineOf(set)
		}
	}
}

// lineOf returns the line of rolling the remaining dice of the set.
func (o *Optimum) lineOf(set int) (sum line) {
	for _, roll := range o.tables.odds[o.tables.left[set]] {
		l := o.safest(o.tables.base[set] + uint16(roll.Index))
		sum.kept += roll.Probability * l.kept
		sum.gained += roll.Probability * l.gained
	}
	return sum
}

// line returns the line that a move leads to.
func (o *Optimum) line(m Move) line {
	switch {
	case m.Stops():
		return line{1, float64(m.Points)}
	case m.Fills():
		next := o.lines[0]
		return line{next.kept, next.gained + next.kept*float64(m.Points)}
	}
	return o.lines[m.Next]
}

// level is the difference of chances below which they count as equal.
const level = 1e-12

// safest returns the best line at a node, or the zero line if it has no move.
func (o *Optimum) safest(node uint16) (best line) {
	for _, m := range o.tables.at(node) {
		l := o.line(m)
		if d := l.kept - best.kept; d > level || d > -level && l.gained > best.gained {
			best = l
		}
	}
	return best
}

// linesHoldFrom returns the points from which on no move's line is above the safest one.
func (o *Optimum) linesHoldFrom() int {
	from := 0.0
	for node := range uint16(len(o.tables.first) - 1) {
		best := o.safest(node)
		for _, m := range o.tables.at(node) {
			if l := o.line(m); l.kept < best.kept-level {
				from = max(from, (l.gained-best.gained)/(best.kept-l.kept))
			}
		}
	}
	return int(math.Ceil(from))
}
