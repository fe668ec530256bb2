package catalog

import (
	"context"

	"croupier/engine"
	"croupier/policy"
)

// Exact is what is known exactly of a game. All of it is optional.
type Exact struct {
	// Solutions are exact answers. Those to the whole game come first, and the first of them is asked for advice.
	Solutions []Solution
	// Formats are the files in which croupier solve writes solutions, and that can be named as agents.
	Formats []Format
	// Measure returns what measures policies without memory against the exact answer, as values of curves by their
	// series. It takes the place of the exploitability on the game's tree, for games that have none of a size to be
	// walked. The error reports which rules it does not cover.
	Measure func(engine.Game) (Measure, error)
	// Command is the command below croupier solve. A game for two without one gets one that finds an equilibrium on the
	// game's tree, where that is small enough.
	Command Command
}

// Measure measures a policy, of which it asks for several.
type Measure = func(ctx context.Context, newPolicy func() policy.Policy) (map[string]float64, error)

// Format is a kind of file that holds a solution.
type Format struct {
	Text bool // the file is text, which may begin with a byte-order mark; Is and Read get it without
	// Is reports whether a file claims to be of this kind, by how it begins.
	Is func(data []byte) bool
	// Read returns players of the solution. The error says what is wrong with the file, or that it is of another game.
	Read func(game engine.Game, data []byte) (Players, error)
}

// Players makes players of a solution. They share it, and each belongs to one goroutine.
type Players = func() policy.Stochastic

// Solution is an exact answer to a game, and the name of the agent that plays it. If that is the name of a bot of the
// game, the solution plays like the bot and also knows values. [Solved] and [Tables] make one.
type Solution struct {
	Agent string
	Seats int // of the game that it answers; 0: any number
	// Part reports that it answers no more than a part of the game: a turn, say. The others are on every ladder of the
	// game.
	Part bool
	// Bounded reports that what a seat could gain by leaving it alone has been computed, and is small, where its values
	// are not exact.
	Bounded bool
	// Solve returns players of the solution, and its tables, a pointer to what package gob can write; nil where they
	// are not worth keeping.
	Solve func(context.Context, engine.Game) (players Players, tables any, err error)
	// Open makes players of tables that Solve has returned before; read fills a pointer. nil: there are none.
	Open func(game engine.Game, read func(tables any) error) (Players, error)
}

// The usual names of agents that play solutions that are no bots as well.
const (
	// SolutionPrefix is that of these names.
	SolutionPrefix = "solver:"
	// Optimal plays the optimum of a game whose positions have values.
	Optimal = SolutionPrefix + "optimal"
	// Equilibrium plays an equilibrium of a game with hidden information.
	Equilibrium = SolutionPrefix + "equilibrium"
)

// ForSeats returns the solution for games of this number of seats alone.
func (s Solution) ForSeats(seats int) Solution {
	s.Seats = seats
	return s
}

// OfPart returns the solution as one of a part of its game.
func (s Solution) OfPart() Solution {
	s.Part = true
	return s
}

// WithBound returns the solution as one whose values are not exact, but what a seat could gain by leaving it is known.
func (s Solution) WithBound() Solution {
	s.Bounded = true
	return s
}

// Solved returns a solution that is at hand or takes no time.
func Solved(agent string, make func(engine.Game) (Players, error)) Solution {
	return Solution{Agent: agent, Solve: func(_ context.Context, game engine.Game) (Players, any, error) {
		players, err := make(game)
		return players, nil, err
	}}
}

// Tables returns a solution whose tables can be kept: solve makes players and the tables, and open makes players of
// tables.
func Tables[T any](
	agent string, solve func(context.Context, engine.Game) (Players, *T, error),
	open func(engine.Game, *T) (Players, error),
) Solution {
	return Solution{
		Agent: agent,
		Solve: func(ctx context.Context, game engine.Game) (Players, any, error) {
			players, tables, err := solve(ctx, game)
			return players, tables, err
		},
		Open: func(game engine.Game, read func(any) error) (Players, error) {
			tables := new(T)
			if err := read(tables); err != nil {
				return nil, err
			}
			return open(game, tables)
		},
	}
}
