package main

import (
	"fmt"
	"strings"
	"sync"

	"croupier/engine"
	"croupier/policy"
	"croupier/solver"
	"croupier/solver/bank"
	"croupier/solver/banluck"
	"croupier/solver/langestrasse"
)

// solution is a solver of a game and the name of the agent that plays its answer. Where
// that is a bot of the game, the solution plays the same and knows values.
type solution struct {
	game, agent string
	seats       int  // of the game that is solved; 0: any number
	reference   bool // stands on every ladder of the game
	solve       func(engine.Game) (func() policy.Stochastic, error)
}

// solutions lists all of them. The first of a game is the one to ask for advice.
var solutions = []solution{
	{"pig", "solver:optimal", 0, true, solver.NewPig},
	{"kuhn", "solver:equilibrium", 0, true, solver.NewEquilibrium},
	{"leduc", "solver:equilibrium", 0, true, solver.NewEquilibrium},
	{"bank", "solver:optimal", 2, true, bank.NewOptimal},
	{"banluck", "solver:equilibrium", 2, true, banluck.NewEquilibrium},
	{"lange-strasse", "solver:money", 0, true, langestrasse.NewMoney},
	{"lange-strasse", "turn-optimum", 0, false, langestrasse.NewTurnOptimum},
}

// solutionsOf returns those of one game under its rules.
func solutionsOf(game engine.Game) []solution {
	var list []solution
	for _, s := range solutions {
		if s.game == game.Spec().Name && (s.seats == 0 || s.seats == game.Spec().Seats) {
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
	for _, s := range solutions {
		if s.game == game.Spec().Name && s.agent == name {
			return nil, fmt.Errorf("it is the answer to %s for %d seats, this one has %d", s.game, s.seats, game.Spec().Seats)
		}
	}
	if have == nil {
		return nil, fmt.Errorf("%s has no solver", game.Spec().Name)
	}
	return nil, fmt.Errorf("the solvers of %s are %s", game.Spec().Name, strings.Join(have, ", "))
}
