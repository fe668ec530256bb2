package banluck

import (
	"fmt"
	"math/bits"
	"strings"

	"croupier/engine"
)

// What a seat sees of a card: its value, or hiddenCard + the seat that gets it.
const (
	hiddenCard = 10
	seenBits   = 4
	handBits   = 12 // of a Hand
)

// Seen returns the value of the seat's own card, or who gets another one. A seat sees its own
// actions, and of the others' only surrender and reveal. The hands that the step opens are
// added to this, without the order of their cards.
//
// The players see Ban Ban and Ban Luck after the deal. A dealer with hard 15 sees them only
// after he has answered, so that they cannot tell him anything and his being asked tells the
// players nothing.
func (s *State) Seen(seat, step int) int {
	isDealer := seat == int(s.game.dealer)
	if s.player == engine.Chance {
		turn, value := int(s.turn), int(valueOf[step])
		what := hiddenCard + turn
		if seat == turn {
			what = value
		}
		if s.length == s.game.deals-1 && !(isDealer && s.game.Surrenderable(s.hands[turn].With(value))) {
			what |= s.open(s.bonuses())
		}
		return what
	}
	switch {
	case step == Reveal:
		return step | s.open(s.long())
	case isDealer && s.legal == surrendering:
		return step | s.open(s.opened)
	case seat != int(s.player) && step != Surrender:
		return engine.Unnoticed
	}
	return step
}

// SeenName implements engine.Telling: the card itself is named only to the seat that gets it.
func (s *State) SeenName(seat, step int) string {
	switch {
	case s.player != engine.Chance:
		return s.ActionName(step)
	case seat == int(s.turn):
		return s.OutcomeName(step)
	}
	return ""
}

// open returns the hands of some players as one number of 48 bits, above seenBits.
func (s *State) open(players uint8) (number int) {
	for seat, hand := range s.hands[:s.game.dealer] {
		if players>>seat&1 == 1 {
			number |= int(hand) << (seenBits + handBits*seat)
		}
	}
	return number
}

// openTo returns the players whose hands are open to a seat, see Seen.
func (s *State) openTo(seat int) uint8 {
	if seat == int(s.game.dealer) && s.player == s.game.dealer && s.legal == surrendering {
		return 0
	}
	return s.opened
}

// InformationKey appends a byte for every step that the seat has noticed, then three for every
// hand that is open to it. Suits, and which of the ten-valued cards it is, are left out: they
// never matter.
func (s *State) InformationKey(seat int, buf []byte) []byte {
	for _, e := range s.events[:s.length] {
		what := byte(e.seat() << seenBits)
		switch {
		case e.isAction() && e.seat() != seat && e.action() != Surrender && e.action() != Reveal:
			continue
		case e.isAction():
			what |= isAction | byte(e.action())
		case e.seat() == seat:
			what |= valueOf[e.action()]
		default:
			what |= hiddenCard
		}
		buf = append(buf, what)
	}
	for open := s.openTo(seat); open != 0; open &= open - 1 {
		player := bits.TrailingZeros8(open)
		hand := s.hands[player]
		buf = append(buf, 0xf0|byte(player), byte(hand>>8), byte(hand))
	}
	return buf
}

// ActionName names the action.
func (s *State) ActionName(action int) string { return actionNames[action] }

var actionNames = [actions]string{"stand", "hit", "surrender", "reveal", "continue"}

// OutcomeName names the card: "10H" is the ten of hearts.
func (s *State) OutcomeName(card int) string {
	values := [...]string{"2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"}
	return values[card/suits] + string("CDHS"[card%suits])
}

// String shows every seat's cards and choices in their order, and what it counts.
func (s *State) String() string {
	var b strings.Builder
	for seat := range s.game.spec.Seats {
		name := fmt.Sprintf("seat %d", seat+1)
		if seat == int(s.game.dealer) {
			name = "dealer"
		}
		fmt.Fprintf(&b, "%s:", name)
		for _, e := range s.events[:s.length] {
			switch {
			case e.seat() != seat:
			case e.isAction():
				fmt.Fprintf(&b, " %s", actionNames[e.action()])
			default:
				fmt.Fprintf(&b, " %s", s.OutcomeName(e.action()))
			}
		}
		fmt.Fprintf(&b, "%s\n", s.describe(seat))
	}
	return b.String()
}

// describe says what a seat's hand counts, and its result once it is settled.
func (s *State) describe(seat int) string {
	hand := s.hands[seat]
	if hand.Size() < dealt {
		return ""
	}
	w := s.game.Worth(hand)
	text := fmt.Sprintf(" = %d", w.Total)
	switch {
	case w.Total > limit:
		text += ", bust"
	case w.Class != Regular:
		text += ", " + w.Class.String()
	case w.Soft:
		text += ", soft"
	}
	if seat < int(s.game.dealer) && (s.player == engine.Terminal || s.playing>>seat&1 == 0) {
		text += fmt.Sprintf(", result %+d", s.results[seat])
	}
	return text
}
