// Package solutions lists which games have been solved, and solves them by name.
package solutions

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"croupier/catalog"
	"croupier/engine"
	"croupier/solver"
)

// smallNodes is the size of the game trees that are solved without being in the list, in some seconds.
const smallNodes = 100_000

// smallGames keeps, by the hash of game and rules, what ofSmall has found.
var smallGames sync.Map

// ofSmall returns the solution that is computed of any game for two that is small enough, none of others: best play
// where all is seen, else an equilibrium.
func ofSmall(game engine.Game) []catalog.Solution {
	if game.Spec().Seats != 2 {
		return nil
	}
	hash := engine.RulesHash(game)
	if known, found := smallGames.Load(hash); found {
		return known.([]catalog.Solution)
	}
	var solution []catalog.Solution
	if game.Spec().PerfectInformation {
		if _, err := solver.NewPositions(game, smallNodes); err == nil {
			solution = []catalog.Solution{solver.Optimal}
		}
	} else if tree, err := solver.NewTree(game, smallNodes); err == nil {
		if _, err = solver.NewCFR(tree, solver.Plus); err == nil {
			solution = []catalog.Solution{solver.Equilibrium}
		}
	}
	smallGames.Store(hash, solution)
	return solution
}

// Of returns the solutions of a game under its rules, from what a catalog has of it ([catalog.Catalog.Of]). Answers to
// the whole game come first; the first of them is the one to ask for advice. A small game for two that has none has
// best play or its equilibrium.
func Of(entry catalog.Game, game engine.Game) []catalog.Solution {
	var whole, parts []catalog.Solution
	for _, s := range entry.Exact.Solutions {
		switch {
		case s.Seats != 0 && s.Seats != game.Spec().Seats:
		case s.Part:
			parts = append(parts, s)
		default:
			whole = append(whole, s)
		}
	}
	if whole == nil {
		whole = slices.Clone(ofSmall(game))
	}
	return append(whole, parts...)
}

// Has reports whether an agent of the game is a solution.
func Has(entry catalog.Game, game engine.Game, agent string) bool {
	return slices.ContainsFunc(Of(entry, game), func(s catalog.Solution) bool { return s.Agent == agent })
}

// Find returns the solution with the agent's name. The error says which ones there are.
func Find(entry catalog.Game, game engine.Game, agent string) (catalog.Solution, error) {
	list := Of(entry, game)
	named := func(s catalog.Solution) bool { return s.Agent == agent }
	if i := slices.IndexFunc(list, named); i >= 0 {
		return list[i], nil
	}
	if i := slices.IndexFunc(entry.Exact.Solutions, named); i >= 0 {
		s := entry.Exact.Solutions[i]
		return s, fmt.Errorf("it is the answer to %s for %d seats, this one has %d", entry.Name, s.Seats, game.Spec().Seats)
	}
	if list == nil {
		return catalog.Solution{}, fmt.Errorf("%s has no solver", entry.Name)
	}
	var have []string
	for _, s := range list {
		have = append(have, s.Agent)
	}
	return catalog.Solution{}, fmt.Errorf("the solvers of %s are %s", entry.Name, strings.Join(have, ", "))
}

// Cache holds the solutions of one game that have been asked for.
type Cache struct {
	entry     catalog.Game
	mutex     sync.Mutex
	solutions map[string]*solving // by agent
}

// NewCache returns an empty cache for the game of an entry.
func NewCache(entry catalog.Game) *Cache { return &Cache{entry: entry} }

// solving is a solution being computed, once for all who wait for it, or already computed.
type solving struct {
	waiting int // callers
	cancel  context.CancelFunc
	done    chan struct{} // closed once the fields below are set
	factory catalog.Players
	err     error
}

// Get returns the named solution, which the first call computes. It waits as long as ctx
// lasts; when no caller waits any longer, the computation is abandoned. An error is not kept:
// the next call tries again.
func (k *Cache) Get(ctx context.Context, game engine.Game, agent string) (catalog.Players, error) {
	solution, err := Find(k.entry, game, agent)
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
func (k *Cache) join(game engine.Game, solution catalog.Solution) *solving {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	s := k.solutions[solution.Agent]
	if s == nil {
		// The computation does not end with the caller that happens to come first.
		ctx, cancel := context.WithCancel(context.Background())
		s = &solving{cancel: cancel, done: make(chan struct{})}
		go func() {
			defer close(s.done)
			defer engine.Recover(&s.err)
			s.factory, s.err = Solve(ctx, game, solution)
		}()
		if k.solutions == nil {
			k.solutions = map[string]*solving{}
		}
		k.solutions[solution.Agent] = s
	}
	s.waiting++
	return s
}

// leave abandons a computation that no caller waits for, and forgets one that failed.
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
