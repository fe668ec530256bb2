package solve

import (
	"context"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
)

// round is what a seat is sure to get in a round, and how, from the seat's own point of view:
// differences are its points less the other's.
type round struct {
	next *curve // what the seat is sure to get after the round
	// own and other are what the seats get alone, each from its own point of view: own
	// from below, other from above.
	own, other *alone
	plan       *plan
	value      []float64 // the curve at the beginning of the round
}

// chunk is the number of differences computed at a time.
const chunk = 64

// solveRound computes a round for all differences, on all cores. opens reports whether the seat is
// asked first after the first roll.
func solveRound(ctx context.Context, next *curve, repoll, opens bool) (*round, error) {
	size := next.size
	r := &round{
		next: next, own: newAlone(next, false, -size, size), other: newAlone(next.mirror(), true, -size, size),
		plan: newPlan(size), value: make([]float64, 2*size+1),
	}
	err := r.chunks(ctx, func(from, width int) {
		r.own.solve(from, width)
		r.other.solve(from, width)
		r.noteLone(from, width)
	})
	if err != nil {
		return nil, err
	}
	if repoll {
		copy(r.value, next.from(-size)) // see race
		return r, nil
	}
	return r, r.chunks(ctx, func(from, width int) { r.solveBoth(from, width, opens) })
}

// noteLone writes the decisions of a seat that is alone.
func (r *round) noteLone(from, width int) {
	for stage := 1; stage <= stages; stage++ {
		for bank := mostBank(stage, r.next.size); bank > 0; bank-- {
			now, pass := r.next.from(from+bank), r.own.row(stage, bank, from, width)
			for i := range width {
				r.plan.note(lone, stage, from+i, bank, isEnough(now[i], pass[i]))
			}
		}
	}
}

// isEnough reports whether a seat that is alone banks: it does if waiting gains nothing, unless
// banking loses the game.
func isEnough(now, pass float64) bool { return now >= pass && now > -1 }

// chunks calls f for all differences.
func (r *round) chunks(ctx context.Context, f func(from, width int)) error {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	size := r.next.size
	for from := -size; from <= size; from += chunk {
		group.Go(func() error {
			if ctx.Err() == nil {
				f(from, min(chunk, size+1-from))
			}
			return ctx.Err()
		})
	}
	return group.Wait()
}

// both holds, for some differences, what the seat is sure to get while both are active.
type both struct {
	*round
	from, width int
	// asked is, by the seat that is asked first (0 the seat itself, 1 the other) and bank, the
	// value when that seat is asked at a stage.
	asked [2][][]float64
	level []float64 // the values if both bank, or the bank is lost
	// Scratch: the values if one of the seats banks and the other passes; and if both
	// pass, by the seat that is asked first.
	otherAlone, ownAlone []float64
	passed               [2][]float64
}

func (r *round) newBoth(from, width int) *both {
	b := &both{
		round: r, from: from, width: width, level: r.next.from(from),
		otherAlone: make([]float64, width), ownAlone: make([]float64, width),
	}
	for opener := range b.asked {
		b.asked[opener] = newRows(2*r.next.size+1, width)
		b.passed[opener] = make([]float64, width)
	}
	return b
}

// solveBoth fills values and plan for some differences.
func (r *round) solveBoth(from, width int, opens bool) {
	b := r.newBoth(from, width)
	b.sweep(func(stage, bank int) {
		for i := range width {
			for _, role := range []role{first, second} {
				banked, passed := b.choice(role, i)
				r.plan.note(role, stage, from+i, bank, banked > passed)
			}
		}
	})
	opener := 1
	if opens {
		opener = 0
	}
	safeRoll(b.asked[opener], 0, r.value[from+r.next.size:][:width])
}

// sweep goes through all stages and banks, from last to first, and calls visit when the scratch
// holds the values of one. It leaves the values of the first stage in place.
func (b *both) sweep(visit func(stage, bank int)) {
	size := b.next.size
	for bank := 2 * size; bank > size; bank-- {
		if isReached(bank, size) {
			b.beyond(bank)
		}
	}
	for bank := size; bank > 0; bank-- {
		b.banked(stages, bank)
		for opener := range 2 { // the seat that passes first now is asked second after the next roll
			roll(b.asked[1-opener], bank, b.level, b.passed[opener])
		}
		b.ask(b.asked, bank)
		visit(stages, bank)
	}
	for stage := stages - 1; stage > 0; stage-- {
		var below [2][][]float64
		for opener := range below {
			below[opener] = newRows(mostBank(stage, size)+1, b.width)
		}
		for bank := mostBank(stage, size); bank > 0; bank-- {
			b.banked(stage, bank)
			for opener := range 2 {
				safeRoll(b.asked[1-opener], bank, b.passed[opener])
			}
			b.ask(below, bank)
			visit(stage, bank)
		}
		b.asked = below
	}
}

// banked sets the values if one seat banks and the other passes.
func (b *both) banked(stage, bank int) {
	b.own.fill(stage, b.from-bank, bank, b.ownAlone)
	last := b.from + b.width - 1
	b.other.fill(stage, -last-bank, bank, b.otherAlone)
	slices.Reverse(b.otherAlone)
	for i, v := range b.otherAlone {
		b.otherAlone[i] = -v
	}
}

// choice returns what the seat gets if it banks, and if it passes.
func (b *both) choice(r role, i int) (banked, passed float64) {
	if r == first {
		return min(b.level[i], b.otherAlone[i]), min(b.ownAlone[i], b.passed[0][i])
	}
	return b.otherAlone[i], b.passed[1][i]
}

// answer returns what the seat gets if the other banks, and if it passes.
func (b *both) answer(r role, i int) (banked, passed float64) {
	if r == first {
		return max(b.level[i], b.ownAlone[i]), max(b.otherAlone[i], b.passed[1][i])
	}
	return b.ownAlone[i], b.passed[0][i]
}

// ask writes what the seat gets, for either seat being asked first.
func (b *both) ask(dst [2][][]float64, bank int) {
	for i := range b.width {
		dst[0][bank][i] = max(b.choice(first, i))
		dst[1][bank][i] = min(b.answer(first, i))
	}
}

// beyond writes lower bounds for a bank that the tables do not hold: the seat banks as soon as
// it is asked, or waits.
func (b *both) beyond(bank int) {
	b.banked(stages, bank)
	for i := range b.width {
		wait := b.wait(b.from+i, bank)
		b.asked[0][bank][i] = max(min(b.level[i], b.otherAlone[i]), wait)
		b.asked[1][bank][i] = max(min(max(b.level[i], b.ownAlone[i]), b.otherAlone[i]), wait)
	}
}

// wait bounds from below what the seat gets if it passes, with that bank and all larger
// ones, until the other has banked, then rolls once more and banks.
func (r *round) wait(difference, bank int) float64 {
	v := -bust + double*r.next.at(difference+bank)
	for _, add := range additions {
		v += add.probability * r.next.at(difference+add.points)
	}
	return min(v, r.next.at(difference))
}
