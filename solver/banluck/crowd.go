package banluck

import (
	"fmt"

	"croupier/engine"
	"croupier/engine/banluck"
	"croupier/policy"
)

// Crowd is the dealer's side of the game with several players who all play the heads-up
// equilibrium, so that what a player does depends on his own cards alone.
//
// The result of a hand is the sum over the players, and the expectation of a sum is the sum of
// expectations: the value of stopping follows exactly from the distribution of each single
// hand, given what the dealer knows. That distribution is exact if a player's cards are the
// only hidden ones. Here a player's hand is assumed to depend on the dealer's cards, on its own
// number of cards and, after reveal, on all open cards, but not on the numbers of cards of
// other hidden hands. So the policies are only close to the best, and their value is estimated
// by playing them.
type Crowd struct {
	*HeadsUp
	hits   *[hands]float64
	goesOn []float64
	plan   playerFlow
	short  []short // the two-card hands that a player keeps
	// By a player's cards − 2 and the dealer's hand: the odds that the player has that many cards,
	// and his mean result if the dealer stops. alone leaves out players who are bust.
	all, alone [sizes]meeting
}

type short struct {
	hand   banluck.Hand
	weight float64
}

type meeting struct{ mass, result [hands]float64 }

// NewCrowd prepares the dealer's tables against players who play s.
func NewCrowd(s *Solution) *Crowd {
	c := &Crowd{HeadsUp: s.game, hits: &s.profile.Player, goesOn: s.profile.GoesOn}
	c.flowPlayer(c.hits, &c.plan)
	for _, h := range c.players {
		flow := c.plan.ends[h]
		if flow == 0 {
			continue
		}
		if h.Size() == dealt {
			c.short = append(c.short, short{h, flow})
		}
		k := h.Size() - dealt
		for _, d := range c.dealers {
			mass := flow * c.odds.of(h, d)
			result := mass * float64(c.game.Settle(h, d))
			c.all[k].add(d, mass, result)
			if c.player[h] != bust {
				c.alone[k].add(d, mass, result)
			}
		}
	}
	for k := range sizes {
		for _, d := range c.dealers {
			c.all[k].finish(d)
			c.alone[k].finish(d)
		}
	}
	return c
}

func (m *meeting) add(d banluck.Hand, mass, result float64) {
	m.mass[d] += mass
	m.result[d] += result
}

// finish turns the sum of results into their mean.
func (m *meeting) finish(d banluck.Hand) {
	if m.mass[d] > 0 {
		m.result[d] /= m.mass[d]
	}
}

// counts are the unsettled players by number of cards − 2.
type counts [sizes]int

func (n counts) players() (sum int) {
	for _, count := range n {
		sum += count
	}
	return sum
}

// outlook is what the dealer's hands are worth to some players together if the dealer plays his
// best without reveal.
type outlook struct{ stop, hit, best [hands]float64 }

// outlook looks ahead at what the players counted by paid get, where n counts all players.
func (c *Crowd) outlook(n, paid counts) *outlook {
	tables := &c.all
	if n.players() == 1 {
		tables = &c.alone
	}
	o := &outlook{}
	for i := len(c.dealers) - 1; i >= 0; i-- {
		d := c.dealers[i]
		for k, count := range paid {
			o.stop[d] += float64(count) * tables[k].result[d]
		}
		if c.dealer[d] != ends {
			o.hit[d] = c.draw(tables, n, d, &o.best)
		}
		switch c.dealer[d] {
		case draws:
			o.best[d] = o.hit[d]
		case choice:
			o.best[d] = min(o.stop[d], o.hit[d])
		default:
			o.best[d] = o.stop[d]
		}
	}
	return o
}

// draw is the mean of the values of the hands that follow from d. The players' numbers of cards
// carry information about the cards that are left.
func (c *Crowd) draw(tables *[sizes]meeting, n counts, d banluck.Hand, value *[hands]float64) float64 {
	sum, weights := 0.0, 0.0
	for v, count := range c.deck {
		left := float64(count - d.Count(v))
		next := d.With(v)
		if left <= 0 {
			continue
		}
		weight := left
		for k, players := range n {
			for range players {
				weight *= tables[k].mass[next] / (tables[k].mass[d] * left)
			}
		}
		sum += weight * value[next]
		weights += weight
	}
	return sum / weights
}

// lookahead decides, once the other hands are open, whether to draw against the players with
// two cards.
type lookahead struct {
	*Crowd
	weights [maxCards + 1][]float64 // by depth and short hand
}

