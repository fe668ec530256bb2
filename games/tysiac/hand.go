package tysiac

import (
	"math/bits"

	"croupier/games/tysiac/cards"
)

// standing returns the points of the standing bid, or 0 if there is none.
func (s *State) standing() int {
	if s.bid == 0 {
		return 0
	}
	return lowestBid + bidStep*(int(s.bid)-FirstBid)
}

// speak bids, passes or challenges.
func (s *State) speak(action int) {
	me, other := s.player, 1-s.player
	otherIsOut := s.passed>>other&1 != 0
	switch action {
	case Challenge:
		s.challenge()
	case Pass:
		s.record(Pass)
		s.passed |= 1 << me
		switch {
		case s.bid != 0:
			s.winAuction(other)
		case !otherIsOut:
			s.player = other
		default:
			s.allPassed()
		}
	default:
		s.record(action)
		s.bid = int8(action)
		s.made[me] |= 1 << action
		if s.player = other; otherIsOut {
			s.winAuction(me)
		}
	}
}

func (s *State) winAuction(seat int8) {
	s.playing, s.player = seat, seat
	s.phase = takingMusik
}

func (s *State) allPassed() {
	if s.game.rules.Bidding.AllPass == redeal {
		s.endHand(result{end: wasPassed, player: nobody})
		return
	}
	s.bid = int8(bidAction(s.game.rules.Bidding.StartBid))
	s.winAuction(1 - s.dealer)
}

// proof returns the suit of the cheapest meld that proves the standing bid of the
// seat, or cards.Suits if it has none.
func (s *State) proof(bidder int8) int {
	melds := s.hands[bidder].Melds()
	for suit := range cards.Suits {
		if melds>>suit&1 != 0 && cards.MeldValue(suit) >= s.standing()-lowestBid {
			return suit
		}
	}
	return cards.Suits
}

// challenge makes the bidder prove his bid or lose it.
func (s *State) challenge() {
	bidder := 1 - s.player
	s.challenged |= 1 << s.bid
	suit := s.proof(bidder)
	if suit == cards.Suits {
		s.record(Challenge)
		r := result{end: wasUnproved, player: bidder, contract: int16(s.standing())}
		r.change[bidder] = -r.contract
		s.endHand(r)
		return
	}
	s.record(proven + suit)
	s.shown[bidder] |= 1 << suit
}

// take shows a musik and puts it into the hand of the declarer.
func (s *State) take(musik int) {
	s.record(TakeMusik + musik)
	s.taken = int8(musik)
	shown := s.musiks[musik]
	s.record(shown.First())
	s.record(shown.Last())
	s.hands[s.playing] |= shown
	s.phase = returning
	s.returnAt = s.length
	if s.game.rules.Bombing.Enabled && s.bombs[s.playing] > 0 {
		s.phase = bombing
		s.returnAt++
	}
}

// giveBack returns one of the two cards, the lower one first.
func (s *State) giveBack(card int) {
	s.record(Return + card)
	if s.returned != 0 {
		s.phase = announcing
	}
	s.returned |= cards.Of(card)
	s.hands[s.playing] &^= cards.Of(card)
}

// play leads a card, or replies with one and ends the trick. The index is the card's, or 24
// plus the declaration's.
func (s *State) play(index int) {
	me := s.player & 1
	s.record(Play + index)
	card, declares := cardOf(Play + index)
	if s.led != cards.NoCard {
		// The card was chosen under the trump before any declaration.
		s.denied[me] |= s.game.tricks.Denied(int(s.led), card, int(s.trump))
	}
	if declares {
		suit := cards.Suit(card)
		s.declared[me] |= 1 << suit
		s.points[me] += int16(cards.MeldValue(suit))
		s.trump = int8(suit)
	}
	s.hands[me] &^= cards.Of(card)
	s.played[me] |= cards.Of(card)
	other := 1 - me
	s.player = other
	if s.led == cards.NoCard {
		s.led = int8(card)
		return
	}
	led := int(s.led)
	s.led = cards.NoCard
	if cards.Takes(led, card, int(s.trump)) {
		s.player = me
	}
	s.points[s.player&1] += int16(cards.Points(led) + cards.Points(card))
	if s.hands[me]|s.hands[other] == 0 {
		s.score()
	}
}

// cardOf returns the card that an action plays, and whether it declares.
func cardOf(action int) (card int, declares bool) {
	if action < Declare {
		return action - Play, false
	}
	suit, queen := (action-Declare)>>1, (action-Declare)&1
	return suit*cards.Ranks + cards.King - queen, true
}

// score counts the hand after its last trick.
func (s *State) score() {
	me, other := s.playing&1, 1-s.playing&1
	r := result{end: wasPlayed, player: me, contract: s.contract, points: s.points}
	r.change[me] = s.contract
	if s.points[me] < s.contract {
		r.change[me] = -s.contract
	}
	rules := &s.game.rules.Game
	if !rules.EnableLock || s.scores[other] < int32(rules.LockScore) {
		r.change[other] = (s.points[other] + bidStep - 1) / bidStep * bidStep
	}
	s.endHand(r)
}

// legal returns the legal actions as bits counted from the first action of their kind:
// none at chance nodes and after the end.
func (s *State) legal() (first int, set uint32) {
	switch s.phase {
	case auction:
		set = s.game.raises[s.bid]
		if s.standing() > s.game.rules.Bidding.ProofThreshold && s.challenged>>s.bid&1 == 0 {
			set |= 1 << Challenge
		}
		return Pass, set
	case takingMusik:
		return TakeMusik, 1<<2 - 1
	case bombing:
		return Bomb, 1<<2 - 1
	case returning:
		hand := s.hands[s.playing]
		if s.returned == 0 {
			return Return, uint32(hand &^ cards.Of(hand.Last()))
		}
		return Return, uint32(hand &^ (cards.Of(s.returned.First()) - 1))
	case announcing:
		highest := (s.game.rules.Contract.Max - lowestBid) / bidStep
		return Announce, 1<<(highest+1) - 1<<(int(s.bid)-FirstBid)
	case playing:
		return Play, s.plays()
	}
	return 0, 0
}

// plays returns the cards that may be played, with the declarations from bit 24 on.
func (s *State) plays() uint32 {
	hand := s.hands[s.player&1]
	set, follows := hand, s.led != cards.NoCard
	if follows {
		set = s.game.tricks.Replies(hand, int(s.led), int(s.trump))
		if !s.game.tricks.FollowerMelds {
			return uint32(set)
		}
	}
	all := uint32(set)
	for melds := hand.Melds(); melds != 0; melds &= melds - 1 {
		suit := bits.TrailingZeros8(melds)
		king := suit*cards.Ranks + cards.King
		all |= uint32(set>>king&1|set>>(king-1)&1<<1) << (cards.Count + 2*suit)
	}
	return all
}
