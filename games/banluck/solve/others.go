package solve

import (
	"croupier/engine"
	"croupier/games/banluck"
)

// What everybody can see of a player once his turn is over: two to five cards, or an open bonus.
const (
	banLuck = sizes + iota
	banBan
	kinds
)

// counts are players by what can be seen of them.
type counts [kinds]int

// total is the number of players.
func (n counts) total() (sum int) {
	for _, count := range n {
		sum += count
	}
	return sum
}

// unsettled is the number of players whose hand is not open.
func (n counts) unsettled() int { return n.total() - n[banLuck] - n[banBan] }

// with is n and one more player.
func (n counts) with(kind int) counts {
	n[kind]++
	return n
}

// arrangements is the number of ways to seat the players.
func (n counts) arrangements() float64 {
	ways, seated := 1.0, 0
	for _, count := range n {
		for i := range count {
			seated++
			ways *= float64(seated) / float64(i+1)
		}
	}
	return ways
}

// allCounts lists everything that can be seen of a number of players, in a fixed order.
func allCounts(players int) (list []counts) {
	var fill func(n counts, kind, left int)
	fill = func(n counts, kind, left int) {
		if kind == kinds-1 {
			n[kind] = left
			list = append(list, n)
			return
		}
		for n[kind] = left; n[kind] >= 0; n[kind]-- {
			fill(n, kind+1, left-n[kind])
		}
	}
	fill(counts{}, 0, players)
	return list
}

// ended is a way in which a player's turn can end, and its part of the player's plan, see
// playerFlow.
type ended struct {
	hand banluck.Hand
	flow float64
}

// company is a deal of the other players' cards, and its probability or, if it is drawn at
// random, the probability that it stands for.
type company struct {
	cards  composition
	hands  []banluck.Hand
	weight float64
}

// endings lists by kind how a player's turn can end.
func (t *HeadsUp) endings(hits *[hands]float64) (list [kinds][]ended) {
	plan := &playerFlow{}
	t.flowPlayer(hits, plan)
	for _, h := range t.pairs {
		if t.bonus(h) {
			kind := banLuck
			if t.game.Worth(h).Class == banluck.BanBan {
				kind = banBan
			}
			list[kind] = append(list[kind], ended{h, orders(h)})
		}
	}
	for _, h := range t.players {
		if plan.ends[h] > 0 {
			list[h.Size()-dealt] = append(list[h.Size()-dealt], ended{h, plan.ends[h]})
		}
	}
	return list
}

// companies returns deals of the cards of players of whom n is seen: all of them for no or one
// player, and the given number of random ones for more, each hand given those before it and
// stratified over the draws (Latin hypercube sampling). Their weights then are such that sums
// over the deals are right on average.
func (t *HeadsUp) companies(endings *[kinds][]ended, n counts, draws int, rng *engine.RNG) []company {
	var seats []int
	for kind, count := range n {
		for range count {
			seats = append(seats, kind)
		}
	}
	if len(seats) == 0 {
		return []company{{weight: 1}}
	}
	first, odds := given(endings[seats[0]], &t.deck)
	var list []company
	if len(seats) == 1 {
		for i, e := range endings[seats[0]] {
			list = append(list, company{compositionOf(e.hand), []banluck.Hand{e.hand}, odds[i] * first})
		}
		return list
	}
	strata := make([][]int, len(seats))
	for i := range strata {
		strata[i] = permutation(draws, rng)
	}
	for draw := range draws {
		c := company{weight: n.arrangements() / float64(draws)}
		for i, kind := range seats {
			left := c.cards.removedFrom(t.deck)
			mass, odds := given(endings[kind], &left)
			if c.weight *= mass; mass == 0 {
				break
			}
			at := (float64(strata[i][draw]) + rng.Float64()) / float64(draws)
			c.hands = append(c.hands, endings[kind][quantile(odds, at)].hand)
			c.cards = compositionOf(c.hands...)
		}
		if c.weight > 0 {
			list = append(list, c)
		}
	}
	return list
}

// permutation returns the numbers below n in random order.
func permutation(n int, rng *engine.RNG) []int {
	list := make([]int, n)
	for i := range list {
		j := rng.IntN(i + 1)
		list[i], list[j] = list[j], i
	}
	return list
}

// quantile returns the index at which the sum of the probabilities exceeds x.
func quantile(probabilities []float64, x float64) int {
	last := 0
	for i, p := range probabilities {
		if p > 0 {
			last = i
			if x < p {
				break
			}
		}
		x -= p
	}
	return last
}

// given returns the probability of any of the endings if the player's cards come from some deck,
// and that of each among them.
func given(endings []ended, left *deck) (mass float64, among []float64) {
	among = make([]float64, len(endings))
	size := left.size()
	for i, e := range endings {
		p := e.flow
		for value, n := range left {
			for drawn := range e.hand.Count(value) {
				p *= float64(max(0, n-drawn))
			}
		}
		for drawn := range e.hand.Size() {
			p /= float64(size - drawn)
		}
		among[i] = p
		mass += p
	}
	if mass > 0 {
		for i := range among {
			among[i] /= mass
		}
	}
	return mass, among
}
