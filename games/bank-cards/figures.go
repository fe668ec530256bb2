package bankcards

import "croupier/engine"

// The figures.
const (
	draws = iota
	freeDraws
	turns
	cardsLeft
)

var figures = []engine.Figure{
	draws: {Name: "draws", Unit: engine.Share, Per: "turn", Help: "turns in which the seat draws"},
	freeDraws: {Name: "free_draws", Unit: engine.Share, Per: "draw",
		Help: "draws with a card in hand that could be played"},
	turns: {Name: "turns", Unit: "turns", Per: "game", Help: "turns of the seat"},
	cardsLeft: {Name: "cards_left", Unit: "cards", Per: "lost game",
		Help: "cards left in hand when another seat wins the game"},
}

// MeasureStep counts turns.
func (s *State) MeasureStep(step int, sums engine.Sums) {
	if s.player < 0 {
		return
	}
	seat := int(s.player)
	sums.AddShare(seat, draws, step == Draw)
	sums.Add(seat, turns, 1, 0)
	if step == Draw {
		sums.AddShare(seat, freeDraws, !s.playable(s.hands[seat]).empty())
	}
}

// MeasureEnd counts the game and the cards left.
func (s *State) MeasureEnd(sums engine.Sums) {
	winner := s.winner()
	for seat := range s.game.rules.Players {
		sums.Add(seat, turns, 0, 1)
		if seat != winner {
			sums.Add(seat, cardsLeft, float64(s.hands[seat].len()), 1)
		}
	}
}
