// Package cards implements the 24-card deck of Tysiąc as bit sets, with the rules of a single
// trick. The game engine and the double-dummy solver share it.
//
// A card is suit × 6 + rank. Suits in order: ♠ ♣ ♦ ♥; ranks in order of strength:
// 9 J Q K 10 A. A meld is king and queen of one suit.
package cards

import (
	"math/bits"
	"strings"
)

// Sizes of the deck.
const (
	Count = Suits * Ranks
	Suits = 4
	Ranks = 6
)

// The ranks that rules name.
const (
	Queen = 2
	King  = 3
)

// NoTrump is the trump suit of a hand without one, NoCard stands for no card.
const (
	NoTrump = Suits
	NoCard  = Count
)

// Set is a set of cards, card i as bit i.
type Set uint32

// All is the whole deck.
const All Set = 1<<Count - 1

// The cards of one rank in all suits.
const (
	firstSuit Set = 1<<Ranks - 1
	firsts    Set = 1 | 1<<Ranks | 1<<(2*Ranks) | 1<<(3*Ranks) // the nines
	Queens        = firsts << Queen
	Kings         = firsts << King
)

var (
	points    = [Ranks]int{0, 2, 3, 4, 10, 11}
	meldValue = [Suits]int{40, 60, 80, 100}

	suitSets = [8]Set{firstSuit, firstSuit << Ranks, firstSuit << (2 * Ranks), firstSuit << (3 * Ranks)}
)

// The tables by card have 32 entries so that an index needs no check; meldPoints is
// the value of the melds in a set of suits.
var cardPoints, cardSuit, above, meldPoints = func() (value, suit [32]uint8, higher [32]Set, melds [1 << Suits]int) {
	for card := range Count {
		value[card] = uint8(points[card%Ranks])
		suit[card] = uint8(card / Ranks)
		higher[card] = suitSets[card/Ranks] &^ (1<<(card+1) - 1)
	}
	suit[NoCard] = NoTrump
	for suits := range melds {
		for i, v := range meldValue {
			melds[suits] += v * (suits >> i & 1)
		}
	}
	return value, suit, higher, melds
}()

// Points returns what a card counts in a trick.
func Points(card int) int { return int(cardPoints[card&31]) }

// Suit returns the suit of a card.
func Suit(card int) int { return int(cardSuit[card&31]) }

// MeldValue returns what king and queen of a suit score when declared.
func MeldValue(suit int) int { return meldValue[suit] }

// Of returns the set of one card.
func Of(card int) Set { return 1 << card }

// OfSuit returns the cards of a suit, none for NoTrump.
func OfSuit(suit int) Set { return suitSets[suit&7] }

// Above returns the stronger cards of the card's suit.
func Above(card int) Set { return above[card&31] }

// Meld returns king and queen of a suit.
func Meld(suit int) Set { return (1<<Queen | 1<<King) << (suit * Ranks) }

// Len returns the number of cards.
func (s Set) Len() int { return bits.OnesCount32(uint32(s)) }

// Has reports whether the card is in the set.
func (s Set) Has(card int) bool { return s>>card&1 != 0 }

// First returns the lowest card of a non-empty set.
func (s Set) First() int { return bits.TrailingZeros32(uint32(s)) }

// Last returns the highest card of a non-empty set.
func (s Set) Last() int { return bits.Len32(uint32(s)) - 1 }

// Points returns the total points of the cards.
func (s Set) Points() int {
	sum := 0
	for rank, value := range points {
		sum += value * (s & (firsts << rank)).Len()
	}
	return sum
}

// Melds returns the suits of the melds in the set as bits.
func (s Set) Melds() uint8 {
	queens := s & (s >> 1) & Queens >> Queen
	return uint8(queens&1 | queens>>(Ranks-1)&2 | queens>>(2*Ranks-2)&4 | queens>>(3*Ranks-3)&8)
}

// MeldPoints returns the value of the melds in a set of suits.
func MeldPoints(suits uint8) int { return meldPoints[suits&(1<<Suits-1)] }

// Rules are the choices that concern a trick.
type Rules struct {
	// MustOvertake: a player who follows suit and can beat the led card must do so.
	MustOvertake bool
	// MustOvertrump: a player who cannot follow suit must play a trump if he has one.
	MustOvertrump bool
	// FollowerMelds: the player of the second card may declare a meld just as the leader may.
	FollowerMelds bool
}

// Replies returns the cards of a hand that may be played to the led card.
func (r Rules) Replies(hand Set, led, trump int) Set {
	if suited := hand & OfSuit(Suit(led)); suited != 0 {
		if higher := suited & Above(led); r.MustOvertake && higher != 0 {
			return higher
		}
		return suited
	}
	if trumps := hand & OfSuit(trump); r.MustOvertrump && trumps != 0 {
		return trumps
	}
	return hand
}

// Denied returns the cards that, under these rules, a hand with this reply cannot hold: what
// the reply tells about the rest of the hand.
func (r Rules) Denied(led, reply, trump int) Set {
	switch suit := Suit(led); {
	case Suit(reply) != suit && r.MustOvertrump && Suit(reply) != trump:
		return OfSuit(suit) | OfSuit(trump)
	case Suit(reply) != suit:
		return OfSuit(suit)
	case r.MustOvertake && reply < led:
		return Above(led)
	}
	return 0
}

// Takes reports whether the reply takes the trick from the led card.
func Takes(led, reply, trump int) bool {
	if Suit(reply) == Suit(led) {
		return reply > led
	}
	return Suit(reply) == trump
}

// Name returns rank and suit of a card: "10♥".
func Name(card int) string {
	return [...]string{"9", "J", "Q", "K", "10", "A"}[card%Ranks] + SuitName(card/Ranks)
}

// SuitName returns the sign of a suit.
func SuitName(suit int) string { return [...]string{"♠", "♣", "♦", "♥"}[suit] }

// String lists the cards: "9♠ K♠ A♥".
func (s Set) String() string {
	var names []string
	for ; s != 0; s &= s - 1 {
		names = append(names, Name(s.First()))
	}
	return strings.Join(names, " ")
}
