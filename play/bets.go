package play

import (
	"math"
	"slices"
	"time"

	"croupier/engine"
)

// maxBet bounds bets, in units.
const maxBet = 100

// Bet sets the bet of a person, in units, for the next game and those after it; seat says whose of several at one
// device.
func (h *Hall) Bet(id, key string, seat *int, units float64) (*Show, error) {
	return h.with(id, key, func(r *room, p pass, _ time.Time) error {
		if err := p.seated(); err != nil {
			return err
		}
		whose := p.seats[0]
		if seat != nil {
			whose = *seat
		}
		if !slices.Contains(p.seats, whose) {
			return refuse(Forbidden, "seat %d is not yours", whose+1)
		}
		if err := r.table.Bet(whose, units); err != nil {
			return err
		}
		r.tellAll()
		return nil
	})
}

// Bet sets the bet of a seat, in units, for the next game and those after it.
func (t *Table) Bet(seat int, units float64) error {
	if err := checkBet(t.plan.Game, units); err != nil {
		return err
	}
	t.places[seat].Next = units
	return nil
}

// checkBet checks a bet of a person.
func checkBet(game engine.Game, units float64) error {
	switch _, bets := game.(engine.Betting); {
	case !bets:
		return refuse(Wrong, "nobody bets in %s", game.Spec().Title)
	case !(units >= 1 && units <= maxBet) || units != math.Trunc(units):
		return refuse(Wrong, "a bet is a whole number of units from 1 to %d, not %v", maxBet, units)
	}
	return nil
}

// bets returns what seats bet in this game, and in the next one, in units: 0 for a seat that does not bet, nil for
// a game in which nobody does.
func (t *Table) bets() (now, next []float64) {
	game, ok := t.plan.Game.(engine.Betting)
	if !ok {
		return nil, nil
	}
	now, next = make([]float64, len(t.places)), make([]float64, len(t.places))
	for seat, p := range t.places {
		if game.Bets(seat) {
			now[seat], next[seat] = max(1, p.Bet), max(1, p.Next)
		}
	}
	return now, next
}

// gains is what each seat has got so far in this game, with its bet.
func (t *Table) gains() []float64 {
	returns := t.story.returns()
	if bets, _ := t.bets(); bets != nil {
		t.plan.Game.(engine.Betting).WithBets(returns, bets)
	}
	return returns
}
