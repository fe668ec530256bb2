package tysiac

import (
	"fmt"
	"math/bits"
	"strings"

	"croupier/games/tysiac/cards"
)

func (p phase) String() string {
	return [phases]string{"deal", "auction", "musik", "bomb or play on", "return two cards", "contract", "play", "over"}[p]
}

// ActionName reports what the seat does: "bid 120", "take musik 1", "play 10♥".
func (s *State) ActionName(action int) string {
	switch {
	case action == Pass:
		return "pass"
	case action < Challenge:
		return fmt.Sprintf("bid %d", lowestBid+bidStep*(action-FirstBid))
	case action == Challenge:
		return "challenge"
	case action < Bomb:
		return fmt.Sprintf("take musik %d", action-TakeMusik+1)
	case action == Bomb:
		return "bomb"
	case action == PlayOn:
		return "play on"
	case action < Announce:
		return "return " + cards.Name(action-Return)
	case action < Play:
		return fmt.Sprintf("contract %d", lowestBid+bidStep*(action-Announce))
	}
	card, declares := cardOf(action)
	if !declares {
		return "play " + cards.Name(card)
	}
	return fmt.Sprintf("play %s and declare %d", cards.Name(card), cards.MeldValue(cards.Suit(card)))
}

// OutcomeName names the card that is dealt.
func (s *State) OutcomeName(card int) string { return cards.Name(card) }

// String shows the scores, the auction, all cards and the trick.
func (s *State) String() string {
	var b strings.Builder
	if s.phase == over {
		fmt.Fprintf(&b, "game over after hand %d\n", s.hand)
	} else {
		fmt.Fprintf(&b, "hand %d, seat %d deals: %s\n", s.hand+1, s.dealer+1, s.phase)
	}
	for seat := range seats {
		fmt.Fprintf(&b, "seat %d: score %d, bombs %d, points %d, hand %v",
			seat+1, s.scores[seat], s.bombs[seat], s.points[seat], s.hands[seat])
		s.describeSeat(&b, seat)
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "musiks: %v | %v", s.musiks[0], s.musiks[1])
	if s.taken != nobody {
		fmt.Fprintf(&b, ", musik %d taken", s.taken+1)
	}
	if s.contract != 0 {
		fmt.Fprintf(&b, "\ncontract %d", s.contract)
		if s.trump != cards.NoTrump {
			b.WriteString(", trump " + cards.SuitName(int(s.trump)))
		}
	}
	if s.led != cards.NoCard {
		b.WriteString(", led " + cards.Name(int(s.led)))
	}
	return b.String() + "\n"
}

// describeSeat adds what the seat has done in this hand.
func (s *State) describeSeat(b *strings.Builder, seat int) {
	if made := s.made[seat]; made != 0 {
		fmt.Fprintf(b, ", %s", s.ActionName(bits.Len32(made)-1))
	}
	if s.passed>>seat&1 != 0 {
		b.WriteString(", passed")
	}
	for suit := range cards.Suits {
		if s.shown[seat]>>suit&1 != 0 {
			b.WriteString(", showed " + cards.SuitName(suit))
		}
		if s.declared[seat]>>suit&1 != 0 {
			b.WriteString(", declared " + cards.SuitName(suit))
		}
	}
	if int(s.playing) == seat {
		b.WriteString(", plays")
		if s.returned != 0 {
			fmt.Fprintf(b, ", returned %v", s.returned)
		}
	}
}
