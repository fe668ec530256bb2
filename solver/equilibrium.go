package solver

import (
	"context"
	"fmt"
	"math"

	"croupier/catalog"

	"croupier/engine"
	"croupier/policy"
)

const (
	// equilibriumTarget is the exploitability of the equilibrium agents, in the game's unit.
	equilibriumTarget = 1e-5
	// equilibriumIterations is far more than CFR+ needs for that (about 10,000).
	equilibriumIterations = 1_000_000
	// sweepsBetweenLooks is the number of iterations of CFR between two looks at the
	// exploitability of the average. A look costs as much as about ten iterations.
	sweepsBetweenLooks = 100
)

// Iteration is a method that approaches an equilibrium of a [Tree] iteration by iteration: see
// [CFR.On] and [MCCFR.On].
type Iteration struct {
	Run     func(n int)      // does n iterations
	Average func() *Strategy // returns the average strategy so far, which converges to an equilibrium
	Every   int              // iterations between two looks at the exploitability
}

// Progress is how far an [Iteration] has come.
type Progress struct {
	Iterations     int     // done
	Exploitability float64 // of the average strategy, in the game's unit
}

// Converged returns which share of its way an exploitability has come from the first one to a target, from 0 to 1, on a
// logarithmic scale, because it falls by about the same factor in each iteration. Without a target it is 0.
func Converged(first, now, target float64) float64 {
	switch {
	case now <= target:
		return 1
	case target <= 0 || now >= first:
		return 0
	}
	return math.Log(first/now) / math.Log(first/target)
}

// Approach iterates until the exploitability is at most the target, in the game's unit, or the iterations are done,
// whichever comes first. After each look it calls look, unless that is nil. The only error is
// the context's.
func (it Iteration) Approach(
	ctx context.Context, target float64, iterations int, look func(Progress),
) (*Strategy, Progress, error) {
	for p := (Progress{}); ; {
		n := min(it.Every, iterations-p.Iterations)
		it.Run(n)
		p.Iterations += n
		s := it.Average()
		p.Exploitability = s.Exploitability()
		if look != nil {
			look(p)
		}
		if p.Exploitability <= target || p.Iterations >= iterations || ctx.Err() != nil {
			return s, p, ctx.Err()
		}
	}
}

// Tables are an equilibrium: Probability has the probability of each action, by seat and sequence of the game's tree.
type Tables struct{ Probability [][]float64 }

// SolveTables solves a two-player zero-sum game with at most [MaxNodes] nodes by CFR+, to an exploitability of 1e-5 in
// the game's unit. It returns a factory of policies
// that play the equilibrium, which are policy.Valuers, and the tables of which [EquilibriumOf] makes such policies
// again.
func SolveTables(ctx context.Context, g engine.Game) (func() policy.Stochastic, *Tables, error) {
	s, err := solveEquilibrium(ctx, g)
	if err != nil {
		return nil, nil, err
	}
	return s.valued(), &Tables{s.probability}, nil
}

// EquilibriumOf returns a factory of policies that play an equilibrium of the game, as SolveTables does. It is an
// error if the tables are of another game.
func EquilibriumOf(g engine.Game, tables *Tables) (func() policy.Stochastic, error) {
	tree, err := NewTree(g, MaxNodes)
	if err != nil {
		return nil, err
	}
	if len(tables.Probability) != len(tree.sides) {
		return nil, fmt.Errorf("solver: %s: the tables are of %d seats", g.Spec().Name, len(tables.Probability))
	}
	for seat := range tree.sides {
		if sequences := len(tables.Probability[seat]); sequences != tree.sides[seat].sequences() {
			return nil, fmt.Errorf("solver: %s: the tables have %d sequences of seat %d", g.Spec().Name, sequences, seat+1)
		}
	}
	return (&Strategy{tree, tables.Probability}).valued(), nil
}

// solveEquilibrium approaches the equilibrium as closely as agents play it.
func solveEquilibrium(ctx context.Context, g engine.Game) (*Strategy, error) {
	tree, err := NewTree(g, MaxNodes)
	if err != nil {
		return nil, err
	}
	c, err := NewCFR(tree, Plus)
	if err != nil {
		return nil, err
	}
	s, p, err := c.On().Approach(ctx, equilibriumTarget, equilibriumIterations, nil)
	if err != nil {
		return nil, err
	}
	if p.Exploitability > equilibriumTarget {
		return nil, fmt.Errorf("solver: %s: exploitability is %g after %d iterations of CFR+, the target is %g",
			g.Spec().Name, p.Exploitability, p.Iterations, equilibriumTarget)
	}
	return s, nil
}

// valued returns a factory of policies that play the strategy and know what actions are worth.
func (s *Strategy) valued() func() policy.Stochastic {
	values := s.actionValues()
	accuracy := s.accuracy(values)
	return func() policy.Stochastic { return &valued{s.newTable(), values, accuracy} }
}

// Equilibrium is what a catalog has of a game for two whose whole tree fits in memory.
var Equilibrium = catalog.Tables(catalog.Equilibrium, SolveTables, EquilibriumOf)
