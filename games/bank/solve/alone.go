package solve

// alone is what the only seat still active in a round gets when it passes, by stage, bank and
// difference: a bound from below or from above, like the curve at the beginning of the next
// round.
type alone struct {
	next  *curve
	upper bool // the numbers are upper bounds, else lower bounds
	// least is the first difference in the tables.
	least int
	// pass is, by stage - 1 and bank, the values for differences from least on.
	pass [stages][][]float64
}

// newAlone makes room for the differences from least to most.
func newAlone(next *curve, upper bool, least, most int) *alone {
	a := &alone{next: next, upper: upper, least: least}
	for stage := range a.pass {
		a.pass[stage] = newRows(mostBank(stage+1, next.size)+1, most-least+1)
	}
	return a
}

// best bounds what the seat gets when asked with a bank of any size: it banks now, or (from
// above) wins whenever it survives the next roll.
func (a *alone) best(difference, bank int) float64 {
	now := a.next.at(difference + bank)
	if a.upper {
		return max(now, bust*a.next.at(difference)+(1-bust))
	}
	return now
}

// once bounds what the seat gets from a roll after the third, with a bank of any size, for the
// differences from the given one on.
func (a *alone) once(from, bank int, dst []float64) {
	fallen, twice := a.next.from(from), a.next.from(from+2*bank)
	for i := range dst {
		survive := -1.0
		if a.upper {
			survive = bust*fallen[i] + (1 - bust)
		}
		dst[i] = bust*fallen[i] + double*max(twice[i], survive)
	}
	for _, add := range additions {
		now := a.next.from(from + bank + add.points)
		for i := range dst {
			survive := -1.0
			if a.upper {
				survive = bust*fallen[i] + (1 - bust)
			}
			dst[i] += add.probability * max(now[i], survive)
		}
	}
}

// onceAt is once for a single difference.
func (a *alone) onceAt(difference, bank int) float64 {
	v := bust*a.next.at(difference) + double*a.best(difference, 2*bank)
	for _, add := range additions {
		v += add.probability * a.best(difference, bank+add.points)
	}
	return v
}

// safeOnce is onceAt for a roll that cannot bust.
func (a *alone) safeOnce(difference, bank int) float64 {
	v := 0.0
	for _, add := range safeAdditions {
		v += add.probability * a.best(difference, bank+add.points)
	}
	return v
}

// fill writes the values of passing for the differences from the given one on, including those
// that the tables do not hold.
func (a *alone) fill(stage, from, bank int, dst []float64) {
	outside := len(dst)
	if bank < len(a.pass[stage-1]) {
		outside = min(max(a.least-from, 0), len(dst))
		copy(dst[outside:], a.pass[stage-1][bank][max(from, a.least)-a.least:])
	}
	if stage == stages {
		a.once(from, bank, dst[:outside])
		return
	}
	for i := range dst[:outside] {
		dst[i] = a.safeOnce(from+i, bank)
	}
}

// solve fills the tables for width differences from the given one on, from the largest
// bank to the smallest.
func (a *alone) solve(from, width int) {
	size := a.next.size
	// asked is, by bank, what the seat gets when asked at the next stage.
	asked := newRows(2*size+1, width)
	for bank := 2 * size; bank > size; bank-- {
		if isReached(bank, size) {
			a.once(from, bank, asked[bank])
			a.ask(asked[bank], asked[bank], from+bank)
		}
	}
	fallen := a.next.from(from)
	for bank := size; bank > 0; bank-- {
		pass := a.row(stages, bank, from, width)
		roll(asked, bank, fallen, pass)
		a.ask(asked[bank], pass, from+bank)
	}
	for stage := stages - 1; stage > 0; stage-- {
		below := newRows(mostBank(stage, size)+1, width)
		for bank := 1; bank < len(below); bank++ {
			pass := a.row(stage, bank, from, width)
			safeRoll(asked, bank, pass)
			a.ask(below[bank], pass, from+bank)
		}
		asked = below
	}
}

func (a *alone) row(stage, bank, from, width int) []float64 {
	return a.pass[stage-1][bank][from-a.least:][:width]
}

// ask writes the better of passing and of banking, which leads to the differences from banked
// on.
func (a *alone) ask(dst, pass []float64, banked int) {
	now := a.next.from(banked)
	for i, p := range pass {
		dst[i] = max(p, now[i])
	}
}

// isReached reports whether one roll can lead to the bank, which is larger than size, from a
// bank of at most size.
func isReached(bank, size int) bool { return bank%2 == 0 || bank <= size+mostAdd }

// newRows returns a table of zeros.
func newRows(rows, width int) [][]float64 {
	cells, table := make([]float64, rows*width), make([][]float64, rows)
	for i := range table {
		table[i], cells = cells[:width], cells[width:]
	}
	return table
}

// roll writes the mean over a roll after the third; values holds by bank what follows, and
// fallen what follows a bust.
func roll(values [][]float64, bank int, fallen, dst []float64) {
	twice := values[2*bank]
	v0, v1 := values[bank+additions[0].points], values[bank+additions[1].points]
	v2, v3 := values[bank+additions[2].points], values[bank+additions[3].points]
	v4, v5 := values[bank+additions[4].points], values[bank+additions[5].points]
	v6, v7 := values[bank+additions[6].points], values[bank+additions[7].points]
	for i := range dst {
		dst[i] = bust*(fallen[i]+twice[i]) + (2./36)*(v0[i]+v1[i]+v6[i]+v7[i]) + (4./36)*(v2[i]+v3[i]+v4[i]+v5[i])
	}
}

// safeRoll writes the mean over a roll that cannot bust.
func safeRoll(values [][]float64, bank int, dst []float64) {
	clear(dst)
	for _, add := range safeAdditions {
		for i, v := range values[bank+add.points] {
			dst[i] += add.probability * v
		}
	}
}
