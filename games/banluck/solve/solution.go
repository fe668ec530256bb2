package solve

import (
	"context"
	"errors"
	"math"
	"slices"

	"croupier/games/banluck"
)

// Solution is a strategy of both seats of a HeadsUp and what it is worth. It is immutable, and
// goroutines may share it; a lookup takes nanoseconds.
type Solution struct {
	EV     float64 // expected result of the player, units a hand
	StdDev float64 // standard deviation of the player's result, units; a surrendered hand counts 0
	// Exploitability is half the sum of what the two seats can gain by best responses, units a
	// hand. It says nothing about a baseline, whose dealer is fixed.
	Exploitability float64
	// Low and High are the expected results of the player, units a hand, if the dealer, or the
	// player, plays a best response to the strategy of the other seat.
	Low, High float64
	Results   []Result // of the player, with their probabilities

	game    *HeadsUp
	profile *Profile
	player  [hands]Worth
	dealer  [sizes][hands]Worth
	goOn    []Worth // by surrenderable hand: Hit means to play on
	reach   func() [sizes][hands]float64
}

// Worth is what a seat's two choices are worth to it, in units: expected results against the
// other seat's strategy, with the seat's best play afterwards.
type Worth struct {
	Chance     float64 // that play reaches the hand if the seat always takes cards; due to the deck and the other seat
	Stop, Hit  float64
	BustIfHits float64 // that the seat ends with more than 21 if it hits and then follows its strategy
}

// Point is the state of CFR+ at one of its checks.
type Point struct {
	Iterations     int
	Seconds        float64
	Exploitability float64
	EV             float64
}

// Options say how closely to approach an equilibrium.
type Options struct {
	Target        float64     // exploitability at which to stop, units a hand
	MaxIterations int         // of CFR+; it is an error not to reach the target within them
	Progress      func(Point) // called at every check; may be nil
}

// DefaultOptions reaches far below anything noticeable, in about a second or less.
func DefaultOptions() Options { return Options{Target: 1e-7, MaxIterations: 1_000_000} }

// nextCheck is the number of iterations until the next check, which costs as much as
// about five of them.
func nextCheck(iterations int) int { return min(1+iterations/8, 64) }

// Equilibrium runs CFR+ until the exploitability of its average is at most the target. If ctx
// ends first, that is an error.
func (t *HeadsUp) Equilibrium(ctx context.Context, o Options) (*Solution, error) {
	p, _, err := t.alone().solve(ctx, o)
	if err != nil {
		return nil, err
	}
	return t.solution(p), nil
}

// Dealer is a fixed dealer of the baseline: he hits at 16 and soft 17, and stands on
// hard 17.
type Dealer struct {
	Reveal    bool // at 16 and 17 he opens a player with three or more cards, which against one player means to stop
	Surrender bool // he gives up every hard 15
}

// Baseline returns the best play of the player against a fixed dealer.
func (t *HeadsUp) Baseline(dealer Dealer) (*Solution, error) {
	rules := t.game.Rules().(banluck.Rules)
	switch {
	case dealer.Reveal && !rules.Reveal:
		return nil, errors.New("solver: banluck: the dealer cannot reveal under these rules")
	case dealer.Surrender && !rules.Surrender:
		return nil, errors.New("solver: banluck: the dealer cannot surrender under these rules")
	}
	p := t.newProfile(sizes)
	for i := range p.GoesOn {
		if !dealer.Surrender {
			p.GoesOn[i] = 1
		}
	}
	for k := range sizes {
		for _, d := range t.dealers {
			w := t.game.Worth(d)
			if t.dealer[d] == choice && !(dealer.Reveal && k > 0) && (w.Total < mustStand-1 || w.Soft) {
				p.Dealer[k][d] = 1
			}
		}
	}
	t.respondPlayer(p)
	return t.solution(p), nil
}

