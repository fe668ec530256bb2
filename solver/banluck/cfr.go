package banluck

// cfr is CFR+ (Tammelin, arXiv 1407.5042) on the flows of a HeadsUp: alternating updates,
// regret matching plus, and averages of plans in which iteration t has weight t. A hand stands
// for all orders of its cards, which would all have the same regrets if they were kept apart.
type cfr struct {
	*HeadsUp
	iterations int

	playerRegret [hands]regrets
	dealerRegret [sizes][hands]regrets
	goOnRegret   []regrets

	now          Profile
	player       playerFlow
	dealer       *dealerFlow
	playerSum    playerFlow
	dealerSum    *dealerFlow
	playerEnd    [hands]float64
	playerValue  [hands]float64
	dealerEnd    [sizes][hands]float64
	dealerValue  [sizes][hands]float64
	goOnValue    []float64
	columnsValue []float64
}

// regrets are the regrets of the two actions, never negative. The second action takes a card
// (or plays on instead of surrendering).
type regrets [2]float64

// update adds the regrets of a choice that took the second action with probability p, and
// returns the next probability.
func (r *regrets) update(p, first, second float64) float64 {
	expected := (1-p)*first + p*second
	r[0] = max(0, r[0]+first-expected)
	r[1] = max(0, r[1]+second-expected)
	if sum := r[0] + r[1]; sum > 0 {
		return r[1] / sum
	}
	return even
}

const even = 0.5

func newCFR(t *HeadsUp) *cfr {
	n := len(t.surrenderable)
	c := &cfr{
		HeadsUp: t, dealer: t.newDealerFlow(), dealerSum: t.newDealerFlow(),
		goOnRegret: make([]regrets, n), goOnValue: make([]float64, n), columnsValue: make([]float64, len(t.columns)),
	}
	c.now.GoesOn = make([]float64, n)
	for i := range c.now.GoesOn {
		c.now.GoesOn[i] = even
	}
	for h := range c.now.Player {
		c.now.Player[h] = even
		for k := range sizes {
			c.now.Dealer[k][h] = even
		}
	}
	t.flowPlayer(&c.now.Player, &c.player)
	t.flowDealer(&c.now.Dealer, c.now.GoesOn, c.dealer)
	return c
}

// run does n iterations without allocating.
func (c *cfr) run(n int) {
	for range n {
		c.iterations++
		weight := float64(c.iterations)
		c.updatePlayer()
		for _, h := range c.players {
			c.playerSum.reach[h] += weight * c.player.reach[h]
			c.playerSum.ends[h] += weight * c.player.ends[h]
		}
		c.updateDealer()
		for k := range sizes {
			for _, d := range c.dealers {
				c.dealerSum.reach[k][d] += weight * c.dealer.reach[k][d]
			}
			for column, flow := range c.dealer.stops[k] {
				c.dealerSum.stops[k][column] += weight * flow
			}
		}
		for i, p := range c.dealer.goesOn {
			c.dealerSum.goesOn[i] += weight * p
		}
	}
}

func (c *cfr) updatePlayer() {
	c.endPlayer(c.dealer, &c.playerEnd)
	hits := &c.now.Player
	for i := len(c.players) - 1; i >= 0; i-- {
		h := c.players[i]
		value := c.playerEnd[h]
		if c.HeadsUp.player[h] == choice {
			p, hit := hits[h], after(&c.playerValue, h)
			hits[h] = c.playerRegret[h].update(p, value, hit)
			value = (1-p)*value + p*hit
		}
		c.playerValue[h] = value
	}
	c.flowPlayer(hits, &c.player)
}

func (c *cfr) updateDealer() {
	c.endDealer(&c.player, &c.dealerEnd, c.columnsValue)
	for k := range sizes {
		value, hits := &c.dealerValue[k], &c.now.Dealer[k]
		for i := len(c.dealers) - 1; i >= 0; i-- {
			d := c.dealers[i]
			switch c.HeadsUp.dealer[d] {
			case draws:
				value[d] = after(value, d)
			case choice:
				p, stop, hit := hits[d], c.dealerEnd[k][d], after(value, d)
				hits[d] = c.dealerRegret[k][d].update(p, -stop, -hit)
				value[d] = (1-p)*stop + p*hit
			default:
				value[d] = c.dealerEnd[k][d]
			}
		}
	}
	c.goOn(&c.player, &c.dealerValue, c.goOnValue)
	for i, value := range c.goOnValue {
		c.now.GoesOn[i] = c.goOnRegret[i].update(c.now.GoesOn[i], 0, -value)
	}
	c.flowDealer(&c.now.Dealer, c.now.GoesOn, c.dealer)
}

// average returns the average strategy, which converges to an equilibrium. Probabilities within
// 1/iterations of 0 or 1 are leftovers of the first iterations and are rounded to it.
func (c *cfr) average() *Profile {
	p := &Profile{GoesOn: make([]float64, len(c.surrenderable))}
	total := float64(c.iterations) * float64(c.iterations+1) / 2
	for i, sum := range c.dealerSum.goesOn {
		p.GoesOn[i] = c.share(sum, total)
	}
	for _, h := range c.players {
		if c.HeadsUp.player[h] == choice {
			reach := c.playerSum.reach[h]
			p.Player[h] = c.share(reach-c.playerSum.ends[h], reach)
		}
	}
	for k := range sizes {
		for _, d := range c.dealers {
			if c.HeadsUp.dealer[d] == choice {
				reach := c.dealerSum.reach[k][d]
				p.Dealer[k][d] = c.share(reach-c.dealerSum.stops[k][c.column[d]], reach)
			}
		}
	}
	return p
}

// share is part / whole, see average.
func (c *cfr) share(part, whole float64) float64 {
	least := 1 / float64(c.iterations)
	switch p := part / whole; {
	case whole == 0 || p < least:
		return 0
	case p > 1-least:
		return 1
	default:
		return p
	}
}
