package solve

import (
	"slices"

	"croupier/engine"
	"croupier/games/banluck"
)

// Crowd is the game of one to four players against the dealer, as one of the players sees it.
//
// The players' strategies are alike and depend on the own cards alone; the dealer's depends on
// his cards and on what he can see of all players: how many have each number of cards, Ban Luck
// and Ban Ban. The result of a hand is the sum over the players, whose seats are exchangeable,
// so the dealer wins from all of them as many times what he wins from one as there are players.
// Hence one player's result decides everything, and the game of one player against the dealer
// in company of the others is a zero-sum game on two flows, as in [HeadsUp]. With one player it
// is that game.
//
// The cards of the other players leave the deck without being known. For what can be seen of
// them, a view holds the odds of the cards of player and dealer summed over the others' deals:
// all deals of one other player, and random ones of two or three, the same for all strategies.
// So with three and four players the numbers are those of a sample of the others' deals.
//
// Reveal is left out here: like stand it is to stop. See [CrowdSolution] for what it adds.
type Crowd struct {
	*HeadsUp
	table   *banluck.Game // the game with all players
	number  int           // of players
	classes []counts      // what the dealer can see of all players while somebody is unsettled
	classOf map[counts]int

	winning       []banluck.Hand // that are not lost if the player takes no further card
	short         int            // of them have two cards, and come first
	choices       []banluck.Hand // of the dealer
	*meetingHands                // nil before the first look
	views         []view
}

// meetingHands are the numbers of the unions of hands that meet.
type meetingHands struct {
	pays   [hands][]int8  // by winning hand and column: what the player gets
	met    [hands][]int32 // by winning hand and column: number of the union of both hands
	first  [hands][]int32 // by hand of the player and pair of the dealer: the same
	faced  [hands][]int32 // by hand of the player and choice of the dealer: the same
	unions *unions
}

// view is what can be seen of the other players, and what it means.
type view struct {
	others    counts
	class     [sizes]int // of all players, by the cards − 2 of the player
	odds      []float64  // by union: of one order of its cards, and of the others' being as seen
	dead      []float64  // the part of odds where none of the others can win any more
	meetings  [hands][]float64
	companies []company
}

// newCrowd prepares the game under rules with any number of players. Its views are empty before [Crowd.look].
func newCrowd(t *HeadsUp, g *banluck.Game) *Crowd {
	c := &Crowd{HeadsUp: t, table: g, number: g.Spec().Seats - 1, classOf: map[counts]int{}, choices: t.DealerHands()}
	for _, n := range allCounts(c.number) {
		if n.unsettled() > 0 {
			c.classOf[n] = len(c.classes)
			c.classes = append(c.classes, n)
		}
	}
	for _, h := range t.players {
		if t.lost(h) {
			continue
		}
		c.winning = append(c.winning, h)
		if h.Size() == dealt {
			c.short++
		}
	}
	return c
}

// newMeetingHands numbers the unions of all hands that can meet.
func (c *Crowd) newMeetingHands() *meetingHands {
	m := &meetingHands{unions: newUnions()}
	all := c.deck.packed()
	unite := func(h banluck.Hand, others []banluck.Hand) []int32 { return m.unions.unite(h, others, all) }
	for _, h := range c.players {
		m.first[h] = unite(h, c.pairs)
		m.faced[h] = unite(h, c.choices)
		if c.lost(h) {
			continue
		}
		m.met[h] = unite(h, c.columns)
		for _, d := range c.columns {
			m.pays[h] = append(m.pays[h], int8(c.HeadsUp.game.Settle(h, d)))
		}
	}
	return m
}

// lost reports whether the player has lost if he takes no further card: a bust, or a forfeit with
// fewer than five cards, with which nobody should stand. (Five cards and 15 or less are lost too,
// but many get there, and the dealer has to act.)
func (t *HeadsUp) lost(h banluck.Hand) bool {
	total := t.game.Worth(h).Total
	return total > limit || total <= mustDraw && h.Size() < maxCards
}

// look fills in the views against other players who hit so often. draws is the number of random
// deals for each view of two or three others.
func (c *Crowd) look(hits *[hands]float64, draws int, seed uint64) {
	if c.meetingHands == nil {
		c.meetingHands = c.newMeetingHands()
	}
	endings := c.endings(hits)
	rng := engine.NewRNG(seed, engine.ChanceStream)
	scratch := make([]float64, len(c.unions.parent))
	c.views = c.views[:0]
	for _, others := range allCounts(c.number - 1) {
		v := view{
			others: others, odds: make([]float64, len(scratch)), dead: make([]float64, len(scratch)),
			companies: c.companies(&endings, others, draws, rng),
		}
		for _, company := range v.companies {
			left := company.cards.removedFrom(c.deck)
			c.unions.add(v.odds, scratch, &left, company.weight)
			if !slices.ContainsFunc(company.hands, c.alive) {
				c.unions.add(v.dead, scratch, &left, company.weight)
			}
		}
		v.odds[0], v.dead[0] = 0, 0 // of what the deck does not hold
		for k := range v.class {
			v.class[k] = c.classOf[others.with(k)]
		}
		for _, h := range c.players {
			v.meetings[h] = c.meetingsIn(&v, h)
		}
		c.views = append(c.views, v)
	}
}

