// Package solver computes exact answers, to prove what agents learn.
//
// A small game becomes a [Tree] in sequence form, and a policy on it a [Strategy]
// (a table of probabilities, see [StrategyOf]), of which expected returns, best
// responses and the exploitability are exact. [CFRPlus] approaches an equilibrium of
// a two-player zero-sum game as closely as wanted. Pig, whose game is too large for a
// tree, is solved by value iteration, and the player's side of Banluck against a fixed
// dealer by dynamic programming ([SolveBanluck]).
//
// Solving takes from milliseconds to seconds: call [NewPig] or [NewEquilibrium] once and
// its factory for every policy; the policies share one immutable table.
package solver

import (
	"croupier/engine"
	"croupier/policy"
)

const (
	// equilibriumTarget is the exploitability of the equilibrium agents, in the game's unit.
	equilibriumTarget = 1e-5
	// equilibriumIterations is far more than CFR+ needs for it (about 10,000).
	equilibriumIterations = 1_000_000
)

// NewEquilibrium solves a two-player zero-sum game with at most [MaxNodes] nodes by CFR+
// and returns a factory of policies that play the equilibrium.
func NewEquilibrium(g engine.Game) (func() policy.Stochastic, error) {
	tree, err := NewTree(g, MaxNodes)
	if err != nil {
		return nil, err
	}
	s, err := Equilibrium(tree, equilibriumTarget, equilibriumIterations)
	if err != nil {
		return nil, err
	}
	return s.Policy, nil
}
