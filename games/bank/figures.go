package bank

import "croupier/engine"

// The figures. Rounds are counted by the lead from bankedBehind on, banks by their roll from
// bankedFirst on.
const (
	bankedValue = iota
	bankRoll
	banked
	bankedBehind
	bankedNear
	bankedAhead
	bankedFirst
	bankedLater = bankedFirst + 5
)

var figures = []engine.Figure{
	bankedValue: {Name: "banked_value", Unit: "points", Per: "bank", Help: "what a bank scores"},
	bankRoll: {Name: "bank_roll", Unit: "rolls", Per: "bank",
		Help: "number within its round of the roll after which the seat banks"},
	banked: {Name: "banked", Unit: engine.Share, Per: "round",
		Help: "rounds in which the seat banks before a seven"},
	bankedBehind: {Name: "banked_behind", Unit: engine.Share, Per: "round begun behind",
		Help: "the same among rounds begun with a lead of -100 points or less over the best other seat"},
	bankedNear: {Name: "banked_near", Unit: engine.Share, Per: "round begun near",
		Help: "the same among rounds begun less than 100 points from the best other seat"},
	bankedAhead: {Name: "banked_ahead", Unit: engine.Share, Per: "round begun ahead",
		Help: "the same among rounds begun with a lead of 100 points or more over the best other seat"},
	bankedFirst: {Name: "banked_at_1", Unit: engine.Share, Per: "bank",
		Help: "banks after the first roll of the round"},
	bankedFirst + 1: {Name: "banked_at_2", Unit: engine.Share, Per: "bank", Help: "banks after the second roll"},
	bankedFirst + 2: {Name: "banked_at_3", Unit: engine.Share, Per: "bank",
		Help: "banks after the third roll, the last that is safe"},
	bankedFirst + 3: {Name: "banked_at_4", Unit: engine.Share, Per: "bank",
		Help: "banks after the fourth roll, the first with a risk"},
	bankedFirst + 4: {Name: "banked_at_5", Unit: engine.Share, Per: "bank", Help: "banks after the fifth roll"},
	bankedLater: {Name: "banked_later", Unit: engine.Share, Per: "bank",
		Help: "banks after the sixth roll or a later one"},
}

// near is the lead in points, to either side, from which a round does not begin near the best
// other seat: about what a bank scores.
const near = 100

// noteLeads notes for each seat its rank as a round begins.
func (s *State) noteLeads() {
	for seat := range s.game.rules.Players {
		switch lead := s.totals[seat] - s.bestOther(seat); {
		case lead <= -near:
			s.leads[seat] = -1
		case lead >= near:
			s.leads[seat] = 1
		default:
			s.leads[seat] = 0
		}
	}
}

// bestOther returns the greatest total of the other seats.
func (s *State) bestOther(seat int) (best int64) {
	for other, total := range s.totals[:s.game.rules.Players] {
		if other != seat {
			best = max(best, total)
		}
	}
	return best
}

// MeasureStep counts banks, and rounds by the lead.
func (s *State) MeasureStep(step int, sums engine.Sums) {
	if s.roll == 0 {
		for seat := range s.game.rules.Players {
			sums.Add(seat, bankedNear+int(s.leads[seat]), 0, 1)
		}
	}
	if s.player < 0 || step != Bank {
		return
	}
	seat, roll := int(s.player), int(s.roll)
	sums.Add(seat, bankedValue, float64(s.bank), 1)
	sums.Add(seat, bankRoll, float64(roll), 1)
	sums.Add(seat, banked, 1, 0)
	sums.Add(seat, bankedNear+int(s.leads[seat]), 1, 0)
	at := min(bankedFirst+roll-1, bankedLater)
	for figure := bankedFirst; figure <= bankedLater; figure++ {
		sums.AddShare(seat, figure, figure == at)
	}
}

// MeasureEnd counts the rounds.
func (s *State) MeasureEnd(sums engine.Sums) {
	for seat := range s.game.rules.Players {
		sums.Add(seat, banked, 0, float64(s.round))
	}
}
