// Package solver computes exact answers, to prove what agents learn.
//
// A small game becomes a [Tree] in sequence form, and a policy on it a [Strategy]
// (a table of probabilities, see [StrategyOf]), of which expected returns, best
// responses and the exploitability are exact. [CFRPlus] approaches an equilibrium of
// a two-player zero-sum game as closely as wanted. Pig, whose game is too large for a
// tree, is solved by value iteration, and the player's side of Banluck against a fixed
// dealer by dynamic programming ([SolveBanluck]).
//
// [New] is the exact agent of a game where one exists, under the name that [Agent]
// says. Solving takes from milliseconds to seconds: call New once and its factory for
// every policy; the policies share one immutable table.
package solver

import (
	"fmt"
	"strings"

	"croupier/engine"
	"croupier/policy"
)

const (
	// equilibriumTarget is the exploitability of the equilibrium agents, in the game's unit.
	equilibriumTarget = 1e-5
	// equilibriumIterations is far more than CFR+ needs for it (about 10,000).
	equilibriumIterations = 1_000_000
)

// exact lists the games that have an exact agent.
var exact = []struct {
	game, agent string
	solve       func(engine.Game) (func() policy.Stochastic, error)
}{
	{"pig", "solver:optimal", newPig},
	{"kuhn", "solver:equilibrium", newEquilibrium},
	{"leduc", "solver:equilibrium", newEquilibrium},
}

// Agent returns the name of a game's exact agent. The error names the games that
// have one.
func Agent(game string) (string, error) {
	var have []string
	for _, e := range exact {
		if e.game == game {
			return e.agent, nil
		}
		have = append(have, fmt.Sprintf("%s of %s", e.agent, e.game))
	}
	return "", fmt.Errorf("no exact solver for %s; there are %s", game, strings.Join(have, ", "))
}

// New solves the game under its rules and returns a factory of policies that play
// the solution. The error of a game without an exact agent is that of [Agent].
func New(g engine.Game) (func() policy.Stochastic, error) {
	for _, e := range exact {
		if e.game == g.Spec().Name {
			return e.solve(g)
		}
	}
	_, err := Agent(g.Spec().Name)
	return nil, err
}

func newEquilibrium(g engine.Game) (func() policy.Stochastic, error) {
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
