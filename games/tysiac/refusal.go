package tysiac

import (
	"fmt"

	"croupier/engine"
	"croupier/games/tysiac/cards"
)

// refuse reports why a step is impossible: the one rule that forbids it.
func (s *State) refuse(step int) error {
	return &engine.IllegalError{Player: int(s.player), Action: step, Reason: s.reason(step)}
}

// reason returns the rule, in words to the seat that is to move. It tells nothing that the seat
// does not know.
func (s *State) reason(step int) string {
	switch s.phase {
	case dealing:
		if step < 0 || step >= cards.Count {
			return "the cards are 0 to 23"
		}
		return "the card has already been dealt"
	case over:
		return "the game is over"
	case auction:
		if step >= Pass && step < TakeMusik {
			return s.whyNotSpoken(step)
		}
		return "it is the auction: you bid, pass or challenge"
	case takingMusik:
		return "you take one of the two musiks first"
	case bombing:
		return "you bomb or play on first"
	case returning:
		if step >= Return && step < Announce {
			return s.whyNotReturned(step - Return)
		}
		return "you return two cards first"
	case announcing:
		if step >= Announce && step < Play {
			return s.whyNotAnnounced(lowestBid + bidStep*(step-Announce))
		}
		return "you announce a contract first"
	}
	if step < Play || step >= Actions {
		return "the hand is in play: you play a card"
	}
	card, _ := cardOf(step)
	return s.whyNotPlayed(card)
}

// whyNotSpoken is about bids and challenges.
func (s *State) whyNotSpoken(step int) string {
	b, standing := &s.game.rules.Bidding, s.standing()
	bid := lowestBid + bidStep*(step-FirstBid)
	switch {
	case step == Challenge && standing == 0:
		return "there is no bid to challenge"
	case step == Challenge && standing <= b.ProofThreshold:
		return fmt.Sprintf("bids up to %d need no proof", b.ProofThreshold)
	case step == Challenge:
		return "the standing bid was challenged and proved already"
	case standing == 0:
		return fmt.Sprintf("the opening bid is %d", b.StartBid)
	case bid <= standing:
		return fmt.Sprintf("a bid must be higher than the standing one of %d", standing)
	case bid > b.MaxBid:
		return fmt.Sprintf("the highest bid is %d", b.MaxBid)
	case !b.JumpBids:
		return fmt.Sprintf("the next bid is %d, no bid may be skipped", standing+b.Increment)
	}
	return fmt.Sprintf("bids rise in steps of %d", b.Increment)
}

// whyNotReturned is about the two returned cards, of which the lower is returned first.
func (s *State) whyNotReturned(card int) string {
	switch {
	case s.returned.Has(card):
		return fmt.Sprintf("you have returned the %s already", cards.Name(card))
	case !s.hands[s.playing].Has(card):
		return fmt.Sprintf("you do not hold the %s", cards.Name(card))
	case s.returned == 0:
		return fmt.Sprintf("the lower of the two cards is returned first, and no card of yours is higher than the %s",
			cards.Name(card))
	}
	return fmt.Sprintf("the lower of the two cards is returned first, and you began with the %s",
		cards.Name(s.returned.First()))
}

// whyNotAnnounced is about contracts.
func (s *State) whyNotAnnounced(contract int) string {
	if highest := s.game.rules.Contract.Max; contract > highest {
		return fmt.Sprintf("the highest contract is %d", highest)
	}
	return fmt.Sprintf("the contract must be at least your bid of %d", s.standing())
}

// whyNotPlayed is about cards, and declarations with cards that may be played.
func (s *State) whyNotPlayed(card int) string {
	hand, led := s.hands[s.player&1], int(s.led)
	suit := cards.Suit(card)
	switch {
	case !hand.Has(card):
		return fmt.Sprintf("you do not hold the %s", cards.Name(card))
	case led != cards.NoCard && !s.game.tricks.Replies(hand, led, int(s.trump)).Has(card):
		return s.whyNotReplied(hand, led, card)
	case hand.Melds()>>suit&1 == 0:
		return fmt.Sprintf("only the holder of king and queen of %s can declare them", cards.SuitName(suit))
	}
	return "only the player who leads a trick may declare a meld"
}

// whyNotReplied is about the cards that may be played to the led one.
func (s *State) whyNotReplied(hand cards.Set, led, card int) string {
	suit := cards.Suit(led)
	switch {
	case hand&cards.OfSuit(suit) == 0:
		return fmt.Sprintf("you hold no %s but a %s, which is trump, and must trump", suitWords[suit], suitWords[s.trump])
	case cards.Suit(card) != suit:
		return fmt.Sprintf("you hold a %s and must follow", suitWords[suit])
	}
	return fmt.Sprintf("you hold a %s that beats the %s, and must beat it", suitWords[suit], cards.Name(led))
}

// suitWords are one card of each suit.
var suitWords = [cards.Suits]string{"spade", "club", "diamond", "heart"}