// respondPlayer makes the player's choices the best against the dealer; the player stands if both
// are equally good.
func (t *HeadsUp) respondPlayer(p *Profile) {
	value := &playerValue{}
	t.bestPlayer(t.flowOf(p), value)
	for _, h := range t.PlayerHands() {
		p.Player[h] = indicator(value.hit[h] > value.end[h])
	}
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Choices says how often each hand is hit: the player's, the dealer's by the player's cards, and
// how often a dealer with hard 15 does not surrender. Hands that are left out are never hit.
type Choices struct {
	Player map[banluck.Hand]float64
	Dealer [banluck.MaxCards + 1]map[banluck.Hand]float64
	GoesOn map[banluck.Hand]float64
}

// SolutionWith returns what given strategies are worth.
func (t *HeadsUp) SolutionWith(c *Choices) *Solution {
	p := t.newProfile(sizes)
	for _, h := range t.PlayerHands() {
		p.Player[h] = c.Player[h]
	}
	for k := range sizes {
		for _, d := range t.DealerHands() {
			p.Dealer[k][d] = c.Dealer[dealt+k][d]
		}
	}
	for i, d := range t.surrenderable {
		p.GoesOn[i] = c.GoesOn[d]
	}
	return t.solution(p)
}

// Losses returns what the strategy of each seat can lose to a best response, units a hand,
// given the value of the game (EV of its equilibrium). Their mean is Exploitability.
func (s *Solution) Losses(value float64) (player, dealer float64) {
	return value - s.Low, s.High - value
}

// Player returns the solution for the player's hand: how often he hits, and what his choices
// are worth. ok is false if he has none.
func (s *Solution) Player(h banluck.Hand) (hits float64, w Worth, ok bool) {
	return s.profile.Player[h], s.player[h], s.game.player[h] == choice
}

// Dealer returns the same for the dealer's hand, against a player with the given number of
// cards. Worth is from the dealer's point of view.
func (s *Solution) Dealer(d banluck.Hand, playerCards int) (hits float64, w Worth, ok bool) {
	k := playerCards - dealt
	return s.profile.Dealer[k][d], s.dealer[k][d], s.game.dealer[d] == choice
}

// GoesOn returns how often a dealer with hard 15 does not surrender, and what that is worth to
// him (Worth.Hit). ok is false if he cannot surrender.
func (s *Solution) GoesOn(d banluck.Hand) (goesOn float64, w Worth, ok bool) {
	i := slices.Index(s.game.surrenderable, d)
	if i < 0 {
		return 0, Worth{}, false
	}
	return s.profile.GoesOn[i], s.goOn[i], true
}

// PlayerHands returns the hands at which the player has a choice, in ascending order.
func (t *HeadsUp) PlayerHands() []banluck.Hand { return chosen(t.players, &t.player) }

// DealerHands returns the hands at which the dealer may hit or stop.
func (t *HeadsUp) DealerHands() []banluck.Hand { return chosen(t.dealers, &t.dealer) }

// Surrenderable returns the first two cards that the dealer may surrender, in ascending order.
func (t *HeadsUp) Surrenderable() []banluck.Hand { return slices.Clone(t.surrenderable) }

func chosen(list []banluck.Hand, roles *[hands]role) (choices []banluck.Hand) {
	for _, h := range list {
		if roles[h] == choice {
			choices = append(choices, h)
		}
	}
	return choices
}

// hard15 is the probability that a dealer's first two cards are a hard 15, whether or
// not he may surrender it.
func (t *HeadsUp) hard15() (chance float64) {
	for _, d := range t.pairs {
		if w := t.game.Worth(d); w.Total == mustDraw && !w.Soft {
			chance += t.Chance(d)
		}
	}
	return chance
}

// Chance is the probability that that many cards from a full deck make the hand.
func (t *HeadsUp) Chance(h banluck.Hand) float64 {
	ways := math.Gamma(float64(h.Size() + 1))
	for value := range values {
		ways /= math.Gamma(float64(h.Count(value) + 1))
	}
	return ways * t.odds.of(h, 0)
}
