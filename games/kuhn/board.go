package kuhn

import (
	"fmt"
	"strings"

	"croupier/engine"
)

// View is a position as an eye sees it, for boards.
type View struct {
	// Cards by seat: "J", "Q", "K", "?" for one face down, "" before it is dealt. At a showdown
	// both lie open, after a fold the other's stays face down.
	Cards [seats]string `json:"cards"`
	Paid  [seats]int    `json:"paid"` // antes in the pot, by seat
	Moves []Move        `json:"moves"`
	// Winner of a game that is over; -1 before.
	Winner   int  `json:"winner"`
	Showdown bool `json:"showdown"` // the game is over, and the cards were compared

	eye int
}

// Move is a check, bet, call or fold.
type Move struct {
	Seat int    `json:"seat"`
	Name string `json:"name"`
}

var _ engine.Viewed = Game{}

// View implements engine.Viewed with a [View].
func (Game) View(state engine.State, eye int) any {
	s := state.(*State)
	v := View{Moves: s.moves(), Winner: -1, eye: eye}
	if s.player == engine.Terminal {
		v.Showdown = s.paid(0) == s.paid(1)
		var returns [seats]float64
		if s.Returns(returns[:]); returns[0] > 0 {
			v.Winner = 0
		} else {
			v.Winner = 1
		}
	}
	for seat := range seats {
		v.Paid[seat] = s.paid(seat)
		switch card := s.Card(seat); {
		case card == engine.Hidden:
		case seat == eye || eye == engine.Everything || v.Showdown:
			v.Cards[seat] = s.OutcomeName(card)
		default:
			v.Cards[seat] = "?"
		}
	}
	return v
}

// moves names what the seats have done.
func (s *State) moves() []Move {
	list := []Move{}
	replayed := &State{length: deals}
	for _, step := range s.steps[deals:max(s.length, deals)] {
		list = append(list, Move{int(replayed.player), replayed.ActionName(int(step))})
		replayed.Apply(int(step)) // was legal in s
	}
	return list
}

// String describes what the eye sees.
func (v View) String() string {
	var b strings.Builder
	for seat, card := range v.Cards {
		switch card {
		case "":
			card = "no card yet"
		case "?":
			card = "face down"
		}
		fmt.Fprintf(&b, "%s: %s, %d in the pot\n", engine.SeatName(seat, v.eye), card, v.Paid[seat])
	}
	for _, m := range v.Moves {
		fmt.Fprintf(&b, "%s: %s\n", engine.SeatName(m.Seat, v.eye), m.Name)
	}
	return b.String()
}

// Stage implements engine.Staged.
func (v View) Stage() string {
	switch {
	case v.Winner >= 0:
		return "over"
	case v.Cards[seats-1] == "":
		return "deal"
	case len(v.Moves) == 0:
		return "begin"
	case v.Paid[0] != v.Paid[1]:
		return "answer"
	}
	return "after-check"
}
