package leduc

import (
	"fmt"
	"strings"

	"croupier/engine"
)

// View is a position as an eye sees it, for boards.
type View struct {
	// Cards by seat, rank J, Q, K and suit s, h: "Qs"; "?" for one face down, "" before it is
	// dealt. At a showdown both lie open, after a fold the other's stays face down.
	Cards  [seats]string `json:"cards"`
	Public string        `json:"public"` // the card of the second round; "" before
	Round  int           `json:"round"`  // of betting, 0 or 1
	Paid   [seats]int    `json:"paid"`   // chips in the pot, by seat
	Raise  int           `json:"raise"`  // chips that a raise adds in this round
	Moves  []Move        `json:"moves"`
	// Winner of a game that is over; -1 before, and for a pot that is split.
	Winner   int  `json:"winner"`
	Showdown bool `json:"showdown"` // the game is over, and the cards were compared

	eye int
}

// Move is a fold, check, call or raise.
type Move struct {
	Seat  int    `json:"seat"`
	Round int    `json:"round"`
	Name  string `json:"name"`
}

var _ engine.Viewed = Game{}

// View implements engine.Viewed with a [View].
func (Game) View(state engine.State, eye int) any {
	s := state.(*State)
	v := View{Round: s.Round(), Raise: smallRaise * (1 + s.Round()), Moves: s.named(), Winner: -1, eye: eye}
	if s.Public() != engine.Hidden {
		v.Public = s.OutcomeName(s.Public())
	}
	if s.player == engine.Terminal {
		v.Showdown = s.paid[0] == s.paid[1]
		var returns [seats]float64
		s.Returns(returns[:])
		for seat, won := range returns {
			if won > 0 {
				v.Winner = seat
			}
		}
	}
	for seat := range seats {
		v.Paid[seat] = int(s.paid[seat])
		switch card := s.Private(seat); {
		case card == engine.Hidden:
		case seat == eye || eye == engine.Everything || v.Showdown:
			v.Cards[seat] = s.OutcomeName(card)
		default:
			v.Cards[seat] = "?"
		}
	}
	return v
}

// named lists what the seats have done.
func (s *State) named() []Move {
	list := []Move{}
	if s.length <= deals {
		return list
	}
	replayed := newDealt(s.Private(0), s.Private(1))
	for _, step := range s.steps[deals:s.length] {
		if replayed.player != engine.Chance {
			list = append(list, Move{int(replayed.player), replayed.Round(), replayed.ActionName(int(step))})
		}
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
	round := 0
	for _, m := range v.Moves {
		if m.Round != round {
			fmt.Fprintf(&b, "the public card: %s\n", v.Public)
			round = m.Round
		}
		fmt.Fprintf(&b, "%s: %s\n", engine.SeatName(m.Seat, v.eye), m.Name)
	}
	if round == 0 && v.Public != "" {
		fmt.Fprintf(&b, "the public card: %s\n", v.Public)
	}
	return b.String()
}

// Part implements engine.Parted.
func (v View) Part() string { return fmt.Sprintf("round %d", v.Round+1) }

// Stage implements engine.Staged.
func (v View) Stage() string {
	switch {
	case v.Winner >= 0 || v.Showdown:
		return "over"
	case v.Cards[seats-1] == "":
		return "deal"
	case v.Round > 0:
		return "second-round"
	}
	return "first-round"
}
