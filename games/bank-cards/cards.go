package bankcards

import (
	"fmt"
	"math/bits"
	"strings"
)

// cards is a set of cards; card v is bit v.
type cards [2]uint64

// upTo returns the cards 1..v.
func upTo(v int) cards {
	var c cards
	for card := 1; card <= v; card++ {
		c.add(card)
	}
	return c
}

func (c *cards) add(card int)     { c[card>>6] |= 1 << (card & 63) }
func (c *cards) remove(card int)  { c[card>>6] &^= 1 << (card & 63) }
func (c cards) has(card int) bool { return c[card>>6]>>(card&63)&1 == 1 }
func (c cards) empty() bool       { return c[0]|c[1] == 0 }
func (c cards) len() int          { return bits.OnesCount64(c[0]) + bits.OnesCount64(c[1]) }
func (c cards) without(o cards) cards {
	return cards{c[0] &^ o[0], c[1] &^ o[1]}
}

// above returns the cards that are higher than v.
func (c cards) above(v int) cards {
	if v >= 64 {
		return cards{0, c[1] >> (v - 63) << (v - 63)}
	}
	return cards{c[0] >> v >> 1 << v << 1, c[1]}
}

// lowest returns the lowest card of a non-empty set.
func (c cards) lowest() int {
	if c[0] != 0 {
		return bits.TrailingZeros64(c[0])
	}
	return 64 + bits.TrailingZeros64(c[1])
}

// next removes the lowest card of a non-empty set and returns it.
func (c *cards) next() int {
	card := c.lowest()
	c.remove(card)
	return card
}

// at returns the card of the set that has the given number of lower cards in it.
func (c cards) at(lower int) int {
	half := 0
	if n := bits.OnesCount64(c[0]); lower >= n {
		half, lower = 1, lower-n
	}
	for ; lower > 0; lower-- {
		c[half] &= c[half] - 1
	}
	return 64*half + bits.TrailingZeros64(c[half])
}

// sum adds up the values.
func (c cards) sum() (sum int) {
	for !c.empty() {
		sum += c.next()
	}
	return sum
}

// String lists the cards, or is "-" when there are none.
func (c cards) String() string {
	if c.empty() {
		return "-"
	}
	var b strings.Builder
	for !c.empty() {
		fmt.Fprintf(&b, " %d", c.next())
	}
	return b.String()[1:]
}
