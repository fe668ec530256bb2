package kuhn

import "croupier/engine"

const jack = 0

// The figures.
const (
	bets = iota
	bluffs
	calls
)

var figures = []engine.Figure{
	bets: {Name: "bets", Unit: engine.Share, Per: "free move", Help: "bets where no bet is faced"},
	bluffs: {Name: "bluffs", Unit: engine.Share, Per: "free move with the jack",
		Help: "bets with the jack where no bet is faced"},
	calls: {Name: "calls", Unit: engine.Share, Per: "bet faced", Help: "calls when facing a bet"},
}

// MeasureStep counts moves.
func (s *State) MeasureStep(step int, sums engine.Sums) {
	if s.player < 0 {
		return
	}
	seat := int(s.player)
	if s.FacingBet() {
		sums.AddShare(seat, calls, step == Bet)
		return
	}
	sums.AddShare(seat, bets, step == Bet)
	if s.Card(seat) == jack {
		sums.AddShare(seat, bluffs, step == Bet)
	}
}

// MeasureEnd adds nothing.
func (s *State) MeasureEnd(engine.Sums) {}
