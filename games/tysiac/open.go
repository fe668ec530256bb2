package tysiac

import (
	"math"

	"croupier/engine"
	"croupier/games/tysiac/cards"
	"croupier/games/tysiac/doubledummy"
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

// OpenUnit implements engine.OpenCards.
func (g *Game) OpenUnit() string { return "points of the hand" }

// OpenSolver implements engine.OpenCards: during the play of a hand, leads are the points of tricks
// and melds that a seat will have at the end of the hand, less those of the other.
func (g *Game) OpenSolver() func(engine.State) (engine.OpenValue, bool) {
	solver, moves := doubledummy.New(), []doubledummy.Valued{}
	return func(state engine.State) (v engine.OpenValue, ok bool) {
		s := state.(*State)
		p, ok := s.OpenPosition()
		if !ok {
			return v, false
		}
		mover := s.player & 1
		sign := 1 // of values for the leader of the trick, as the seat to move sees them
		if s.led != cards.NoCard {
			sign = -1
		}
		now, best := int(s.points[mover]-s.points[1-mover]), math.MinInt
		moves = solver.Moves(&p, moves[:0])
		for _, m := range moves {
			lead := now + sign*m.Value
			best = max(best, lead)
			v.Moves = append(v.Moves, engine.OpenMove{Action: MoveAction(m.Move), Lead: float64(lead)})
		}
		v.Leads = make([]float64, seats)
		v.Leads[mover], v.Leads[1-mover] = float64(best), float64(-best)
		return v, true
	}
}
