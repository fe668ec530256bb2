package agents

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"croupier/engine"
	"croupier/policy"
	"croupier/solver"
	"croupier/solver/bank"
	"croupier/solver/banluck"
	"croupier/solver/langestrasse"
)

// Solution is a solver of a game and the name of the agent that plays its answer. Where
// that is a bot of the game, the solution plays the same and knows values.
type Solution struct {
	game  string
	seats int // of the game that is solved; 0: any number
	solve func(context.Context, engine.Game) (factory, error)

	Agent string
	// Whole: it is an answer to the whole game, and stands on every ladder of it.
	Whole bool
}

// factory makes players of a solution.
type factory = func() policy.Stochastic

// solutions lists all of them.
var solutions = []Solution{
	{"pig", 0, solver.NewPig, "solver:optimal", true},
	{"kuhn", 0, solver.NewEquilibrium, "solver:equilibrium", true},
	{"leduc", 0, solver.NewEquilibrium, "solver:equilibrium", true},
	{"bank", 2, bank.NewOptimal, "solver:optimal", true},
	{"banluck", 2, banluck.NewEquilibrium, "solver:equilibrium", true},
	{"lange-strasse", 0, atHand(langestrasse.NewMoney), "solver:money", true},
	{"lange-strasse", 0, atHand(langestrasse.NewTurnOptimum), "turn-optimum", false},
}

// atHand is for solutions that come with the program, or take no time.
func atHand(make func(engine.Game) (factory, error)) func(context.Context, engine.Game) (factory, error) {
	return func(_ context.Context, game engine.Game) (factory, error) { return make(game) }
}

// SolutionsOf returns those of one game under its rules, answers to the whole game first:
// the first one is the one to ask for advice.
func SolutionsOf(game engine.Game) []Solution {
	var whole, parts []Solution
	for _, s := range solutions {
		switch {
		case s.game != game.Spec().Name || s.seats != 0 && s.seats != game.Spec().Seats:
		case s.Whole:
			whole = append(whole, s)
		default:
			parts = append(parts, s)
		}
	}
	return append(whole, parts...)
}

// findSolution returns the solution with the agent's name. The error says what there is.
func findSolution(game engine.Game, agent string) (Solution, error) {
	list := SolutionsOf(game)
	if i := slices.IndexFunc(list, func(s Solution) bool { return s.Agent == agent }); i >= 0 {
		return list[i], nil
	}
	for _, s := range solutions {
		if s.game == game.Spec().Name && s.Agent == agent {
			return s, fmt.Errorf("it is the answer to %s for %d seats, this one has %d", s.game, s.seats, game.Spec().Seats)
		}
	}
	if list == nil {
		return Solution{}, fmt.Errorf("%s has no solver", game.Spec().Name)
	}
	var have []string
	for _, s := range list {
		have = append(have, s.Agent)
	}
	return Solution{}, fmt.Errorf("the solvers of %s are %s", game.Spec().Name, strings.Join(have, ", "))
}

// solved keeps the solutions of one game that were asked for. The zero value is empty.
type solved struct {
	mutex     sync.Mutex
	solutions map[string]*solving // by agent
}

// solving is a solution that is being computed, once for all who wait for it, or is there.
type solving struct {
	waiting int // callers
	cancel  context.CancelFunc
	done    chan struct{} // closed when what follows is set
	factory factory
	err     error
}

// get returns the solution of that name, which is computed at the first call. It waits for
// that as long as ctx lasts; when nobody waits any more, the computation is given up. An
// error is not kept: the next call tries again.
func (k *solved) get(ctx context.Context, game engine.Game, agent string) (factory, error) {
	solution, err := findSolution(game, agent)
	if err != nil {
		return nil, err
	}
	s := k.join(game, solution)
	defer k.leave(agent, s)
	select {
	case <-s.done:
		return s.factory, s.err
	case <-ctx.Done():
		return nil, fmt.Errorf("solving %s: %w", game.Spec().Name, ctx.Err())
	}
}

// join begins the computation unless it is under way or done.
func (k *solved) join(game engine.Game, solution Solution) *solving {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	s := k.solutions[solution.Agent]
	if s == nil {
		// It does not belong to the caller that comes first.
		ctx, cancel := context.WithCancel(context.Background())
		s = &solving{cancel: cancel, done: make(chan struct{})}
		go func() {
			defer close(s.done)
			s.factory, s.err = solution.solve(ctx, game)
		}()
		if k.solutions == nil {
			k.solutions = map[string]*solving{}
		}
		k.solutions[solution.Agent] = s
	}
	s.waiting++
	return s
}

// leave gives up a computation that nobody waits for, and forgets one that has failed.
func (k *solved) leave(agent string, s *solving) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if s.waiting--; s.waiting > 0 {
		return
	}
	s.cancel() // what is done stays
	select {
	case <-s.done:
		if s.err == nil {
			return
		}
	default:
	}
	if k.solutions[agent] == s {
		delete(k.solutions, agent)
	}
}
