package doubledummy

import (
	"math/bits"

	"croupier/games/tysiac/cards"
)

// noMove is the index of no move. The index of a move is its card, plus 32 for a declaration.
const (
	noMove      = 255
	declaration = 32
)

// candidate is a move of a node with what the search found.
type candidate struct {
	index    uint8
	order    int16 // the highest is searched first
	meld     bool  // a declaration, or a card that spoils a meld
	searched bool
	value    int16 // upper bound of the value for the leader, lower bound for the follower
}

func (c *candidate) card() int { return int(c.index & (declaration - 1)) }

func (c *candidate) move() Move { return Move{Card: c.card(), Declare: c.index >= declaration} }

// moves are the legal moves of a node, at most 18: ten cards and eight declarations.
type moves struct {
	list  [18]candidate
	count int
	best  uint8
}

func (l *moves) add(card int, order int, meld bool) {
	l.list[l.count] = candidate{index: uint8(card), order: int16(order), meld: meld}
	l.count++
}

// addCard adds a card, played without a declaration, from a hand with these melds.
func (l *moves) addCard(card int, takes bool, melds uint8) {
	order := -cards.Points(card)
	if takes {
		order = orderTake + cards.Points(card)
	}
	suit := cards.Suit(card)
	spoils := melds>>suit&1 != 0 && cards.Meld(suit).Has(card)
	if spoils {
		order += orderSpoil
	}
	l.add(card, order, spoils)
}

// next swaps the move to be searched i-th into place i and returns it.
func (l *moves) next(i int) *candidate {
	first := i
	for j := i + 1; j < l.count; j++ {
		if l.list[j].order > l.list[first].order {
			first = j
		}
	}
	l.list[i], l.list[first] = l.list[first], l.list[i]
	return &l.list[i]
}

// equivalent returns the bound on the value of move i that follows from the quasi-equivalent
// moves searched before it, or worst if there are none: the smallest upper bound if worst is
// positive, otherwise the largest lower bound. Cards of the enemy separate others.
func (l *moves) equivalent(i int, enemy cards.Set, worst int) int {
	m := &l.list[i]
	card := m.card()
	bound := worst
	for j := range i {
		c := &l.list[j]
		if !c.searched || c.meld != m.meld || (c.index^m.index)&declaration != 0 || !adjacent(c.card(), card, enemy) {
			continue
		}
		difference := 2 * (cards.Points(c.card()) - cards.Points(card))
		difference = max(difference, -difference)
		if worst > 0 {
			bound = min(bound, int(c.value)+difference)
		} else {
			bound = max(bound, int(c.value)-difference)
		}
	}
	return bound
}

// adjacent reports whether two cards are of one suit with no card of the enemy between them.
func adjacent(a, b int, enemy cards.Set) bool {
	if a > b {
		a, b = b, a
	}
	return cards.Suit(a) == cards.Suit(b) && enemy&cards.Above(a)&^cards.Above(b) == 0
}

// The order of moves: the move that was best before; cards that take the trick together with
// declarations, the most valuable first; other cards, the cheapest first; cards that spoil a
// meld. It was chosen to minimise the number of nodes.
const (
	orderBest    = 10000
	orderDeclare = 50
	orderTake    = 100
	orderSpoil   = -100
)

// leads lists the moves of the leader.
func (l *moves) leads(leader, follower cards.Set, trump int, best uint8) {
	trumps := follower & cards.OfSuit(trump)
	melds := leader.Melds()
	for rest := leader; rest != 0; rest &= rest - 1 {
		card := rest.First()
		takes := follower&cards.Above(card) == 0 && (trumps == 0 || follower&cards.OfSuit(cards.Suit(card)) != 0)
		l.addCard(card, takes, melds)
	}
	l.declarations(melds, leader)
	for i := range l.count {
		if l.list[i].index == best {
			l.list[i].order = orderBest
		}
	}
}

// replies lists the moves of the follower.
func (l *moves) replies(rules cards.Rules, follower cards.Set, led, trump int) {
	melds := follower.Melds()
	set := rules.Replies(follower, led, trump)
	for rest := set; rest != 0; rest &= rest - 1 {
		card := rest.First()
		l.addCard(card, cards.Takes(led, card, trump), melds)
	}
	if rules.FollowerMelds {
		l.declarations(melds, set)
	}
}

// declarations lists the declarations of the melds that a card of the set can make.
func (l *moves) declarations(melds uint8, set cards.Set) {
	for ; melds != 0; melds &= melds - 1 {
		suit := bits.TrailingZeros8(melds)
		for rest := set & cards.Meld(suit); rest != 0; rest &= rest - 1 {
			l.add(rest.First()+declaration, orderDeclare+cards.MeldValue(suit), true)
		}
	}
}
