package banluck

import "croupier/engine"

// The figures.
const (
	playerReturn = iota
	dealerReturn
	playerBust
	playerForfeit
	dealerBust
	surrender
	reveal
)

var figures = []engine.Figure{
	playerReturn: {Name: "player_return", Unit: "units", Per: "hand", Help: "units won in a hand as a player"},
	dealerReturn: {Name: "dealer_return", Unit: "units", Per: "hand",
		Help: "units won in a hand as the dealer, against all players together"},
	playerBust: {Name: "player_bust", Unit: engine.Share, Per: "hand", Help: "hands as a player that end above 21"},
	playerForfeit: {Name: "player_forfeit", Unit: engine.Share, Per: "stand",
		Help: "hands on which the player stands with 15 or less"},
	dealerBust: {Name: "dealer_bust", Unit: engine.Share, Per: "hand", Help: "hands as the dealer that end above 21"},
	surrender: {Name: "surrender", Unit: engine.Share, Per: "hard 15",
		Help: "hands with hard 15 that the dealer surrenders"},
	reveal: {Name: "reveal", Unit: engine.Share, Per: "choice",
		Help: "reveals among the dealer's choices at 16 and 17 where he may reveal"},
}

// MeasureStep counts choices.
func (s *State) MeasureStep(step int, sums engine.Sums) {
	seat := int(s.player)
	switch {
	case seat < 0:
	case s.legal == surrendering:
		sums.AddShare(seat, surrender, step == Surrender)
	case s.legal == revealing:
		sums.AddShare(seat, reveal, step == Reveal)
	case s.player != s.game.dealer && step == Stand:
		sums.AddShare(seat, playerForfeit, s.game.hands.worth[s.hands[seat]].Total <= forfeit)
	}
}

// MeasureEnd counts the hands and what they won.
func (s *State) MeasureEnd(sums engine.Sums) {
	dealer, lost := int(s.game.dealer), 0
	for seat, result := range s.results[:dealer] {
		sums.Add(seat, playerReturn, float64(result), 1)
		sums.AddShare(seat, playerBust, s.game.hands.worth[s.hands[seat]].Total > limit)
		lost += int(result)
	}
	sums.Add(dealer, dealerReturn, -float64(lost), 1)
	sums.AddShare(dealer, dealerBust, s.game.hands.worth[s.hands[dealer]].Total > limit)
}