// draws reports whether drawing is better for the dealer than standing; left holds the deck and
// the hidden hands.
func (l *lookahead) draws(d banluck.Hand, left *deck) bool {
	weights := l.weights[0][:0]
	for _, s := range l.short {
		w := s.weight
		for v, n := range left {
			for i := range s.hand.Count(v) {
				w *= float64(max(0, n-i))
			}
		}
		weights = append(weights, w)
	}
	l.weights[0] = weights
	return l.hit(d, left, 0) < l.stop(d, weights)
}

func (l *lookahead) stop(d banluck.Hand, weights []float64) (sum float64) {
	for i, s := range l.short {
		sum += weights[i] * float64(l.game.Settle(s.hand, d))
	}
	return sum
}

// hit is the sum over the next cards, where the weights at the depth are those of the hidden
// hands.
func (l *lookahead) hit(d banluck.Hand, left *deck, depth int) (sum float64) {
	hidden := float64(left.size() - dealt)
	for v, n := range left {
		if n == 0 {
			continue
		}
		next, weights := d.With(v), l.weights[depth+1][:0]
		for i, s := range l.short {
			weights = append(weights, l.weights[depth][i]*float64(n-s.hand.Count(v))/hidden)
		}
		l.weights[depth+1] = weights
		rest := *left
		rest[v]--
		switch value := l.stop(next, weights); l.dealer[next] {
		case draws:
			sum += l.hit(next, &rest, depth+1)
		case choice:
			sum += min(value, l.hit(next, &rest, depth+1))
		default:
			sum += value
		}
	}
	return sum
}

// Dealer returns a policy of the dealer. With reveal he opens the players with three or more
// cards whenever that is better than drawing, and so also when he would stop, since it gives
// him information for free. A policy caches its lookahead and belongs to one goroutine.
func (c *Crowd) Dealer(reveal bool) policy.Policy {
	return &crowdDealer{lookahead: lookahead{Crowd: c}, reveal: reveal, outlooks: map[[2]counts]*outlook{}}
}

type crowdDealer struct {
	lookahead
	reveal   bool
	opened   bool                   // has revealed in this hand
	outlooks map[[2]counts]*outlook // by all and paid
	reveals  int
}

// Reset begins a new hand.
func (c *crowdDealer) Reset() { c.opened = false }

// Choose implements policy.Policy.
func (c *crowdDealer) Choose(state engine.State, legal []int, rng *engine.RNG) int {
	s := state.(*banluck.State)
	d := s.Hand(s.Dealer())
	if legal[0] == banluck.Surrender {
		return c.answer(d, rng)
	}
	n, known := c.see(s)
	if c.opened {
		left := c.deck
		for v := range left {
			left[v] -= d.Count(v) + known[v]
		}
		if c.draws(d, &left) {
			return banluck.Hit
		}
		return banluck.Stand
	}
	all := c.ahead(n, n)
	stop, hit := all.stop[d], all.hit[d]
	if c.reveal && n[0] > 0 && n.players() > n[0] {
		two := c.ahead(n, counts{n[0]})
		if stop-two.stop[d]+min(two.stop[d], two.hit[d]) <= hit {
			c.opened = true
			c.reveals++
			return banluck.Reveal
		}
	}
	if hit < stop {
		return banluck.Hit
	}
	return banluck.Stand
}

// answer surrenders as the equilibrium does heads-up.
func (c *crowdDealer) answer(d banluck.Hand, rng *engine.RNG) int {
	for i, other := range c.surrenderable {
		if other == d && rng.Float64() < c.goesOn[i] {
			return banluck.Continue
		}
	}
	return banluck.Surrender
}

func (c *crowdDealer) ahead(n, paid counts) *outlook {
	key := [2]counts{n, paid}
	o := c.outlooks[key]
	if o == nil {
		o = c.outlook(n, paid)
		c.outlooks[key] = o
	}
	return o
}

// see counts the unsettled players, and the cards of those that are open: Ban Ban, Ban Luck and,
// once the dealer has revealed, three or more.
func (c *crowdDealer) see(s *banluck.State) (n counts, known deck) {
	for seat := range s.Dealer() {
		h := s.Hand(seat)
		if c.bonus(h) || c.opened && h.Size() > dealt {
			for v := range values {
				known[v] += h.Count(v)
			}
			continue
		}
		n[h.Size()-dealt]++
	}
	return n, known
}

// newGame returns the game with the given number of players under the rules of the heads-up
// game.
func (c *Crowd) newGame(players int) (*banluck.Game, error) {
	rules := c.game.Rules().(banluck.Rules)
	rules.Players = players
	g, err := gameUnder(rules)
	if err != nil {
		return nil, fmt.Errorf("solver: banluck: %d players: %w", players, err)
	}
	return g, nil
}
