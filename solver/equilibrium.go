package solver

import (
	"context"
	"fmt"

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
	Run     func(n int)
	Average func() *Strategy
	Every   int // iterations between two looks at the exploitability
}

// Progress is how far an [Iteration] has come.
type Progress struct {
	Iterations     int
	Exploitability float64 // of the average strategy, in the game's unit
}

// Approach iterates until the exploitability is at most the target or the iterations are done,
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

// NewEquilibrium solves a two-player zero-sum game with at most [MaxNodes] nodes by CFR+
// and returns a factory of policies that play the equilibrium. They are policy.Valuers.
func NewEquilibrium(ctx context.Context, g engine.Game) (func() policy.Stochastic, error) {
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
	values := s.actionValues()
	accuracy := s.accuracy(values)
	return func() policy.Stochastic { return &valued{s.newTable(), values, accuracy} }, nil
}
