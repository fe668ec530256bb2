package solve

import (
	"math/bits"

	"croupier/games/banluck"
)

const (
	values   = banluck.Values
	hands    = banluck.Hands
	maxCards = banluck.MaxCards

	dealt = 2 // cards of each seat before anybody acts
	// sizes is the count of possible final numbers of cards, dealt to maxCards.
	sizes = maxCards - dealt + 1

	mustDraw  = 15 // the dealer draws up to this total
	mustStand = 18 // and stands from this one on
	limit     = 21

	most = 2 * maxCards // cards in the hands whose odds are computed
)

// deck holds the number of cards of each value.
type deck [values]int

// fullDeck is the deck of the game.
var fullDeck = func() (d deck) {
	for card := range 52 {
		d[banluck.CardValue(card)]++
	}
	return d
}()

// size returns the number of cards.
func (d *deck) size() (n int) {
	for _, count := range d {
		n += count
	}
	return n
}

// holds reports whether the hand can be dealt.
func (d *deck) holds(h banluck.Hand) bool {
	for value, count := range d {
		if h.Count(value) > count {
			return false
		}
	}
	return true
}

// odds gives the probability of single deals. Cards are exchangeable: the probability that the
// cards of several hands come in particular orders of values is the same for all orders, and
// for all points of the deal at which they come.
type odds struct {
	falling [values][most + 1]float64 // by value and count: n (n−1) …, count factors
	all     [most + 1]float64         // the same for the whole deck
}

func newOdds(d *deck) *odds {
	o := &odds{}
	fill := func(dst *[most + 1]float64, n int) {
		dst[0] = 1
		for i := 1; i < len(dst); i++ {
			dst[i] = dst[i-1] * float64(max(0, n-i+1))
		}
	}
	for value, n := range d {
		fill(&o.falling[value], n)
	}
	fill(&o.all, d.size())
	return o
}

// of is the probability of one order of a and one of b.
func (o *odds) of(a, b banluck.Hand) float64 {
	p := 1 / o.all[a.Size()+b.Size()]
	for cards := packs[a] + packs[b]; cards != 0; {
		value := bits.TrailingZeros64(uint64(cards)) / lane
		count := cards >> (lane * value) & (1<<lane - 1)
		p *= o.falling[value][count]
		cards -= count << (lane * value)
	}
	return p
}

// orders is the number of orders of two cards.
func orders(h banluck.Hand) float64 {
	for value := range values {
		if h.Count(value) == 2 {
			return 1
		}
	}
	return 2
}
