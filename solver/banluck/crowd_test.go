package banluck

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine/banluck"
)

// TestCrowdDealerIsNearlyExactWithTwo evaluates the policies with and without reveal exactly with two
// players, and compares them with the best ones.
func TestCrowdDealerIsNearlyExactWithTwo(t *testing.T) {
	s := usualStudy(t).Equilibrium
	c := NewCrowd(s)
	gain := c.RevealTwo()
	require.Greater(t, gain, 0.0)
	without, with := c.policiesWithTwo()
	require.InDelta(t, gain, without-with, 1e-6)

	played, err := c.EstimateReveal(context.Background(), s, 2, 400_000, 3)
	require.NoError(t, err)
	require.True(t, played.Gain.Contains(gain, 2), "%+v, exact %g", played.Gain, gain)
	require.Positive(t, played.Reveals.Mean)
}

// policiesWithTwo returns what a player with two cards and one with more win against the dealer's
// policies.
func (c *Crowd) policiesWithTwo() (without, with float64) {
	for k := 1; k < sizes; k++ {
		stop, reveal := &[hands]float64{}, &[hands]float64{}
		for _, h := range c.players {
			if h.Size()-dealt == k && c.plan.ends[h] > 0 {
				c.reveal(h, stop, reveal)
			}
		}
		n := counts{1}
		n[k] = 1
		all, two := c.outlook(n, n), c.outlook(n, counts{1})
		var plain, revealing [hands]float64
		for i := len(c.dealers) - 1; i >= 0; i-- {
			d := c.dealers[i]
			plain[d], revealing[d] = stop[d], stop[d]
			draw := c.dealer[d] == draws || c.dealer[d] == choice && all.hit[d] < all.stop[d]
			if draw {
				plain[d], revealing[d] = after(&plain, d), after(&revealing, d)
			}
			if c.dealer[d] == choice && all.stop[d]-two.stop[d]+min(two.stop[d], two.hit[d]) <= all.hit[d] {
				revealing[d] = reveal[d]
			}
		}
		for _, d := range c.pairs {
			without += 2 * orders(d) * c.goes(d) * plain[d]
			with += 2 * orders(d) * c.goes(d) * revealing[d]
		}
	}
	return without, with
}

// TestRevealIsNothingWithOne plays the policies with one player, where they are the equilibrium.
func TestRevealIsNothingWithOne(t *testing.T) {
	s := usualStudy(t).Equilibrium
	played, err := NewCrowd(s).EstimateReveal(context.Background(), s, 1, 400_000, 5)
	require.NoError(t, err)
	require.Zero(t, played.Gain.Mean)
	require.Zero(t, played.Reveals.Mean)
	require.True(t, played.With.Contains(s.EV, 2), "%+v", played.With)
}

// TestMorePlayersLoseAlike: what the dealer wins from a player hardly depends on how many there
// are.
func TestMorePlayersLoseAlike(t *testing.T) {
	s := usualStudy(t).Equilibrium
	c := NewCrowd(s)
	for players := 2; players <= 4; players++ {
		played, err := c.EstimateReveal(context.Background(), s, players, 130_000, 2)
		require.NoError(t, err)
		require.InDelta(t, float64(players)*s.EV, played.With.Mean,
			0.005*float64(players)+2*(played.With.High-played.With.Mean))
	}
	_, err := c.EstimateReveal(context.Background(), s, 5, 1, 1)
	require.ErrorContains(t, err, "players: 5 is not in 1..4")
}

// TestLookaheadIsTheExactSum compares the decision after reveal with the sums of RevealTwo.
func TestLookaheadIsTheExactSum(t *testing.T) {
	c := NewCrowd(usualStudy(t).Equilibrium)
	l := &lookahead{Crowd: c}
	for _, d := range c.DealerHands()[:40] {
		for _, h := range c.players[200:210] {
			left, possible := c.deck, true
			for v := range left {
				left[v] -= d.Count(v) + h.Count(v)
				possible = possible && left[v] >= 0
			}
			if h.Size() == dealt || !possible {
				continue
			}
			stop, hit := 0.0, 0.0
			for _, s := range c.short {
				stop += s.weight * c.odds.of3(s.hand, h, d) * float64(c.game.Settle(s.hand, d))
			}
			hit = c.hitOpen(h, d)
			require.Equal(t, hit < stop, l.draws(d, &left), "%s against %s", d, h)
		}
	}
}

// hitOpen is what the short hands get if the dealer draws to d with h open.
func (c *Crowd) hitOpen(h, d banluck.Hand) (sum float64) {
	for v := range values {
		next := d.With(v)
		if !c.deck.holds(next) {
			continue
		}
		stop := 0.0
		for _, s := range c.short {
			stop += s.weight * c.odds.of3(s.hand, h, next) * float64(c.game.Settle(s.hand, next))
		}
		switch c.dealer[next] {
		case draws:
			sum += c.hitOpen(h, next)
		case choice:
			sum += min(stop, c.hitOpen(h, next))
		default:
			sum += stop
		}
	}
	return sum
}
