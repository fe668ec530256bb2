package settings

import (
	"context"
	"strings"

	"croupier/engine"
	"croupier/internal/strict"
	"croupier/learner"
	"croupier/solver/solutions"
)

// Teacher returns what makes bots that do as a teacher does: a bot of the game, or a solution, solver:NAME, which may take
// seconds to solve.
func Teacher(ctx context.Context, game engine.Game, name string) (func() engine.Bot, error) {
	if strings.HasPrefix(name, solutions.Prefix) {
		s, err := solutions.Find(game, name)
		if err != nil {
			return nil, err
		}
		players, err := s.Solve(ctx, game)
		return func() engine.Bot { return players() }, err
	}
	return learner.BotTeacher(game, name)
}

// checkTeacher says what is wrong with the name of a teacher of the game; it solves nothing.
func checkTeacher(game engine.Game, name string) (err error) {
	switch {
	case name == "":
		return nil
	case strings.HasPrefix(name, solutions.Prefix):
		_, err = solutions.Find(game, name)
	default:
		_, err = learner.BotTeacher(game, name)
	}
	if err != nil {
		return strict.Errorf("ppo.teacher", "%v", err)
	}
	return nil
}
