package tysiac

import (
	"croupier/engine/tysiac/cards"
	"croupier/engine/tysiac/doubledummy"
)

// OpenPosition returns the play of the hand as if all cards were open; ok is false if no hand
// is in play.
func (s *State) OpenPosition() (p doubledummy.Position, ok bool) {
	if s.phase != playing {
		return p, false
	}
	leader := s.player & 1
	if s.led != cards.NoCard {
		leader = 1 - leader
	}
	return doubledummy.Position{
		Leader:   s.hands[leader],
		Follower: s.hands[1-leader],
		Led:      int(s.led),
		Trump:    int(s.trump),
		Rules:    s.game.tricks,
	}, true
}

// MoveAction returns the action that makes a move of the play.
func MoveAction(m doubledummy.Move) int {
	if !m.Declare {
		return Play + m.Card
	}
	return declaration(m.Card)
}
