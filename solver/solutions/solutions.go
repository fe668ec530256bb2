// Package solutions lists which games have been solved, and solves them by name.
package solutions

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

// Solution is a solver of a game and the name of the agent that plays its answer. If that
// is the name of a bot of the game, the solution plays like the bot and also knows values.
type Solution struct {
	game  string
	seats int // of the game it solves; 0: any number
	solve func(context.Context, engine.Game) (Factory, error)

	Agent string
	// Whole says that it answers the whole game and so appears on every ladder of the game.
	Whole bool
	// Bounded says that what a seat could gain by leaving it alone has been computed, and is small,
	// where its values are not exact.
	Bounded bool
}

// Factory makes players of a solution. They share it, and each belongs to one goroutine.
type Factory = func() policy.Stochastic

// The names of the agents that play solutions.
const (
	optimal     = Prefix + "optimal"
	equilibrium = Prefix + "equilibrium"
)

// Prefix is that of the names of solutions that are no bots as well.
const Prefix = "solver:"

// all lists every solution.
var all = []Solution{
	{"pig", 0, kept(optimal, solver.SolvePigTables, solver.PigOf), optimal, true, false},
	{"kuhn", 0, kept(equilibrium, solver.SolveTables, solver.EquilibriumOf), equilibrium, true, false},
	{"leduc", 0, kept(equilibrium, solver.SolveTables, solver.EquilibriumOf), equilibrium, true, false},
	{"bank", 2, kept(optimal, bank.SolveTables, bank.OptimalOf), optimal, true, false},
	{"banluck", 0, kept(equilibrium, banluck.SolveTables, banluck.EquilibriumOf), equilibrium, true, true},
	{"lange-strasse", 0, atHand(langestrasse.NewMoney), "solver:money", true, false},
	{"lange-strasse", 0, atHand(langestrasse.NewTurnOptimum), "turn-optimum", false, false},
}

// atHand wraps solutions that come with the program or take no time.
func atHand(make func(engine.Game) (Factory, error)) func(context.Context, engine.Game) (Factory, error) {
	return func(_ context.Context, game engine.Game) (Factory, error) { return make(game) }
}

// smallNodes is the size of the game trees that are solved without being in the list, in some seconds.
const smallNodes = 100_000

// smallGames says by the hash of game and rules which games are that small.
var smallGames sync.Map

// small says whether an equilibrium of the game can be computed on its whole tree.
func small(game engine.Game) bool {
	if game.Spec().Seats != 2 {
		return false
	}
	hash := engine.RulesHash(game)
	if known, found := smallGames.Load(hash); found {
		return known.(bool)
	}
	tree, err := solver.NewTree(game, smallNodes)
	if err == nil {
		_, err = solver.NewCFR(tree, solver.Plus)
	}
	smallGames.Store(hash, err == nil)
	return err == nil
}

// Of returns the solutions of a game under its rules. Answers to the whole game
// come first; the first of them is the one to ask for advice. A small game for two that has none in the list has its
// equilibrium.
func Of(game engine.Game) []Solution {
	var whole, parts []Solution
	for _, s := range all {
		switch {
		case s.game != game.Spec().Name || s.seats != 0 && s.seats != game.Spec().Seats:
		case s.Whole:
			whole = append(whole, s)
		default:
			parts = append(parts, s)
		}
	}
	if whole == nil && small(game) {
		solve := kept(equilibrium, solver.SolveTables, solver.EquilibriumOf)
		whole = []Solution{{game.Spec().Name, 2, solve, equilibrium, true, false}}
	}
	return append(whole, parts...)
}

// Has says whether an agent of the game is a solution.
func Has(game engine.Game, agent string) bool {
	return slices.ContainsFunc(Of(game), func(s Solution) bool { return s.Agent == agent })
}

// Find returns the solution with the agent's name. The error says which ones there are.
func Find(game engine.Game, agent string) (Solution, error) {
	list := Of(game)
	if i := slices.IndexFunc(list, func(s Solution) bool { return s.Agent == agent }); i >= 0 {
		return list[i], nil
	}
	for _, s := range all {
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

// Solve solves the game.
func (s Solution) Solve(ctx context.Context, game engine.Game) (Factory, error) {
	return s.solve(ctx, game)
}

// Cache holds the solutions of one game that have been asked for. The zero value is
// empty.
type Cache struct {
	mutex     sync.Mutex
	solutions map[string]*solving // by agent
}

// solving is a solution being computed, once for all who wait for it, or already computed.
type solving struct {
	waiting int // callers
	cancel  context.CancelFunc
	done    chan struct{} // closed once the fields below are set
	factory Factory
	err     error
}

// Get returns the named solution, which the first call computes. It waits as long as ctx
// lasts; when nobody waits any longer, the computation is abandoned. An error is not kept:
// the next call tries again.
func (k *Cache) Get(ctx context.Context, game engine.Game, agent string) (Factory, error) {
	solution, err := Find(game, agent)
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
func (k *Cache) join(game engine.Game, solution Solution) *solving {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	s := k.solutions[solution.Agent]
	if s == nil {
		// The computation does not end with the caller that happens to come first.
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

// leave abandons a computation that nobody waits for, and forgets one that failed.
func (k *Cache) leave(agent string, s *solving) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if s.waiting--; s.waiting > 0 {
		return
	}
	s.cancel() // a finished solution stays
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
