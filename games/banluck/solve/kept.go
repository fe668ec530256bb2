package solve

import (
	"context"
	"errors"

	"croupier/engine"
	"croupier/games/banluck"
	"croupier/policy"
)

// Tables are the strategies of a [CrowdSolution] and the numbers that took long to find. What is said of a position
// follows from them within a millisecond, but for a reveal that leaves some players: it takes the tables of all hands
// again.
type Tables struct {
	Profile            *Profile
	Alone              *Profile       // the heads-up equilibrium
	Seen               [hands]float64 // the players' strategy whose deals the views are of
	EV, Exploitability float64
	Iterations         int
	Answers            *Answers
}

// SolveTables solves the game with one to four players, within seconds under the usual rules. It returns a factory of
// policies that play the solution in all seats, each a [policy.Explainer], and the tables of which [EquilibriumOf]
// makes such policies again.
func SolveTables(ctx context.Context, g engine.Game) (func() policy.Stochastic, *Tables, error) {
	s, err := SolveCrowd(ctx, g, DefaultCrowdOptions())
	if err != nil {
		return nil, nil, err
	}
	return s.Policy, s.tables(), nil
}

func (s *CrowdSolution) tables() *Tables {
	return &Tables{
		Profile: s.profile, Alone: s.alone, Seen: s.seen, EV: s.EV, Exploitability: s.Exploitability,
		Iterations: s.Iterations, Answers: s.answers(),
	}
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
	c := newCrowd(t, table)
	if !tables.fit(c) {
		return nil, errors.New("solver: banluck: the tables are of other rules")
	}
	l := tables.open(c)
	return func() policy.Stochastic { return &agent{solution: l} }, nil
}
