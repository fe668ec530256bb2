package solve

import (
	"math"

	langestrasse "croupier/games/lange-strasse"
)

const (
	seats = 3
	unit  = 100 // ct
	// rows is the number of steps of points of finished sets that an expectimax usually covers, and
	// mostRows the greatest.
	rows     = 120
	mostRows = 240
	// beyondRows is how many steps more a turn can end with from the last row: five 1s, 4,000 points.
	beyondRows = 4000 / Step
	// ends is the greatest number of steps of points with which a turn can end.
	ends = mostRows + beyondRows
)

// cell is the expected money to come, in units, for the seat in turn and for the seat after it
// (the third seat gets what makes the sum 0), and the chance of a strich in this turn.
type cell struct {
	own, next, strich float32
	reached           float32 // the probability of coming here, see expectimax.spread
}

func (c *cell) addScaled(p float32, d *cell) {
	c.own += p * d.own
	c.next += p * d.next
	c.strich += p * d.strich
}

// expectimax is one turn solved for the money of the seat in turn, given what all ends of the
// turn are worth. It is exact for up to rows steps of points. Beyond that the rest of the turn
// is taken to be an end with 10 more steps or a strich, with the chances of a player who avoids
// a strich as well as possible.
type expectimax struct {
	tree *tree
	base int        // points of finished sets in row 0, in steps
	rows int        // that are solved, up to mostRows
	ends [ends]cell // by points of the turn in steps, from base; those before last() count
	lost cell       // a strich
	// values holds what rolling is worth, by row and set; fresh holds the same for set 0, also for
	// the rows beyond that filling a set can reach.
	values [mostRows][]cell
	fresh  [mostRows + maxFill]cell
}

// maxFill is one more than the steps of six 1s, 8,000 points.
const maxFill = 8000/Step + 1

func newExpectimax() *expectimax {
	e := &expectimax{tree: sharedTree(), rows: rows}
	all := make([]cell, mostRows*len(e.tree.sets))
	for row := range e.values {
		e.values[row] = all[row*len(e.tree.sets):][:len(e.tree.sets)]
	}
	return e
}

// last is the number of steps of points below which the turn ends.
func (e *expectimax) last() int { return e.rows + beyondRows }

// solve computes values from ends and lost.
func (e *expectimax) solve() {
	for row := e.rows; row < e.rows+maxFill; row++ {
		v := &e.fresh[row]
		*v = cell{}
		v.addScaled(e.tree.beyond, &e.ends[min(row+10, e.last()-1)])
		v.addScaled(1-e.tree.beyond, &e.lost)
	}
	for row := e.rows - 1; row >= 0; row-- {
		for set := len(e.tree.sets) - 1; set >= 0; set-- {
			var sum cell
			for i := range e.tree.sets[set] {
				b := &e.tree.sets[set][i]
				best, units := e.best(row, b)
				sum.addScaled(b.probability, best)
				sum.win(b.probability * units)
			}
			e.values[row][set] = sum
		}
		e.fresh[row] = e.values[row][0]
	}
}

// best returns the best choice of a branch, and the units it wins at once.
func (e *expectimax) best(row int, b *branch) (best *cell, units float32) {
	best = &e.lost
	if b.strich {
		return best, 0
	}
	most := float32(math.Inf(-1))
	ends := e.ends[row:]
	for _, points := range b.stops {
		if end := &ends[points]; end.own > most {
			best, most = end, end.own
		}
	}
	values := e.values[row]
	for _, set := range b.rolls {
		if v := &values[set]; v.own > most {
			best, most = v, v.own
		}
	}
	for _, f := range b.fills {
		if v := &e.fresh[row+int(f.points)]; v.own+f.units > most {
			best, most, units = v, v.own+f.units, f.units
		}
	}
	return best, units
}

// win adds units that the two others pay in equal parts.
func (c *cell) win(units float32) {
	c.own += units
	c.next -= units / 2
}

// move is what a move of the engine is worth in a row.
func (e *expectimax) move(turn langestrasse.Turn, row, set int, m langestrasse.Move) cell {
	v := *e.after(row, m)
	if m.Action == langestrasse.Straight {
		v.win(float32(2*turn.StraightMoney(set)) / unit)
	}
	return v
}

// after is where a move in a row leads.
func (e *expectimax) after(row int, m langestrasse.Move) *cell {
	points := int(m.Points) / Step
	switch {
	case m.Stops():
		return &e.ends[row+points]
	case m.Fills():
		return &e.fresh[row+points]
	}
	return &e.values[row][m.Next]
}

// spread computes how the turn ends if m is made in a row, and the best choices follow.
func (e *expectimax) spread(row int, m langestrasse.Move) *spread {
	e.forget()
	e.after(row, m).reached = 1
	for ; row < e.rows; row++ {
		e.values[row][0].reached += e.fresh[row].reached
		for set := range e.values[row] {
			reached := e.values[row][set].reached
			if reached == 0 {
				continue
			}
			for i := range e.tree.sets[set] {
				b := &e.tree.sets[set][i]
				best, _ := e.best(row, b)
				best.reached += reached * b.probability
			}
		}
	}
	for ; row < e.rows+maxFill; row++ {
		reached := e.fresh[row].reached
		e.ends[min(row+10, e.last()-1)].reached += reached * e.tree.beyond
		e.lost.reached += reached * (1 - e.tree.beyond)
	}
	s := &spread{strich: e.lost.reached}
	for i := range e.last() {
		s.ends[i] = e.ends[i].reached
	}
	return s
}

// forget makes all cells unreached.
func (e *expectimax) forget() {
	e.lost.reached = 0
	for _, cells := range [][]cell{e.ends[:e.last()], e.fresh[:e.rows+maxFill]} {
		for i := range cells {
			cells[i].reached = 0
		}
	}
	for row := range e.rows {
		for set := range e.values[row] {
			e.values[row][set].reached = 0
		}
	}
}
