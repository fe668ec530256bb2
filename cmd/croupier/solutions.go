package main

import (
	"fmt"
	"strings"
	"sync"

	"croupier/engine"
	"croupier/policy"
	"croupier/solver"
	"croupier/solver/banluck"
	"croupier/solver/langestrasse"
)

// solution is a solver of a game and the name of the agent that plays its answer. Where
// that is a bot of the game, the solution plays the same and knows values.
type solution struct {
	game, agent string
	reference   bool // stands on every ladder of the game
	solve       func(engine.Game) (func() policy.Stochastic, error)
}

// solutions lists all of them.
var solutions = []solution{
	{"pig", "solver:optimal", true, solver.NewPig},
	{"kuhn", "solver:equilibrium", true, solver.NewEquilibrium},
	{"leduc", "solver:equilibrium", true, solver.NewEquilibrium},
	{"banluck", "solver:equilibrium", true, banluck.NewEquilibrium},
	{"lange-strasse", "turn-optimum", false, langestrasse.NewTurnOptimum},
}

// solutionsOf returns those of one game.
func solutionsOf(game engine.Game) []solution {
	var list []solution
	for _, s := range solutions {
		if s.game == game.Spec().Name {
			list = append(list, s)
		}
	}
	return list
}

// solved keeps the solutions of one game that were asked for. The zero value is empty.
type solved struct {
	mutex     sync.Mutex
	factories map[string]func() policy.Stochastic
}

// get solves the game at the first call for each name. Others wait meanwhile.
func (k *solved) get(game engine.Game, name string) (func() policy.Stochastic, error) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if f := k.factories[name]; f != nil {
		return f, nil
	}
	var have []string
	for _, s := range solutionsOf(game) {
		if s.agent != name {
			have = append(have, s.agent)
			continue
		}
		f, err := s.solve(game)
		if err != nil {
			return nil, err
		}
		if k.factories == nil {
			k.factories = map[string]func() policy.Stochastic{}
		}
		k.factories[name] = f
		return f, nil
	}
	if have == nil {
		return nil, fmt.Errorf("%s has no solver", game.Spec().Name)
	}
	return nil, fmt.Errorf("the solvers of %s are %s", game.Spec().Name, strings.Join(have, ", "))
}
