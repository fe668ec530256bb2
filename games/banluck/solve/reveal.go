package solve

import (
	"croupier/games/banluck"
)

// opened is what the dealer knows once he has revealed and players with two cards are left: all
// cards but theirs. What they hold follows from it exactly.
type opened struct {
	*Crowd
	kept []kept
	left int // players with two cards
}

// kept is a two-card hand that a player keeps, its values, and its part of the player's plan.
type kept struct {
	ended
	first, second int
}

// newOpened prepares what follows a reveal that leaves some players.
func (c *Crowd) newOpened(hits *[hands]float64, left int) *opened {
	o := &opened{Crowd: c, left: left}
	for _, e := range c.endings(hits)[0] {
		k := kept{ended: e}
		for value := range values {
			for range e.hand.Count(value) {
				k.first, k.second = k.second, value
			}
		}
		o.kept = append(o.kept, k)
	}
	return o
}

// take removes the hand from a deck of the given size and returns the probability, by the
// player's plan, that it is what comes from it. put takes it back.
func (k *kept) take(deck *deck, size int) float64 {
	ways := deck[k.first]
	deck[k.first]--
	ways *= deck[k.second]
	deck[k.second]--
	return k.flow * float64(ways) / float64(size*(size-1))
}

func (k *kept) put(deck *deck) {
	deck[k.first]++
	deck[k.second]++
}

// mass is the probability that n players keep their two cards, which come from a deck.
func (o *opened) mass(n int, deck *deck, size int) (sum float64) {
	if n == 0 {
		return 1
	}
	for i := range o.kept {
		k := &o.kept[i]
		if p := k.take(deck, size); p > 0 {
			sum += p * o.mass(n-1, deck, size-dealt)
		}
		k.put(deck)
	}
	return sum
}

// stop is what one of the players wins on average if the dealer stops with d, times the
// probability that all of them keep their two cards from the deck.
func (o *opened) stop(d banluck.Hand, deck *deck) (sum float64) {
	size := deck.size()
	for i := range o.kept {
		k := &o.kept[i]
		pays := o.HeadsUp.game.Settle(k.hand, d)
		if pays == 0 {
			continue
		}
		if p := k.take(deck, size); p > 0 {
			sum += p * o.mass(o.left-1, deck, size-dealt) * float64(pays)
		}
		k.put(deck)
	}
	return sum
}

// hit is the same if he takes a card and then plays his best.
func (o *opened) hit(d banluck.Hand, left *deck) (sum float64) {
	size := float64(left.size())
	for value, n := range left {
		if n <= 0 {
			continue
		}
		rest := *left
		rest[value]--
		sum += float64(n) / size * o.best(d.With(value), &rest)
	}
	return sum
}

// best is the same with the dealer's best play.
func (o *opened) best(d banluck.Hand, left *deck) float64 {
	switch o.dealer[d] {
	case draws:
		return o.hit(d, left)
	case choice:
		return min(o.stop(d, left), o.hit(d, left))
	}
	return o.stop(d, left)
}

// busts is the probability, by the players' plan, that the dealer hits and ends above 21.
func (o *opened) busts(d banluck.Hand, left *deck) (sum float64) {
	size := float64(left.size())
	for value, n := range left {
		if n <= 0 {
			continue
		}
		next, rest := d.With(value), *left
		rest[value]--
		switch {
		case o.HeadsUp.game.Worth(next).Total > limit:
			sum += float64(n) / size * o.mass(o.left, &rest, rest.size())
		case o.dealer[next] == draws, o.dealer[next] == choice && o.hit(next, &rest) < o.stop(next, &rest):
			sum += float64(n) / size * o.busts(next, &rest)
		}
	}
	return sum
}

// split returns the cards that reveal opens, or that are open already, and how many players are
// left with two cards; the player himself is not counted.
func split(others []banluck.Hand, bonus func(banluck.Hand) bool) (known composition, short int) {
	for _, h := range others {
		if h.Size() > dealt || bonus(h) {
			known = union(known, h)
		} else {
			short++
		}
	}
	return known, short
}

func union(c composition, h banluck.Hand) composition {
	for value := range values {
		c[value] += uint8(h.Count(value))
	}
	return c
}

// reveals is what revealing does to the result of a player, see reveal.
type reveals struct {
	// value is, by class and choice of the dealer, what revealing is worth in the sense of
	// endDealer. Classes in which nobody would be opened, or nobody left, have none.
	value [][]float64
	// shift is, by view and two-card hand of the player, what he gets more because the dealer
	// opens the others' longer hands wherever he stops, and then may draw.
	shift [][hands]float64
}

// canReveal reports whether revealing opens some hands of a class and leaves others.
func (n counts) canReveal() bool {
	return n[0] > 0 && n.unsettled() > n[0]
}

