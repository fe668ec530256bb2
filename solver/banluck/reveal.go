package banluck

import (
	"context"

	"croupier/engine"
	"croupier/engine/banluck"
	"croupier/policy"
)

// RevealTwo is what the option to reveal is worth to the dealer against two players who play
// the heads-up equilibrium: exactly, in units a hand, for both players together. With and
// without the option the dealer plays his best, given all he knows.
//
// The option matters only against one player with two cards and one with more: if both have
// more, both are settled at once, and if both have two, neither is.
func (c *Crowd) RevealTwo() (gain float64) {
	without, with := &outlook{}, &outlook{}
	for k := 1; k < sizes; k++ {
		stop, reveal := &[hands]float64{}, &[hands]float64{}
		for _, h := range c.players {
			if h.Size()-dealt == k && c.plan.ends[h] > 0 {
				c.reveal(h, stop, reveal)
			}
		}
		for i := len(c.dealers) - 1; i >= 0; i-- {
			d := c.dealers[i]
			switch c.dealer[d] {
			case draws:
				without.best[d], with.best[d] = after(&without.best, d), after(&with.best, d)
			case choice:
				without.best[d] = min(stop[d], after(&without.best, d))
				with.best[d] = min(stop[d], after(&with.best, d), reveal[d])
			default:
				without.best[d], with.best[d] = stop[d], stop[d]
			}
		}
		const ways = 2 // either player can be the one with two cards
		for _, d := range c.pairs {
			gain += ways * orders(d) * c.goes(d) * (without.best[d] - with.best[d])
		}
	}
	return gain
}

// goes is the probability that the dealer plays on with two cards.
func (c *Crowd) goes(d banluck.Hand) float64 {
	for i, other := range c.surrenderable {
		if other == d {
			return c.goesOn[i]
		}
	}
	return 1
}

// reveal adds, by hand of the dealer, what stopping and revealing is worth against the
// long hand h and any short one.
func (c *Crowd) reveal(h banluck.Hand, stop, reveal *[hands]float64) {
	best := &[hands]float64{} // of the short hand, with h open
	flow := c.plan.ends[h]
	for i := len(c.dealers) - 1; i >= 0; i-- {
		d := c.dealers[i]
		if c.dealer[d] == draws {
			best[d] = after(best, d)
			continue
		}
		mass, result := 0.0, 0.0
		for _, s := range c.short {
			odds := s.weight * flow * c.odds.of3(s.hand, h, d)
			mass += odds
			result += odds * float64(c.game.Settle(s.hand, d))
		}
		best[d] = result
		if c.dealer[d] == choice {
			best[d] = min(result, after(best, d))
		}
		settled := mass * float64(c.game.Settle(h, d))
		stop[d] += settled + result
		reveal[d] += settled + best[d]
	}
}

// RevealEstimate is what the option to reveal is worth, estimated by playing the same cards
// with and without it.
type RevealEstimate struct {
	Players       int
	With, Without Estimate // result of all players together, units a hand
	Gain          Estimate // of the dealer: Without − With, from the same cards
	Reveals       Estimate // how often he reveals in a hand and has to play on
}

// EstimateReveal plays hands against players who play the heads-up equilibrium.
func (c *Crowd) EstimateReveal(
	ctx context.Context, equilibrium *Solution, players, count int, seed uint64,
) (RevealEstimate, error) {
	g, err := c.newGame(players)
	if err != nil {
		return RevealEstimate{}, err
	}
	estimates, err := sample(ctx, count, 4, func() sampler {
		with, without := c.Dealer(true).(*crowdDealer), c.Dealer(false).(*crowdDealer)
		seats, returns := make([]policy.Policy, players+1), make([]float64, players+1)
		for seat := range players {
			seats[seat] = equilibrium.anySeat()
		}
		t, own := newSimulator(g, seats), &engine.RNG{}
		return func(rng *engine.RNG, dst []float64) error {
			cards, before := rng.Uint64(), with.reveals
			for i, dealer := range []*crowdDealer{with, without} {
				seats[players] = dealer
				own.Seed(cards, engine.ChanceStream)
				if err := t.play(own, returns); err != nil {
					return err
				}
				dst[i] = -returns[players]
			}
			dst[2] = dst[1] - dst[0]
			dst[3] = float64(with.reveals - before)
			return nil
		}
	}, seed)
	if err != nil {
		return RevealEstimate{}, err
	}
	return RevealEstimate{players, estimates[0], estimates[1], estimates[2], estimates[3]}, nil
}

// anySeat is the player's side of the solution as a policy of any player's seat.
func (s *Solution) anySeat() policy.Policy {
	return policy.Bot(engine.BotFunc(func(state engine.State, _ []int, rng *engine.RNG) int {
		b := state.(*banluck.State)
		if rng.Float64() < s.profile.Player[b.Hand(b.Player())] {
			return banluck.Hit
		}
		return banluck.Stand
	}))
}
