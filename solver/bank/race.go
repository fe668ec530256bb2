package bank

import "context"

// A race is what one seat is sure to get in the rest of a game for two against any play
// of the other.
//
// With repoll the seat that leads needs no more than to answer: while nobody has banked
// it passes, and when the other banks it banks as well and keeps its lead. So the sign of
// the difference is the value at the beginning of every round, and all that is left is
// what a seat does when the other has banked and it is not to answer, because it is
// behind, or level.
type race struct {
	curves []*curve // by finished rounds
	rounds []*round // by finished rounds; they have no tables
}

// newRace solves the rounds from the last to the first.
func newRace(ctx context.Context, seat, rounds, size int, repoll bool, done func()) (*race, error) {
	r := &race{curves: make([]*curve, rounds+1), rounds: make([]*round, rounds)}
	r.curves[rounds] = endCurve(size)
	for n := rounds - 1; n >= 0; n-- {
		if repoll && n < rounds-1 { // all rounds are alike
			r.curves[n], r.rounds[n] = r.curves[n+1], r.rounds[n+1]
			continue
		}
		now, err := solveRound(ctx, r.curves[n+1], repoll, n%2 == seat)
		if err != nil {
			return nil, err
		}
		now.own.pass, now.other.pass = [stages][][]float64{}, [stages][][]float64{}
		r.curves[n], r.rounds[n] = newCurve(now.value), now
		done()
	}
	return r, nil
}
