package solve

import (
	"context"
	"fmt"
	"math"
	"sync"

	"croupier/engine"
	"croupier/games/banluck"
	"croupier/internal/stat"
)

// CrowdSolution is a strategy of all seats of a [Crowd]. It is immutable, and goroutines may
// share it.
//
// The players' strategies are best responses to the dealer's and his to theirs, as far as they
// depend on what [Crowd] says. Beyond that the dealer reveals wherever he would stop while some
// players have two cards and others more: it settles the same hands at the same totals, and
// he may still draw. Then he plays his best, given all open cards. [CrowdSolution.Bound] says
// what a seat could gain that uses all it can see.
type CrowdSolution struct {
	Players int
	EV      float64 // expected result of each player without reveal, units a hand
	// Exploitability is half the sum of what a player and the dealer, per player, can gain by
	// strategies of the same kind, units a hand.
	Exploitability float64
	Iterations     int // of CFR+; 0 if the best responses to the heads-up equilibrium were an equilibrium

	crowd   *Crowd
	profile *Profile
	alone   *Profile       // the heads-up equilibrium; nil if it is not known
	seen    [hands]float64 // the players' strategy whose deals the views of crowd are of
	player  playerFlow
	dealer  *dealerFlow
	against *dealerValue // of the dealer's best response to the players
	opened  [4]*opened   // by number of players with two cards who are left by a reveal
	settled func() settled
	faced   func() [][]facing
	answers func() *Answers
}

// CrowdOptions say how closely to approach an equilibrium.
type CrowdOptions struct {
	Options
	Draws int // random deals for each thing that can be seen of two or three others
	Seed  uint64
}

// DefaultCrowdOptions suit a person waiting for advice: seconds, or minutes under rules where
// the players mix.
func DefaultCrowdOptions() CrowdOptions {
	return CrowdOptions{Options: Options{Target: 1e-6, MaxIterations: 2000}, Draws: 64, Seed: 1}
}

// rounds is how often the players' strategies are put in place of those that the others' deals
// came from.
const rounds = 4

// SolveCrowd solves the game with one to four players. With one the result is the heads-up
// equilibrium.
func SolveCrowd(ctx context.Context, g engine.Game, o CrowdOptions) (*CrowdSolution, error) {
	table, ok := g.(*banluck.Game)
	if !ok {
		return nil, fmt.Errorf("solver: banluck: the game is %s", g.Spec().Name)
	}
	t, err := headsUpOf(table)
	if err != nil {
		return nil, err
	}
	single := DefaultOptions()
	single.Progress = o.Progress
	start, err := t.Equilibrium(ctx, single)
	if err != nil {
		return nil, err
	}
	return start.crowd(ctx, table, o)
}

// headsUpOf is the game with one player under the rules of another game.
func headsUpOf(g *banluck.Game) (*HeadsUp, error) {
	rules := g.Rules().(banluck.Rules)
	rules.Players = 1
	alone, err := gameUnder(rules)
	if err != nil {
		return nil, err
	}
	return newHeadsUp(alone, fullDeck), nil
}

// crowd solves the game with more players, beginning with the heads-up equilibrium.
func (s *Solution) crowd(ctx context.Context, g *banluck.Game, o CrowdOptions) (*CrowdSolution, error) {
	c := newCrowd(s.game, g)
	hits, point := s.profile.Player, Point{}
	for round := 1; ; round++ {
		c.look(&hits, o.Draws, o.Seed)
		p := c.respondTo(&hits)
		now := Point{}
		if now.EV, now.Exploitability = c.check(p); now.Exploitability > o.Target {
			var err error
			if p, now, err = c.solve(ctx, o.Options); err != nil {
				return nil, err
			}
		}
		point.Iterations += now.Iterations
		point.EV, point.Exploitability = now.EV, now.Exploitability
		if round == rounds || p.Player == hits {
			solved := c.solution(p, point)
			solved.alone, solved.seen = s.profile, hits
			return solved, nil
		}
		hits = p.Player
	}
}

// respondTo returns the profile of players with a strategy and the dealer's best response.
func (c *Crowd) respondTo(hits *[hands]float64) *Profile {
	p := c.newProfile(len(c.classes))
	p.Player = *hits
	player, v := &playerFlow{}, c.newDealerValue(len(c.classes))
	c.flowPlayer(hits, player)
	c.bestDealer(player, v)
	for class := range p.Dealer {
		for _, d := range c.choices {
			p.Dealer[class][d] = indicator(v.draws(class, d))
		}
	}
	for i, value := range v.goOn {
		p.GoesOn[i] = indicator(value < 0)
	}
	return p
}

func (c *Crowd) solution(p *Profile, point Point) *CrowdSolution {
	s := &CrowdSolution{
		Players: c.number, EV: point.EV, Exploitability: point.Exploitability, Iterations: point.Iterations,
		crowd: c, profile: p, dealer: c.flowOf(p), against: c.newDealerValue(len(c.classes)),
	}
	c.flowPlayer(&p.Player, &s.player)
	c.bestDealer(&s.player, s.against)
	for left := range s.opened {
		s.opened[left] = c.newOpened(&p.Player, left)
	}
	s.settled, s.faced, s.answers = sync.OnceValue(s.settle), sync.OnceValue(s.face), sync.OnceValue(s.newAnswers)
	return s
}

