package solve

import "context"

// A race is what one seat is sure to get in the rest of a game for two, whatever the other
// does.
//
// With repoll the leading seat only needs to react: it passes until the other banks, then banks
// as well and keeps its lead. So the sign of the difference is the value at the beginning of
// every round, and all that remains is what a seat that is behind or level does once the other
// has banked and it need not bank at once.
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
