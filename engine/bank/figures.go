package bank

import "croupier/engine"

// The figures. Banks are counted by their roll from bankedFirst on.
const (
	bankedValue = iota
	bankRoll
	banked
	bankedFirst
	bankedLater = bankedFirst + 5
)

var figures = []engine.Figure{
	bankedValue: {Name: "banked_value", Unit: "points", Per: "bank", Help: "what a bank scores"},
	bankRoll: {Name: "bank_roll", Unit: "rolls", Per: "bank",
		Help: "number within its round of the roll after which the seat banks"},
	banked: {Name: "banked", Unit: engine.Share, Per: "round",
		Help: "rounds in which the seat banks before a seven"},
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

// MeasureStep counts banks.
func (s *State) MeasureStep(step int, sums engine.Sums) {
	if s.player < 0 || step != Bank {
		return
	}
	seat, roll := int(s.player), int(s.roll)
	sums.Add(seat, bankedValue, float64(s.bank), 1)
	sums.Add(seat, bankRoll, float64(roll), 1)
	sums.Add(seat, banked, 1, 0)
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
