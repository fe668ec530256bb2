package solve

import (
	"croupier/engine"
	game "croupier/games/bank"
	"croupier/policy"
)

// Scale reports that values are computed shares of the win, within bounds.
func (p *player) Scale() policy.Scale {
	return policy.Scale{Unit: "wins", Exact: true, Risk: "bust"}
}

// Values writes the share of the win that each action makes against the optimum. The tables of the
// round are not kept but computed again for the present difference, in a few milliseconds.
// Positions beyond the tables get the values of the nearest one within.
func (p *player) Values(s engine.State, legal []int, dst []policy.Value) {
	at := p.situation(s)
	size := at.own.next.size
	at.difference = min(max(at.difference, -size), size)
	at.bank = min(at.bank, mostBank(at.stage, size))
	low, high := at.bounds()
	for i, action := range legal {
		dst[i] = policy.Value{Low: share(low[action]), High: share(high[action])}
		dst[i].Mean = (dst[i].Low + dst[i].High) / 2
		if action == game.Pass && at.stage == stages {
			dst[i].Risk = bust
		}
	}
}

// share turns a return into a share of the win.
func share(v float64) float64 { return (1 + v) / 2 }

// bounds returns what passing and banking are worth to the seat: what it is sure to get,
// and what the other seat lets it have.
func (s situation) bounds() (low, high [2]float64) {
	switch {
	case s.role == lone:
		now := s.difference + s.bank
		low = [2]float64{s.alone(s.own.next, false), s.own.next.at(now)}
		high = [2]float64{s.alone(s.other.next, true), -s.other.next.at(-now)}
	case s.repoll: // see race
		level := s.own.next.at(s.difference)
		answered := situation{solved: s.solved, stage: s.stage, difference: -s.difference - s.bank, bank: s.bank}
		low = [2]float64{level, min(level, -answered.alone(s.own.next, true))}
		high = [2]float64{level, min(level, -answered.alone(s.other.next, false))}
	default:
		own := s.own.one(s.difference)
		own.sweep(func(stage, bank int) {
			if stage == s.stage && bank == s.bank {
				low[game.Bank], low[game.Pass] = own.choice(s.role, 0)
			}
		})
		other := s.other.one(-s.difference)
		other.sweep(func(stage, bank int) {
			if stage == s.stage && bank == s.bank {
				banked, passed := other.answer(s.role, 0)
				high[game.Bank], high[game.Pass] = -banked, -passed
			}
		})
	}
	return low, high
}

// alone returns what passing is worth to a seat that is alone: from below by what it is sure to
// get after the round, or from above by what the other seat, whose curve is given then, is.
func (s situation) alone(next *curve, upper bool) float64 {
	size := next.size
	inside := s.bank <= mostBank(s.stage, size) && s.difference >= -size
	a := s.solved[upper]
	switch {
	case a != nil && inside:
		// Being further ahead than the tables changes nothing: with repoll a lead is a win.
		return a.row(s.stage, s.bank, min(s.difference, size), 1)[0]
	case a != nil:
		next = a.next
	case upper:
		next = next.mirror()
	}
	if inside {
		a = newAlone(next, upper, s.difference, s.difference)
		a.solve(s.difference, 1)
		return a.row(s.stage, s.bank, s.difference, 1)[0]
	}
	beyond := &alone{next: next, upper: upper}
	if s.stage < stages {
		return beyond.safeOnce(s.difference, s.bank)
	}
	return beyond.onceAt(s.difference, s.bank)
}

// one computes the round again for a single difference.
func (r *round) one(difference int) *both {
	size := r.next.size
	again := &round{
		next: r.next,
		own:  newAlone(r.next, false, max(difference-size, -size), difference),
		// The other seat is alone when this one has banked.
		other: newAlone(r.other.next, true, max(-difference-size, -size), -difference),
	}
	for _, a := range []*alone{again.own, again.other} {
		a.solve(a.least, len(a.pass[0][0]))
	}
	return again.newBoth(difference, 1)
}
