package tysiac

import (
	"math/bits"

	"croupier/engine"
	"croupier/engine/tysiac/cards"
)

var _ engine.Redealer = (*State)(nil)

// Redeal implements engine.Redealer: it draws what the other seat holds and has returned,
// and the musiks that were not shown. In what order cards were dealt means nothing and is
// not drawn.
func (s *State) Redeal(seat int, rng *engine.RNG) {
	v, other := s.view(seat), 1-seat
	unseen := cards.All &^ (v.cards | v.played[0] | v.played[1] | v.returned)
	var returns int
	if v.playing == 1 {
		returns = s.returned.Len()
	}
	had := v.musik | melds(v.shown[1]) // by the other seat, so not in a musik that is hidden
	// Deals are drawn until one is consistent: the one that was dealt is.
	for {
		hand := v.otherHand(rng)
		returned := sample(unseen&^hand, returns, rng)
		musiks := unseen &^ (hand | returned)
		dealt := hand | v.played[1] | returned
		if v.playing == 1 {
			dealt &^= v.musik
		}
		if musiks&had == 0 && v.agrees(dealt) {
			s.lay(other, dealt, hand, returned, musiks, rng)
			return
		}
	}
}

// melds returns the kings and queens of the suits.
func melds(suits uint8) (set cards.Set) {
	for ; suits != 0; suits &= suits - 1 {
		set |= cards.Meld(bits.TrailingZeros8(suits))
	}
	return set
}

// agrees says whether the other seat, dealt these cards, would have shown what it has
// shown to the challenges of its bids.
func (v *view) agrees(dealt cards.Set) bool {
	var shown uint8
	for bids := v.challenged & v.made[1]; bids != 0; bids &= bids - 1 {
		bid := lowestBid + bidStep*(bits.TrailingZeros32(bids)-FirstBid)
		shown |= 1 << proofOf(dealt.Melds(), bid)
	}
	return shown == v.shown[1]
}

// lay puts the cards where they are to be. The musiks hold those of both or, when one is
// taken, of the other.
func (s *State) lay(other int, dealt, hand, returned, musiks cards.Set, rng *engine.RNG) {
	s.hands[other] = hand
	s.logCards(other*handCards, dealt, 0)
	if int(s.playing) == other {
		s.returned = returned
		s.logCards(int(s.returnAt), returned, Return)
	}
	for musik := range s.musiks {
		if musik == int(s.taken) {
			continue
		}
		s.musiks[musik] = sample(musiks, musikSize, rng)
		musiks &^= s.musiks[musik]
		s.logCards(2*handCards+musik*musikSize, s.musiks[musik], 0)
	}
}

// logCards writes steps with the cards, ascending, to the log from there on.
func (s *State) logCards(at int, set cards.Set, first int) {
	for ; set != 0; set &= set - 1 {
		s.log[at] = uint8(first + set.First() + 1)
		at++
	}
}