// PlayerHands returns the hands at which a player has a choice, in ascending order.
func (s *CrowdSolution) PlayerHands() []banluck.Hand { return s.crowd.PlayerHands() }

// Changed returns the hands that the players play otherwise than with one player.
func (s *CrowdSolution) Changed() (list []banluck.Hand) {
	for _, h := range s.PlayerHands() {
		if s.profile.Player[h] != s.alone.Player[h] {
			list = append(list, h)
		}
	}
	return list
}

// Player returns how often a player hits a hand, and what his choices are worth if he knows
// nothing of the others' cards.
func (s *CrowdSolution) Player(h banluck.Hand) (hits float64, stand, hit Outlook) {
	weights := make([]float64, len(s.crowd.views))
	for i := range weights {
		weights[i] = 1
	}
	stand, hit = s.lookup().playerOutlook(h, weights)
	return s.profile.Player[h], stand, hit
}

// PlayerChart returns the players' strategy by cells, as [Solution.PlayerChart] does.
func (s *CrowdSolution) PlayerChart() []Cell {
	return s.crowd.chart(s.PlayerHands(), func(h banluck.Hand) float64 { return s.profile.Player[h] })
}

// Bound is what seats could gain by leaving a [CrowdSolution] alone, in units a hand, while all
// others play it.
type Bound struct {
	EV Estimate // of each player, with reveal
	// Player bounds what a player can gain: by a best response that sees his own cards and, before
	// he acts, all that can be seen of the others in the end.
	Player Estimate
	// Dealer is what the dealer can gain by a best response that uses all he sees, from all
	// players together.
	Dealer Estimate
	// Reveal is what the dealer wins more because he may reveal, from all players together.
	Reveal Estimate
}

// Bound computes what seats could gain. With up to two players the numbers are exact; with more,
// each of the samples, at least two, draws the others' deals again. A sample's best responses
// know its deals, so its gains are on average not below the true ones.
func (s *CrowdSolution) Bound(ctx context.Context, samples int, seed uint64) (Bound, error) {
	if s.Players <= 2 {
		samples = 1
	} else {
		samples = max(samples, 2)
	}
	var ev, player, dealer, reveal stat.Moments
	for i := range samples {
		if ctx.Err() != nil {
			return Bound{}, ctx.Err()
		}
		g := s.gains(engine.GameSeed(seed, "solve/banluck/bound", uint64(i)))
		ev.Add(g.ev)
		player.Add(g.player)
		dealer.Add(g.dealer)
		reveal.Add(g.reveal)
	}
	return Bound{estimateOf(ev), estimateOf(player), estimateOf(dealer), estimateOf(reveal)}, nil
}

// estimateOf is the mean of few samples, with an interval by Student's t distribution. A single
// one is exact.
func estimateOf(m stat.Moments) Estimate {
	i, several := m.Student()
	if !several {
		return Estimate{Samples: 1, Mean: m.Mean, Low: m.Mean, High: m.Mean}
	}
	return Estimate{Samples: int(m.N), Mean: m.Mean, StdDev: m.Deviation(), Low: i.Low, High: i.High}
}

// gains are the numbers of a Bound for one sample of the others' deals.
type gains struct{ ev, player, dealer, reveal float64 }

const boundDraws = 64

func (s *CrowdSolution) gains(seed uint64) (g gains) {
	c := *s.crowd
	c.views = nil
	c.look(&s.profile.Player, boundDraws, seed)
	end, best, shift := &[hands]float64{}, 0.0, 0.0
	c.endPlayer(s.dealer, end)
	plain := c.value(&s.player, s.dealer, end)
	r := c.reveal(s.profile, &s.player, s.dealer, func(int, banluck.Hand) bool { return c.canReveal() })
	best = c.deal(s.dealer, &[hands]float64{})
	for i := range c.views {
		v := &playerValue{}
		for _, h := range c.players {
			v.end[h] = c.end(&c.views[i], h, s.dealer)
		}
		if c.canReveal() {
			for _, h := range c.winning {
				v.end[h] += r.shift[i][h]
				shift += s.player.ends[h] * r.shift[i][h]
			}
		}
		c.choose(v)
		for _, h := range c.pairs {
			best += orders(h) * v.best[h]
		}
	}
	g.ev = plain + shift
	g.player = best - g.ev
	v := c.newDealerValue(len(c.classes))
	c.bestDealer(&s.player, v)
	without := c.lowest(&s.player, v)
	if c.canReveal() {
		c.allowReveal(v, r)
		c.goOn(&s.player, v.best, v.goOn)
	}
	low := c.lowest(&s.player, v)
	g.dealer = float64(c.number) * (g.ev - low)
	g.reveal = float64(c.number) * (without - low)
	return g
}

// canReveal reports whether reveal is something else than stop under the rules.
func (c *Crowd) canReveal() bool { return c.number > 1 && c.table.Rules().(banluck.Rules).Reveal }

// allowReveal adds reveal to the choices of a best response.
func (c *Crowd) allowReveal(v *dealerValue, r *reveals) {
	for class, n := range c.classes {
		if n.canReveal() {
			for j, d := range c.choices {
				v.end[class][d] = math.Min(v.end[class][d], r.value[class][j])
			}
		}
	}
	c.respond(v)
}
