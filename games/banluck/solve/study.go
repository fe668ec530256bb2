package solve

import (
	"context"
	"encoding/json"

	"croupier/engine"
	"croupier/games/banluck"
	"croupier/policy"
)

// Study holds the solutions that answer the questions about a game with one player. It is
// immutable.
type Study struct {
	Game        *banluck.Game
	HeadsUp     *HeadsUp
	Baselines   []Baseline // the ones that the rules allow
	Equilibrium *Solution
	Convergence []Point // of Equilibrium
	Hard15      float64 // the probability of a dealer's hard 15

	// The equilibria under these rules with one of them changed.
	WithReveal, WithoutReveal, WithoutSurrender *Solution
}

// Baseline is the player's best play against a fixed dealer.
type Baseline struct {
	Dealer   Dealer
	Solution *Solution
}

// String names the dealer as the bot of the game.
func (d Dealer) String() string {
	digit := map[bool]string{false: "0", true: "1"}
	return "baseline(" + digit[d.Reveal] + "," + digit[d.Surrender] + ")"
}

// NewStudy solves the game in a few seconds. It calls progress, unless that is nil, as each
// equilibrium converges.
func NewStudy(ctx context.Context, g engine.Game, progress func(Point)) (*Study, error) {
	t, err := NewHeadsUp(g)
	if err != nil {
		return nil, err
	}
	rules := g.Rules().(banluck.Rules)
	study := &Study{Game: t.game, HeadsUp: t}
	if study.Baselines, err = t.Baselines(); err != nil {
		return nil, err
	}
	o := DefaultOptions()
	o.Progress = func(p Point) {
		study.Convergence = append(study.Convergence, p)
		if progress != nil {
			progress(p)
		}
	}
	if study.Equilibrium, err = t.Equilibrium(ctx, o); err != nil {
		return nil, err
	}
	for _, variant := range []struct {
		to     **Solution
		change func(*banluck.Rules)
	}{
		{&study.WithReveal, func(r *banluck.Rules) { r.Reveal = true }},
		{&study.WithoutReveal, func(r *banluck.Rules) { r.Reveal = false }},
		{&study.WithoutSurrender, func(r *banluck.Rules) { r.Surrender = false }},
	} {
		changed := rules
		variant.change(&changed)
		*variant.to = study.Equilibrium
		if changed != rules {
			if *variant.to, err = solveRules(ctx, changed, progress); err != nil {
				return nil, err
			}
		}
	}
	study.Hard15 = study.HeadsUp.hard15()
	return study, nil
}

// Baselines returns the best play against each fixed dealer that the rules allow.
func (t *HeadsUp) Baselines() (list []Baseline, err error) {
	rules := t.game.Rules().(banluck.Rules)
	for _, dealer := range []Dealer{{true, true}, {true, false}, {false, true}, {false, false}} {
		if dealer.Reveal && !rules.Reveal || dealer.Surrender && !rules.Surrender {
			continue
		}
		s, err := t.Baseline(dealer)
		if err != nil {
			return nil, err
		}
		list = append(list, Baseline{dealer, s})
	}
	return list, nil
}

// gameUnder is the game under some rules.
func gameUnder(rules banluck.Rules) (*banluck.Game, error) {
	document, err := json.Marshal(rules)
	if err != nil {
		return nil, err
	}
	g, err := banluck.New([]byte(document))
	if err != nil {
		return nil, err
	}
	return g.(*banluck.Game), nil
}

// solveRules returns the equilibrium under some rules.
func solveRules(ctx context.Context, rules banluck.Rules, progress func(Point)) (*Solution, error) {
	g, err := gameUnder(rules)
	if err != nil {
		return nil, err
	}
	t, err := NewHeadsUp(g)
	if err != nil {
		return nil, err
	}
	o := DefaultOptions()
	o.Progress = progress
	return t.Equilibrium(ctx, o)
}

// SimulateBaseline plays a baseline against the game's own bot as the dealer, and estimates the
// player's result.
func (s *Study) SimulateBaseline(ctx context.Context, i, count int, seed uint64) (Estimate, error) {
	b := &s.Baselines[i]
	bot, err := s.Game.Bots().New(b.Dealer.String())
	if err != nil {
		return Estimate{}, err
	}
	seats := func() []policy.Policy { return []policy.Policy{b.Solution.Policy(), policy.Bot(bot)} }
	return s.simulate(ctx, seats, count, seed)
}

// SimulateEquilibrium plays the equilibrium in both seats and estimates the player's result.
func (s *Study) SimulateEquilibrium(ctx context.Context, count int, seed uint64) (Estimate, error) {
	return s.simulate(ctx, func() []policy.Policy {
		return []policy.Policy{s.Equilibrium.Policy(), s.Equilibrium.Policy()}
	}, count, seed)
}

func (s *Study) simulate(ctx context.Context, seats func() []policy.Policy, count int, seed uint64) (Estimate, error) {
	estimates, err := Simulate(ctx, s.Game, seats, count, seed)
	if err != nil {
		return Estimate{}, err
	}
	return estimates[0], nil
}
