package settings

import (
	"context"
	"strings"

	"croupier/catalog"
	"croupier/engine"
	"croupier/internal/strict"
	"croupier/learner/train"
	"croupier/solver/solutions"
)

// Teacher returns what makes bots that do as a teacher does: a bot of the game, or one of the solutions that a catalog
// has of it, solver:NAME, which may take seconds to solve.
func Teacher(ctx context.Context, entry catalog.Game, game engine.Game, name string) (func() engine.Bot, error) {
	prepare, err := findTeacher(entry, game, name)
	if err != nil {
		return nil, err
	}
	return prepare(ctx)
}

// findTeacher finds a teacher by its name and returns what solves the game, if it has to be solved.
func findTeacher(entry catalog.Game, game engine.Game, name string) (func(context.Context) (func() engine.Bot, error),
	error) {
	if !strings.HasPrefix(name, catalog.SolutionPrefix) {
		newBot, err := train.BotTeacher(game, name)
		return func(context.Context) (func() engine.Bot, error) { return newBot, nil }, err
	}
	solution, err := solutions.Find(entry, game, name)
	return func(ctx context.Context) (func() engine.Bot, error) {
		players, err := solutions.Solve(ctx, game, solution)
		return func() engine.Bot { return players() }, err
	}, err
}

// checkTeacher reports what is wrong with the name of a teacher of the game, "" for none.
func checkTeacher(entry catalog.Game, game engine.Game, name string) error {
	if name == "" {
		return nil
	}
	if _, err := findTeacher(entry, game, name); err != nil {
		return strict.Errorf("ppo.teacher", "%v", err)
	}
	return nil
}
