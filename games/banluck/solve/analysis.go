package solve

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"croupier/engine"
	"croupier/games/banluck"
	"croupier/internal/stat"
	"croupier/policy"
)

// Variant is the equilibrium under rules that differ by one house rule.
type Variant struct {
	Name     string
	Solution *Solution
}

// houseRules are the variants' names and what they change.
var houseRules = []struct {
	name   string
	change func(*banluck.Rules)
}{
	{"no surrender of a hard 15", func(r *banluck.Rules) { r.Surrender = false }},
	{"no reveal", func(r *banluck.Rules) { r.Reveal = false }},
	{"aces counted one by one (ace: greedy)", func(r *banluck.Rules) { r.Ace = banluck.AceGreedy }},
	{"Ban Ban pays 2", func(r *banluck.Rules) { r.Payouts.BanBan = 2 }},
	{"Ban Luck pays 1", func(r *banluck.Rules) { r.Payouts.BanLuck = 1 }},
	{"Ban Luck pays 3", func(r *banluck.Rules) { r.Payouts.BanLuck = 3 }},
	{"777 pays 1", func(r *banluck.Rules) { r.Payouts.Sevens = 1 }},
	{"777 pays 21", func(r *banluck.Rules) { r.Payouts.Sevens = 21 }},
	{"five-card 21 pays 2", func(r *banluck.Rules) { r.Payouts.FiveCard21 = 2 }},
	{"five-card pays 1", func(r *banluck.Rules) { r.Payouts.FiveCard = 1 }},
	{"five-card pays 3", func(r *banluck.Rules) { r.Payouts.FiveCard = 3 }},
	{"no bonuses at all (everything pays 1)", func(r *banluck.Rules) {
		r.Payouts = banluck.Payouts{BanBan: 1, BanLuck: 1, Sevens: 1, FiveCard21: 1, FiveCard: 1}
	}},
}

// Variants solves the game under each house rule changed alone.
func (s *Study) Variants(ctx context.Context, progress func(Point)) ([]Variant, error) {
	return s.variants(ctx, progress, func(string) bool { return true })
}

// variants solves those that are wanted, and takes from the study what it has solved already.
func (s *Study) variants(ctx context.Context, progress func(Point), wanted func(string) bool) (list []Variant,
	err error) {
	rules := s.Game.Rules().(banluck.Rules)
	known := map[banluck.Rules]*Solution{rules: s.Equilibrium}
	for _, without := range []*Solution{s.WithReveal, s.WithoutReveal, s.WithoutSurrender} {
		known[without.game.game.Rules().(banluck.Rules)] = without
	}
	for _, v := range houseRules {
		if !wanted(v.name) {
			continue
		}
		changed := rules
		v.change(&changed)
		solution := known[changed]
		if solution == nil {
			if solution, err = solveRules(ctx, changed, progress); err != nil {
				return nil, fmt.Errorf("%s: %w", v.name, err)
			}
		}
		list = append(list, Variant{v.name, solution})
	}
	return list, nil
}

// Removal is the equilibrium with one card of a value missing from the deck.
type Removal struct {
	Card string
	EV   float64
}

// Removals solves the game without one card of each value: what card counting could build on if
// the deck were not shuffled before every hand.
func (s *Study) Removals(ctx context.Context) (list []Removal, err error) {
	for value := range values {
		d := fullDeck
		d[value]--
		solution, err := newHeadsUp(s.Game, d).Equilibrium(ctx, DefaultOptions())
		if err != nil {
			return nil, err
		}
		list = append(list, Removal{banluck.Hand(0).With(value).String(), solution.EV})
	}
	return list, nil
}

// Counting is the player's result after hands that took more low cards (two to six) than high
// ones (ten to ace) out of the deck, and after all other hands, with a fresh shuffle between
// hands.
type Counting struct{ AfterLow, AfterHigh Estimate }

// EstimateCounting plays pairs of successive hands in equilibrium.
func (s *Study) EstimateCounting(ctx context.Context, count int, seed uint64) (Counting, error) {
	estimates, err := sample(ctx, count, 3, func() sampler {
		seats := []policy.Policy{s.Equilibrium.Policy(), s.Equilibrium.Policy()}
		t, returns := newSimulator(s.Game, seats), make([]float64, 2)
		return func(rng *engine.RNG, dst []float64) error {
			clear(dst)
			if err := t.play(rng, returns); err != nil {
				return err
			}
			low := lowCount(t.State.(*banluck.State)) > 0
			if err := t.play(rng, returns); err != nil {
				return err
			}
			if low {
				dst[0], dst[1] = 1, returns[0]
			} else {
				dst[2] = returns[0]
			}
			return nil
		}
	}, seed)
	if err != nil {
		return Counting{}, err
	}
	share := estimates[0].Mean
	return Counting{estimates[1].among(share), estimates[2].among(1 - share)}, nil
}

