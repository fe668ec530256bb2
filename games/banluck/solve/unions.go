package solve

import (
	"math/bits"

	"croupier/games/banluck"
)

// composition is a multiset of card values of any size, and can be compared.
type composition [values]uint8

func compositionOf(list ...banluck.Hand) (c composition) {
	for _, h := range list {
		for value := range values {
			c[value] += uint8(h.Count(value))
		}
	}
	return c
}

// removedFrom is the deck without the cards. Fewer than none are left of a value whose cards it
// does not hold.
func (c composition) removedFrom(d deck) deck {
	for value, n := range c {
		d[value] -= int(n)
	}
	return d
}

// packed is a composition as a number that can be added to another: lane bits for each value, the highest of which
// is 0 while there are fewer than 32 cards of the value.
type packed uint64

const (
	lane  = 6
	lanes = 1<<(lane*values) - 1
	fence = packed(lanes / (1<<lane - 1) << (lane - 1)) // the highest bit of each value
)

// packs lists the hands.
var packs = func() (list [hands]packed) {
	for h := range list {
		for value := range values {
			list[h] += packed(banluck.Hand(h).Count(value)) << (lane * value)
		}
	}
	return list
}()

// packed returns the cards of the deck.
func (d *deck) packed() (p packed) {
	for value, n := range d {
		p += packed(n) << (lane * value)
	}
	return p
}

// holds reports whether these cards can be taken from those.
func (p packed) holds(cards packed) bool { return ((p|fence)-cards)&fence == fence }

// unions lists compositions of cards, each after the one that lacks its last card, so that
// their odds take one multiplication each.
type unions struct {
	parent []int32
	value  []uint8 // of the card that is added to the parent
	before []uint8 // how many of the value the parent has
	size   []uint8
	index  map[packed]int32
}

// newUnions returns the list with only the empty composition.
func newUnions() *unions {
	return &unions{
		parent: []int32{0}, value: []uint8{0}, before: []uint8{0}, size: []uint8{0}, index: map[packed]int32{0: 0},
	}
}

// of returns the number of a composition, which is added if it is new.
func (u *unions) of(p packed) int32 {
	if i, ok := u.index[p]; ok {
		return i
	}
	value := (bits.Len64(uint64(p)) - 1) / lane
	less := p - 1<<(lane*value)
	parent := u.of(less)
	i := int32(len(u.parent))
	u.index[p] = i
	u.parent = append(u.parent, parent)
	u.value = append(u.value, uint8(value))
	u.before = append(u.before, uint8(less>>(lane*value)))
	u.size = append(u.size, u.size[parent]+1)
	return i
}

// unite returns the unions of a hand with others; those that the deck does not hold are the
// empty one, at number 0.
func (u *unions) unite(h banluck.Hand, others []banluck.Hand, deck packed) []int32 {
	list := make([]int32, len(others))
	for i, other := range others {
		if cards := packs[h] + packs[other]; deck.holds(cards) {
			list[i] = u.of(cards)
		}
	}
	return list
}

// add adds, by composition, the weight times the probability that its cards come from the deck
// in one particular order. scratch has the length of dst.
func (u *unions) add(dst, scratch []float64, left *deck, weight float64) {
	var ways [values][2 * maxCards]float64
	for value, n := range left {
		for before := range ways[value] {
			ways[value][before] = float64(max(0, n-before))
		}
	}
	var scale [2*maxCards + 1]float64
	scale[0] = weight
	for size := 1; size < len(scale); size++ {
		scale[size] = scale[size-1] / float64(left.size()-size+1)
	}
	scratch[0] = 1
	dst[0] += scale[0]
	for i := 1; i < len(dst); i++ {
		scratch[i] = scratch[u.parent[i]] * ways[u.value[i]][u.before[i]]
		dst[i] += scratch[i] * scale[u.size[i]]
	}
}