// alive reports whether an unsettled hand is not bust, so that the dealer has to act.
func (t *HeadsUp) alive(h banluck.Hand) bool { return t.player[h] != never && t.player[h] != bust }

// meetingsIn is HeadsUp.meetings in a view.
func (c *Crowd) meetingsIn(v *view, h banluck.Hand) []float64 {
	sums := make([]float64, 1+len(c.surrenderable))
	for i, d := range c.pairs {
		if !c.bonus(d) {
			sums[1+slices.Index(c.surrenderable, d)] += orders(d) * v.odds[c.first[h][i]]
		}
	}
	return sums
}

// meets is the probability, by the odds and the dealer's plan, that play reaches the player's
// hand in the view.
func (v *view) meets(h banluck.Hand, goesOn []float64) float64 {
	return meets(v.meetings[h], goesOn)
}

// end is what a hand of the player is worth in a view if he takes no further card.
func (c *Crowd) end(v *view, h banluck.Hand, f *dealerFlow) (sum float64) {
	if c.lost(h) {
		return -v.meets(h, f.goesOn)
	}
	stops, pays := f.stops[v.class[h.Size()-dealt]], c.pays[h]
	for column, union := range c.met[h] {
		sum += stops[column] * float64(pays[column]) * v.odds[union]
	}
	return sum
}

// endPlayer writes what each hand of the player is worth if he takes no further card.
func (c *Crowd) endPlayer(f *dealerFlow, end *[hands]float64) {
	for _, h := range c.players {
		end[h] = 0
		for i := range c.views {
			end[h] += c.end(&c.views[i], h, f)
		}
	}
}

// endDealer writes, by class, what each hand of the dealer is worth to the player if he takes no
// further card, but for hands that are lost whatever he does.
func (c *Crowd) endDealer(f *playerFlow, end [][hands]float64, scratch [][]float64) {
	for _, sums := range scratch {
		clear(sums)
	}
	for i := range c.views {
		v := &c.views[i]
		for _, h := range c.winning {
			flow := f.ends[h]
			if flow == 0 {
				continue
			}
			sums, pays := scratch[v.class[h.Size()-dealt]], c.pays[h]
			for column, union := range c.met[h] {
				sums[column] += flow * float64(pays[column]) * v.odds[union]
			}
		}
	}
	for class, sums := range scratch {
		for column, d := range c.columns {
			end[class][d] = sums[column]
		}
	}
}

// losses is the probability, by the odds and the player's plan, that the player ends with a hand
// that is lost against the dealer's pairs at index at of meetings.
func (c *Crowd) losses(f *playerFlow, at int) (sum float64) {
	for _, h := range c.players {
		if f.ends[h] > 0 && c.lost(h) {
			for i := range c.views {
				sum += f.ends[h] * c.views[i].meetings[h][at]
			}
		}
	}
	return sum
}

// goOn is what each surrenderable hand is worth to the player if the dealer plays on, where value
// is the value of the dealer's hands.
func (c *Crowd) goOn(f *playerFlow, value [][hands]float64, dst []float64) {
	for i, d := range c.surrenderable {
		dst[i] = c.bonuses[i] - c.losses(f, 1+i)
		for class := range value {
			dst[i] += orders(d) * value[class][d]
		}
	}
}

// bestPlayer fills in the values against a plan of the dealer.
func (c *Crowd) bestPlayer(f *dealerFlow, v *playerValue) {
	c.endPlayer(f, &v.end)
	c.choose(v)
}

// bestDealer fills in the values against a plan of the player.
func (c *Crowd) bestDealer(f *playerFlow, v *dealerValue) {
	c.endDealer(f, v.end, c.newDealerFlow(len(c.classes)).stops)
	c.respond(v)
	c.goOn(f, v.best, v.goOn)
}

// lowest is the player's result against a best response of the dealer with the values v.
func (c *Crowd) lowest(f *playerFlow, v *dealerValue) float64 {
	low := c.before - c.losses(f, 0)
	for _, d := range c.pairs {
		if c.dealer[d] != never && !c.HeadsUp.game.Surrenderable(d) {
			for class := range v.best {
				low += orders(d) * v.best[class][d]
			}
		}
	}
	for _, value := range v.goOn {
		low += min(0, value)
	}
	return low
}

// value is the player's expected result, where end is what his hands are worth.
func (c *Crowd) value(player *playerFlow, dealer *dealerFlow, end *[hands]float64) float64 {
	sum := c.deal(dealer, &[hands]float64{})
	for _, h := range c.players {
		sum += player.ends[h] * end[h]
	}
	return sum
}