// among turns the mean of a number that is 0 except in a share of the samples into the mean
// over that share.
func (e Estimate) among(share float64) Estimate {
	n := share * float64(e.Samples)
	mean := e.Mean / share
	square := (e.StdDev*e.StdDev + e.Mean*e.Mean) / share
	return newEstimate(stat.FromSums(n, n*mean, n*square))
}

// lowCount is the number of open low cards less the number of open high ones.
func lowCount(s *banluck.State) (count int) {
	for seat := range s.Dealer() + 1 {
		h := s.Hand(seat)
		for value := range values {
			switch {
			case value <= 4:
				count += h.Count(value)
			case value >= banluck.Ten:
				count -= h.Count(value)
			}
		}
	}
	return count
}

// Basic is blackjack's basic strategy against a dealer who shows seven or better, in the
// player's seat against the equilibrium's dealer: like the bot basic, it hits hard 16 and soft
// 17 or less.
type Basic struct {
	EV          float64        // of the player
	Differences []banluck.Hand // the hands at which it differs from the equilibrium
	Chance      float64        // that basic strategy leads the player to one of them
}

// Basic evaluates basic strategy exactly.
func (s *Study) Basic() *Basic {
	t, e := s.HeadsUp, s.Equilibrium
	p := *e.profile
	b := &Basic{}
	for _, h := range t.PlayerHands() {
		w := t.game.Worth(h)
		p.Player[h] = indicator(w.Total < mustStand-1 || w.Total == mustStand-1 && w.Soft)
	}
	f := &playerFlow{}
	t.flowPlayer(&p.Player, f)
	for _, h := range t.PlayerHands() {
		if (p.Player[h] > even) != (e.profile.Player[h] > even) {
			b.Differences = append(b.Differences, h)
			b.Chance += f.reach[h] * t.meets(h, p.GoesOn)
		}
	}
	b.EV = t.value(&p)
	return b
}

// Saved is what surrendering gains the dealer of the equilibrium against the same player.
type Saved struct {
	Loses, Pushes, Wins float64 // the dealer's chances with hard 15 if he did not surrender
	EV                  float64 // his expected result with those hands, units
}

// Saved plays the dealer's hard 15 out.
func (s *Study) Saved() (v Saved) {
	t := s.HeadsUp
	if len(t.surrenderable) == 0 {
		return v
	}
	p := *s.Equilibrium.profile
	chances := map[int]float64{0: s.Hard15} // without surrender it is not a push
	for _, side := range []struct{ goesOn, sign float64 }{{1, 1}, {0, -1}} {
		p.GoesOn = make([]float64, len(t.surrenderable))
		for i := range p.GoesOn {
			p.GoesOn[i] = side.goesOn
		}
		for _, r := range t.results(&p) {
			chances[r.Units] += side.sign * r.Probability
		}
	}
	for _, units := range slices.Sorted(maps.Keys(chances)) {
		chance := chances[units] / s.Hard15
		v.EV -= chance * float64(units)
		switch {
		case units > 0:
			v.Loses += chance
		case units < 0:
			v.Wins += chance
		default:
			v.Pushes += chance
		}
	}
	return v
}

// Ruin returns the probability that a bankroll, in units, is lost within the given number of
// hands, whose independent results have the given distribution. Play continues as long as a
// unit is left, and nobody can lose more than he has.
func Ruin(results []Result, bankroll, rounds int) float64 {
	best := 0
	for _, r := range results {
		best = max(best, r.Units)
	}
	size := bankroll + best*rounds + 1
	if limit := bankroll + 40*int(math.Sqrt(float64(rounds))) + 1; limit < size {
		size = limit // a larger bankroll cannot be lost any more
	}
	now, next := make([]float64, size), make([]float64, size)
	now[bankroll] = 1
	for range rounds {
		clear(next)
		next[0] = now[0]
		for have := 1; have < size; have++ {
			if now[have] == 0 {
				continue
			}
			for _, r := range results {
				next[min(max(have+r.Units, 0), size-1)] += now[have] * r.Probability
			}
		}
		now, next = next, now
	}
	return now[0]
}

// DealerResults turns the distribution of the player's results into the dealer's.
func DealerResults(results []Result) (list []Result) {
	for i := len(results) - 1; i >= 0; i-- {
		list = append(list, Result{-results[i].Units, results[i].Probability})
	}
	return list
}