// reveal computes what revealing does, against players with a plan, to a dealer with a plan. The
// dealer plays his best once he has revealed. Values are computed only for the hands of the
// dealer that wanted selects.
func (c *Crowd) reveal(
	p *Profile, player *playerFlow, dealer *dealerFlow, wanted func(class int, d banluck.Hand) bool,
) *reveals {
	r := &reveals{value: make([][]float64, len(c.classes)), shift: make([][hands]float64, len(c.views))}
	for class := range r.value {
		r.value[class] = make([]float64, len(c.choices))
	}
	odds, scratch := make([]float64, len(c.unions.parent)), make([]float64, len(c.unions.parent))
	for i := range c.views {
		v := &c.views[i]
		for k := 1; k < sizes; k++ {
			c.revealLong(v, k, player, r.value[v.class[k]])
		}
		if !c.classes[v.class[0]].canReveal() {
			continue
		}
		for _, company := range v.companies {
			o := c.disclose(p, company, odds, scratch)
			for j, d := range c.choices {
				if wanted(v.class[0], d) {
					r.value[v.class[0]][j] += o.value(d, player)
				}
				if stops := dealer.stops[v.class[0]][c.column[d]]; stops > 0 && o.hits(d) {
					o.shift(d, d, stops, &r.shift[i])
				}
			}
		}
	}
	return r
}

// revealLong adds what a player with 2 + k cards gets if the dealer reveals.
func (c *Crowd) revealLong(v *view, k int, player *playerFlow, value []float64) {
	if !c.classes[v.class[k]].canReveal() {
		return
	}
	for _, h := range c.winning {
		if flow := player.ends[h]; flow > 0 && h.Size() == dealt+k {
			for j, d := range c.choices {
				value[j] += flow * float64(c.pays[h][c.column[d]]) * v.odds[c.faced[h][j]]
			}
		}
	}
}

// disclosure is what follows when the other players' cards are a certain deal, and the player
// has two cards.
type disclosure struct {
	*opened
	known composition
	odds  []float64             // by union, in the deck without the others' cards
	drawn map[banluck.Hand]bool // by choice of the dealer: he draws, where that is known
}

// disclose prepares what follows a deal of the other players' cards. It writes to odds and scratch,
// which are as long as the list of unions.
func (c *Crowd) disclose(p *Profile, company company, odds, scratch []float64) *disclosure {
	known, short := split(company.hands, c.bonus)
	left := company.cards.removedFrom(c.deck)
	clear(odds)
	c.unions.add(odds, scratch, &left, company.weight)
	odds[0] = 0
	return &disclosure{opened: c.newOpened(&p.Player, 1+short), known: known, odds: odds, drawn: map[banluck.Hand]bool{}}
}

// hits reports whether the dealer draws with d after he has revealed.
func (o *disclosure) hits(d banluck.Hand) bool {
	switch o.dealer[d] {
	case draws:
		return true
	case ends:
		return false
	}
	hits, ok := o.drawn[d]
	if !ok {
		cards := union(o.known, d)
		left := cards.removedFrom(o.deck)
		hits = o.hit(d, &left) < o.stop(d, &left)
		o.drawn[d] = hits
	}
	return hits
}

// stopped is what a hand of the player gets if the dealer stops with d.
func (o *disclosure) stopped(h, d banluck.Hand) float64 {
	column := o.column[d]
	return float64(o.pays[h][column]) * o.odds[o.met[h][column]]
}

// value is what the player's two-card hands are worth if the dealer reveals with d.
func (o *disclosure) value(d banluck.Hand, player *playerFlow) (sum float64) {
	if o.hits(d) {
		for value := range values {
			if next := d.With(value); o.dealer[next] != never {
				sum += o.value(next, player)
			}
		}
		return sum
	}
	for _, h := range o.winning[:o.short] {
		if flow := player.ends[h]; flow > 0 {
			sum += flow * o.stopped(h, d)
		}
	}
	return sum
}

// shift adds, by two-card hand of the player, what it gets more if the dealer reveals with
// revealed and ends with what follows from d, instead of stopping.
func (o *disclosure) shift(revealed, d banluck.Hand, flow float64, dst *[hands]float64) {
	if o.hits(d) {
		for value := range values {
			if next := d.With(value); o.dealer[next] != never {
				o.shift(revealed, next, flow, dst)
			}
		}
	} else {
		o.add(d, flow, dst)
	}
	if d == revealed {
		o.add(d, -flow, dst)
	}
}

func (o *disclosure) add(d banluck.Hand, flow float64, dst *[hands]float64) {
	for _, h := range o.winning[:o.short] {
		dst[h] += flow * o.stopped(h, d)
	}
}
