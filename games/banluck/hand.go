package banluck

import (
	"strings"
	"sync"
)

// Card values: 0..7 are the two to the nine, Ten is also the jack, queen and king.
const (
	Ten    = 8
	Ace    = 9
	Values = 10

	seven = 5
)

const (
	// MaxCards is the largest number of cards of a hand.
	MaxCards = 5
	// Hands is the number of hands: multisets of 0 to MaxCards values.
	Hands = 3003
	// growing is how many of them have fewer than MaxCards cards.
	growing = 1001
)

// Hand is a multiset of card values; suits, and the order of the cards, never matter. Hands are
// numbered by size, the smallest first. The zero Hand is empty.
type Hand uint16

// shape is the composition of a hand.
type shape struct {
	counts [Values]uint8 // cards of each value
	size   uint8
}

// shapes lists the hands; with holds what each hand becomes with one more card.
var shapes, with = func() (s [Hands]shape, w [growing][Values]Hand) {
	numbers := map[shape]Hand{{}: 0}
	for h := range w {
		for value := range w[h] {
			next := s[h]
			next.counts[value]++
			next.size++
			number, ok := numbers[next]
			if !ok {
				number = Hand(len(numbers))
				numbers[next] = number
				s[number] = next
			}
			w[h][value] = number
		}
	}
	return s, w
}()

// CardValue returns the value of a card 0..51.
func CardValue(card int) int {
	if value := card / suits; value < Ten {
		return value
	} else if value < cards/suits-1 {
		return Ten
	}
	return Ace
}

// valueOf is CardValue as a table.
var valueOf = func() (v [cards]uint8) {
	for card := range v {
		v[card] = uint8(CardValue(card))
	}
	return v
}()

// With returns the hand with one more card of the value. The hand must have fewer than
// MaxCards cards.
func (h Hand) With(value int) Hand { return with[h][value] }

// Size returns the number of cards.
func (h Hand) Size() int { return int(shapes[h].size) }

// Count returns the number of cards of the value.
func (h Hand) Count(value int) int { return int(shapes[h].counts[value]) }

// String writes the values in ascending order: "7-T", "2-A-A".
func (h Hand) String() string {
	var values []string
	for value, count := range shapes[h].counts {
		for range count {
			values = append(values, string("23456789TA"[value]))
		}
	}
	return strings.Join(values, "-")
}

// Class orders the kinds of hands; a stronger one is greater.
type Class uint8

// The classes.
const (
	Regular Class = iota
	FiveCard
	FiveCard21
	Sevens
	BanLuck
	BanBan

	classes = iota
)

func (c Class) String() string {
	return [...]string{"regular", "five-card", "five-card 21", "777", "Ban Luck", "Ban Ban"}[c]
}

// Worth is what a hand counts.
type Worth struct {
	Total int8
	Soft  bool // an ace counts its higher value
	Class Class
}

const (
	limit      = 21 // a higher total is a bust
	forfeit    = 15 // a player's total up to this one loses
	surrenders = 15 // the hard total of two cards that the dealer may surrender
	mustStand  = 18 // the dealer stands from here on
)

// Worth returns what the hand counts under the game's way to count aces.
func (g *Game) Worth(h Hand) Worth { return g.hands.worth[h] }

// Surrenderable reports whether a dealer with the hand may surrender: two cards without an ace
// that total 15.
func (g *Game) Surrenderable(h Hand) bool {
	w := &g.hands.worth[h]
	return g.rules.Surrender && w.Total == surrenders && !w.Soft && shapes[h].size == dealt
}

// Settle returns what the player wins, in units, when his hand meets the dealer's and
// the dealer has not surrendered.
func (g *Game) Settle(player, dealer Hand) int {
	p, d := &g.hands.worth[player], &g.hands.worth[dealer]
	if max(p.Class, d.Class) < BanLuck {
		switch {
		case p.Total > limit || p.Total <= forfeit:
			return -1
		case d.Total > limit:
			return int(g.pays[p.Class])
		case min(shapes[player].size, shapes[dealer].size) == MaxCards:
			return compare(p.Total, d.Total)
		}
	}
	switch {
	case p.Class > d.Class:
		return int(g.pays[p.Class])
	case p.Class < d.Class:
		return -int(g.pays[d.Class])
	case p.Class == Regular:
		return compare(p.Total, d.Total)
	}
	return 0
}

// compare returns 1, 0 or -1 as a is greater than, equal to or less than b.
func compare(a, b int8) int {
	switch {
	case a > b:
		return 1
	case a < b:
		return -1
	}
	return 0
}

// table holds by Hand what it is worth, and the segment of the observation that shows it.
type table struct {
	worth [Hands]Worth
	own   [Hands][ownSize]float32
}

// tables makes the table of each way to count aces on first use.
var tables = map[string]func() *table{
	AceBest:   sync.OnceValue(func() *table { return newTable(bestAces) }),
	AceGreedy: sync.OnceValue(func() *table { return newTable(greedyAces) }),
}

func newTable(count func(aces, others, low, high int) (total int, soft bool)) *table {
	t := &table{}
	for h := range t.worth {
		shape := &shapes[h]
		others := 0
		for value, n := range shape.counts[:Ace] {
			others += (value + 2) * int(n)
		}
		low, high := 1, 10
		if shape.size <= dealt {
			low, high = 10, 11
		}
		total, soft := count(int(shape.counts[Ace]), others, low, high)
		t.worth[h] = Worth{Total: int8(total), Soft: soft, Class: classOf(shape, total)}
		t.own[h] = ownSegment(shape, t.worth[h])
	}
	return t
}

func classOf(s *shape, total int) Class {
	switch {
	case s.size == dealt && s.counts[Ace] == 2:
		return BanBan
	case s.size == dealt && s.counts[Ace] == 1 && s.counts[Ten] == 1:
		return BanLuck
	case s.size == 3 && s.counts[seven] == 3:
		return Sevens
	case s.size == MaxCards && total == limit:
		return FiveCard21
	case s.size == MaxCards && total < limit:
		return FiveCard
	}
	return Regular
}

// bestAces counts as many aces high as the limit allows.
func bestAces(aces, others, low, high int) (total int, soft bool) {
	total = others + aces*low
	for range aces {
		if total+high-low > limit {
			break
		}
		total += high - low
		soft = true
	}
	return total, soft
}

// greedyAces counts the aces one by one.
func greedyAces(aces, others, low, high int) (total int, soft bool) {
	total = others
	for range aces {
		if total+high <= limit {
			total += high
			soft = true
		} else {
			total += low
		}
	}
	return total, soft
}
