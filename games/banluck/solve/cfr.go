package solve

import (
	"context"
	"fmt"
	"math"
	"time"

	"croupier/games/banluck"
)

// cfr is CFR+ (Tammelin, arXiv 1407.5042) on the flows of a Crowd in its views: alternating
// updates, regret matching plus, and averages of plans in which iteration t has weight t. A hand
// stands for all orders of its cards, which would all have the same regrets if they were kept
// apart.
type cfr struct {
	*Crowd
	iterations int

	playerRegret [hands]regrets
	dealerRegret [][hands]regrets
	goOnRegret   []regrets

	now          *Profile
	player       playerFlow
	dealer       *dealerFlow
	playerSum    playerFlow
	dealerSum    *dealerFlow
	playerEnd    [hands]float64
	playerValue  [hands]float64
	dealerEnd    [][hands]float64
	dealerValue  [][hands]float64
	goOnValue    []float64
	columnsValue [][]float64
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

func newCFR(g *Crowd) *cfr {
	n, sights := len(g.surrenderable), len(g.classes)
	c := &cfr{
		Crowd: g, now: g.newProfile(sights), dealer: g.newDealerFlow(sights), dealerSum: g.newDealerFlow(sights),
		dealerRegret: make([][hands]regrets, sights), dealerEnd: make([][hands]float64, sights),
		dealerValue: make([][hands]float64, sights), columnsValue: g.newDealerFlow(sights).stops,
		goOnRegret: make([]regrets, n), goOnValue: make([]float64, n),
	}
	for i := range c.now.GoesOn {
		c.now.GoesOn[i] = even
	}
	for h := range c.now.Player {
		c.now.Player[h] = even
		for class := range sights {
			c.now.Dealer[class][h] = even
		}
	}
	g.flowPlayer(&c.now.Player, &c.player)
	g.flowDealer(c.now.Dealer, c.now.GoesOn, c.dealer)
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
		for k := range c.classes {
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
		if c.Crowd.player[h] == choice {
			p, hit := hits[h], after(&c.playerValue, h)
			hits[h] = c.playerRegret[h].update(p, value, hit)
			value = (1-p)*value + p*hit
		}
		c.playerValue[h] = value
	}
	c.flowPlayer(hits, &c.player)
}

func (c *cfr) updateDealer() {
	c.endDealer(&c.player, c.dealerEnd, c.columnsValue)
	for k := range c.classes {
		value, hits := &c.dealerValue[k], &c.now.Dealer[k]
		for i := len(c.dealers) - 1; i >= 0; i-- {
			d := c.dealers[i]
			switch c.Crowd.dealer[d] {
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
	c.goOn(&c.player, c.dealerValue, c.goOnValue)
	for i, value := range c.goOnValue {
		c.now.GoesOn[i] = c.goOnRegret[i].update(c.now.GoesOn[i], 0, -value)
	}
	c.flowDealer(c.now.Dealer, c.now.GoesOn, c.dealer)
}

// average returns the average strategy, which converges to an equilibrium. Probabilities within
// 1/iterations of 0 or 1 are leftovers of the first iterations and are rounded to it.
func (c *cfr) average() *Profile {
	p := c.newProfile(len(c.classes))
	total := float64(c.iterations) * float64(c.iterations+1) / 2
	for i, sum := range c.dealerSum.goesOn {
		p.GoesOn[i] = c.share(sum, total)
	}
	for _, h := range c.players {
		if c.Crowd.player[h] == choice {
			reach := c.playerSum.reach[h]
			p.Player[h] = c.share(reach-c.playerSum.ends[h], reach)
		}
	}
	for k := range c.classes {
		for _, d := range c.dealers {
			if c.Crowd.dealer[d] == choice {
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

// solve runs CFR+ until the exploitability of its average is at most the target. If ctx ends
// first, that is an error.
func (c *Crowd) solve(ctx context.Context, o Options) (*Profile, Point, error) {
	run, begin := newCFR(c), time.Now()
	for ctx.Err() == nil {
		run.run(min(nextCheck(run.iterations), o.MaxIterations-run.iterations))
		p := run.average()
		point := Point{Iterations: run.iterations}
		point.EV, point.Exploitability = c.check(p)
		point.Seconds = time.Since(begin).Seconds()
		if o.Progress != nil {
			o.Progress(point)
		}
		if point.Exploitability <= o.Target {
			c.settleTies(p)
			point.EV, point.Exploitability = c.check(p)
			return p, point, nil
		}
		if run.iterations >= o.MaxIterations {
			return nil, point, fmt.Errorf("solver: banluck: exploitability is %g after %d iterations of CFR+, the target is %g",
				point.Exploitability, run.iterations, o.Target)
		}
	}
	return nil, Point{}, ctx.Err()
}

// settleTies lets the dealer draw wherever it makes no difference to him, as against hands with
// five cards, which he beats only with five. Which mix the average has there is an accident of
// rounding.
func (c *Crowd) settleTies(p *Profile) {
	player, v := &playerFlow{}, c.newDealerValue(len(c.classes))
	c.flowPlayer(&p.Player, player)
	c.bestDealer(player, v)
	for class := range p.Dealer {
		for _, d := range c.choices {
			if v.tie(class, d) {
				p.Dealer[class][d] = 1
			}
		}
	}
}

// tie reports whether hitting and stopping are worth the same, but for rounding.
func (v *dealerValue) tie(class int, d banluck.Hand) bool {
	hit, end := v.hit[class][d], v.end[class][d]
	return math.Abs(hit-end) <= 1e-9*(math.Abs(hit)+math.Abs(end))
}

// draws reports whether the dealer does not lose by hitting.
func (v *dealerValue) draws(class int, d banluck.Hand) bool {
	return v.hit[class][d] < v.end[class][d] || v.tie(class, d)
}

// check plays best responses where the strategies themselves never lead, and returns the
// player's result and the exploitability.
func (c *Crowd) check(p *Profile) (ev, exploitability float64) {
	player, dealer := &playerFlow{}, c.flowOf(p)
	c.flowPlayer(&p.Player, player)
	byPlayer, byDealer := &playerValue{}, c.newDealerValue(len(c.classes))
	c.bestPlayer(dealer, byPlayer)
	c.bestDealer(player, byDealer)
	high, low := c.deal(dealer, &byPlayer.best), c.lowest(player, byDealer)
	for _, h := range c.PlayerHands() {
		if player.reach[h] == 0 {
			p.Player[h] = indicator(byPlayer.hit[h] > byPlayer.end[h])
		}
	}
	for class := range p.Dealer {
		for _, d := range c.choices {
			if dealer.reach[class][d] == 0 {
				p.Dealer[class][d] = indicator(byDealer.draws(class, d))
			}
		}
	}
	return c.value(player, dealer, &byPlayer.end), (high - low) / 2
}
