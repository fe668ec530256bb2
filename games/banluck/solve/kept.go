package solve

import (
	"context"
	"errors"

	"croupier/engine"
	"croupier/games/banluck"
	"croupier/policy"
)

// Tables are the strategies of a [CrowdSolution] and the numbers that took long to find.
type Tables struct {
	Profile            *Profile
	Alone              *Profile       // the heads-up equilibrium
	Seen               [hands]float64 // the players' strategy whose deals the views are of
	EV, Exploitability float64
	Iterations         int
}

// SolveTables solves the game with one to four players, within seconds under the usual rules. It returns a factory of
// policies that play the solution in all seats, each a [policy.Explainer], and the tables of which [EquilibriumOf]
// makes such policies again.
func SolveTables(ctx context.Context, g engine.Game) (func() policy.Stochastic, *Tables, error) {
	s, err := SolveCrowd(ctx, g, DefaultCrowdOptions())
	if err != nil {
		return nil, nil, err
	}
	return s.Policy, &Tables{s.profile, s.alone, s.seen, s.EV, s.Exploitability, s.Iterations}, nil
}

// EquilibriumOf returns a factory of policies that play the solution, as SolveTables does. It is an error if the
// tables are of other rules.
func EquilibriumOf(g engine.Game, tables *Tables) (func() policy.Stochastic, error) {
	table, ok := g.(*banluck.Game)
	if !ok {
		return nil, errors.New("solver: banluck: the game is " + g.Spec().Name)
	}
	t, err := headsUpOf(table)
	if err != nil {
		return nil, err
	}
	c, o := newCrowd(t, table), DefaultCrowdOptions()
	if p := tables.Profile; len(p.Dealer) != len(c.classes) || len(p.GoesOn) != len(t.surrenderable) {
		return nil, errors.New("solver: banluck: the tables are of other rules")
	}
	c.look(&tables.Seen, o.Draws, o.Seed)
	s := c.solution(tables.Profile, Point{
		EV: tables.EV, Exploitability: tables.Exploitability, Iterations: tables.Iterations,
	})
	s.alone, s.seen = tables.Alone, tables.Seen
	return s.Policy, nil
}
