package tysiac

import (
	"croupier/engine"
	"croupier/games/tysiac/cards"
)

// Indices of the terms of shaping.
const (
	validMeld = iota
	wastedBomb
	preciseContract
)

// preciseMargin is the number of spare points from which on a contract is not precise.
const preciseMargin = bidStep

var shapings = []engine.Shaping{
	validMeld: {Name: "valid_meld", Doc: "who declares a meld", Weight: 0.01},
	wastedBomb: {Name: "wasted_bomb",
		Doc: "who bombs a hand that, by heuristic's estimate, makes the bid", Weight: -0.05},
	preciseContract: {Name: "precise_contract",
		Doc: "who makes a contract with less than 10 points to spare, at the last trick", Weight: 0.02},
}

// Shapings lists the terms of reward shaping.
func (g *Game) Shapings() []engine.Shaping { return shapings }

// Shape appends the terms that an action triggers.
func (g *Game) Shape(state engine.State, action int, buf []engine.Shaped) []engine.Shaped {
	s := state.(*State)
	switch {
	case action == Bomb:
		if _, _, worth := bestReturn(s.hands[s.player&1]); worth >= s.standing() {
			buf = append(buf, engine.Shaped{Term: wastedBomb, Seat: int(s.player)})
		}
	case action >= Declare:
		buf = append(buf, engine.Shaped{Term: validMeld, Seat: int(s.player)})
	case action >= Play && s.hands[0]|s.hands[1] == cards.Of(action-Play):
		if spare := s.finalPoints(action-Play) - int(s.contract); spare >= 0 && spare < preciseMargin {
			buf = append(buf, engine.Shaped{Term: preciseContract, Seat: int(s.playing)})
		}
	}
	return buf
}

// finalPoints returns the points of the declarer after the last card of the hand,
// with which the seat to move replies.
func (s *State) finalPoints(card int) int {
	points, winner := int(s.points[s.playing&1]), 1-s.player
	if cards.Takes(int(s.led), card, int(s.trump)) {
		winner = s.player
	}
	if winner == s.playing {
		points += cards.Points(int(s.led)) + cards.Points(card)
	}
	return points
}
