package tysiac

import (
	"math/bits"

	"croupier/engine"
	"croupier/games/tysiac/cards"
)

// The points that the declarer is expected to make with a hand of ten cards, melds
// included: a linear fit to 6,000 random deals that both played with open cards (R² 0.91,
// residual standard deviation 16 points).
const (
	baseStrength   = 2
	aceStrength    = 19
	aceTenStrength = 8 // the ten next to its ace
	tenStrength    = 9 // a ten without its ace, but guarded
	longStrength   = 3 // each card of a suit beyond the third
	voidStrength   = 7
	firstMeldCost  = 3  // a meld is worth its points less this for the first,
	secondMeldCost = 9  // this for the second
	laterMeldCost  = 35 // and this for each further one
	meldLength     = 4  // each further card of the longest suit with a meld
)

// suitStrength holds the strength of the cards of one suit, without the meld.
var suitStrength = func() (table [1 << cards.Ranks]int8) {
	const ten, ace = 1 << 4, 1 << 5
	for set := range table {
		n := bits.OnesCount(uint(set))
		worth := max(0, n-3) * longStrength
		switch {
		case n == 0:
			worth = voidStrength
		case set&ace != 0 && set&ten != 0:
			worth += aceStrength + aceTenStrength
		case set&ace != 0:
			worth += aceStrength
		case set&ten != 0 && n > 1:
			worth += tenStrength
		}
		table[set] = int8(worth)
	}
	return table
}()

// strength estimates the points that a hand of ten cards makes for the declarer.
func strength(hand cards.Set) int {
	sum, melds, longest := baseStrength, 0, 2
	held := hand.Melds()
	for suit := range cards.Suits {
		set := hand >> (suit * cards.Ranks) & (1<<cards.Ranks - 1)
		sum += int(suitStrength[set])
		if held>>suit&1 != 0 {
			melds++
			sum += cards.MeldValue(suit)
			longest = max(longest, set.Len())
		}
	}
	switch melds {
	case 0:
	case 1:
		sum -= firstMeldCost
	default:
		sum -= firstMeldCost + secondMeldCost + (melds-2)*laterMeldCost
	}
	return sum + (longest-2)*meldLength
}

// bestReturn returns the two cards without which a hand of twelve is strongest, and its
// strength then. Among equals it returns the cheapest.
func bestReturn(hand cards.Set) (low, high, worth int) {
	worth = -1
	for rest := hand; rest != 0; rest &= rest - 1 {
		a := rest.First()
		for others := rest & (rest - 1); others != 0; others &= others - 1 {
			b := others.First()
			w := strength(hand &^ (cards.Of(a) | cards.Of(b)))
			if w > worth || w == worth && cards.Points(a)+cards.Points(b) < cards.Points(low)+cards.Points(high) {
				low, high, worth = a, b, w
			}
		}
	}
	return low, high, worth
}

// musikSamples is the number of musiks tried to estimate a hand in the auction.
const musikSamples = 12

// expected estimates what the hand makes after one of the musiks.
func (v *view) expected(rng *engine.RNG) int {
	sum := 0
	for range musikSamples {
		_, _, worth := bestReturn(v.cards | sample(v.possible&^v.known, musikSize, rng))
		sum += worth
	}
	return sum / musikSamples
}

// sample draws n cards from a set of at least as many.
func sample(set cards.Set, n int, rng *engine.RNG) (drawn cards.Set) {
	for range n {
		left := set &^ drawn
		for skip := rng.IntN(left.Len()); skip > 0; skip-- {
			left &= left - 1
		}
		drawn |= left & -left
	}
	return drawn
}

// Margins in points, and the weight of a meld relative to sure tricks, tuned in play against
// greedy and pimc.
const (
	meldWorth      = 40
	bidMargin      = 5  // of the expectation over the highest bid
	contractMargin = 36 // of the expectation over the contract
	bombMargin     = 4  // of the bid over the expectation at which to bomb
)

// heuristic challenges every bid not proved yet (it costs nothing), bids in single steps up to
// what it expects to make and could prove, bombs a hand that will probably miss its bid,
// returns the cards it misses least, announces a contract well below its expectation, and plays
// as in view.heuristicPlay.
func heuristic(v *view, legal []int, rng *engine.RNG) int {
	switch v.phase {
	case auction:
		if legal[len(legal)-1] == Challenge && !v.proved() {
			return Challenge
		}
		return raise(legal, min(v.provable(), v.expected(rng)-bidMargin))
	case bombing:
		if _, _, worth := bestReturn(v.cards); worth+bombMargin <= v.bid {
			return Bomb
		}
		return PlayOn
	case returning:
		return Return + v.returns()
	case announcing:
		steps := (strength(v.cards) - contractMargin - lowestBid) / bidStep
		return max(legal[0], min(Announce+steps, legal[len(legal)-1]))
	case playing:
		return v.heuristicPlay(legal)
	}
	return legal[0]
}

// provable is the highest bid that a challenge could not refute.
func (v *view) provable() int {
	bid := v.rules.Bidding.ProofThreshold
	if melds := v.cards.Melds(); melds != 0 {
		bid = max(bid, lowestBid+cards.MeldValue(bits.Len8(melds)-1))
	}
	return bid
}

// proved reports whether the other has already shown a meld that proves his bid.
func (v *view) proved() bool {
	shown := v.shown[1]
	return shown != 0 && cards.MeldValue(bits.Len8(shown)-1) >= v.bid-lowestBid
}

// returns chooses the next card to return.
func (v *view) returns() int {
	if v.returned == 0 {
		low, _, _ := bestReturn(v.cards)
		return low
	}
	first := v.returned.First()
	chosen, worth := -1, -1
	for rest := v.cards &^ (cards.Of(first) - 1); rest != 0; rest &= rest - 1 {
		if w := strength(v.cards &^ cards.Of(rest.First())); w > worth {
			chosen, worth = rest.First(), w
		}
	}
	return chosen
}

// heuristicPlay counts cards: it knows which of its cards the other can still beat.
//
// When leading it cashes cards that cannot be beaten, trumps first and then by points, with its
// melds ranked among them by their value; after that it gives away the cheapest card that is
// not half of a meld. When replying it takes with the most valuable card that could be lost
// later, and plays the cheapest if it cannot take.
func (v *view) heuristicPlay(legal []int) int {
	return best(legal, func(action int) int {
		card, declares := cardOf(action)
		worth := -cost(v.cards, card)
		switch {
		case declares:
			worth = meldWorth + cards.MeldValue(cards.Suit(card)) - cards.Points(card)
		case v.led == cards.NoCard && v.certain(card):
			worth += takeFirst + 2*cards.Points(card)
			if cards.Suit(card) == v.trump {
				worth += takeFirst
			}
		case v.led != cards.NoCard && cards.Takes(v.led, card, v.trump):
			worth += takeFirst
			if !v.certain(card) {
				worth += 2 * cards.Points(card)
			}
		}
		return worth
	})
}

// certain reports whether the other cannot take a trick to which the card is led.
func (v *view) certain(card int) bool {
	suit := cards.Suit(card)
	if v.possible&cards.Above(card) != 0 {
		return false
	}
	return suit == v.trump || v.possible&cards.OfSuit(v.trump) == 0 || v.known&cards.OfSuit(suit) != 0
}
