package cli

import (
	"context"

	"croupier/agents"
	"croupier/catalog"
	"croupier/engine"
	"croupier/settings"
)

// program is what the commands know of the program that they are part of: its games.
type program struct{ catalog *catalog.Catalog }

// agentsOf returns the agents of a game for a user of this machine, including the versions in a run directory unless
// run is "".
func (p program) agentsOf(game engine.Game, run string) *agents.Agents {
	return p.agentsFrom(game, run, true)
}

// agentsFrom is agentsOf with or without programs: those whose names come from a file and not from the user must not be
// run.
func (p program) agentsFrom(game engine.Game, run string, programs bool) *agents.Agents {
	sources := agents.Sources{Catalog: p.catalog, Files: true, Programs: programs, Levels: true}
	if run != "" {
		sources.Frozen = agents.FromRun(run)
	}
	return agents.New(game, sources)
}

// configured returns the settings of a game with the changes that the user asks for.
func (p program) configured(ctx context.Context, game string, changes settings.Changes) (*settings.Config, error) {
	c, err := settings.Default(p.catalog, game)
	if err != nil {
		return nil, usage("%w", err)
	}
	if err := changes.Apply(ctx, c); err != nil {
		return nil, usage("%w", err)
	}
	return c, nil
}

// firstGame returns the name of the first game, "" where there is none.
func (p program) firstGame() string {
	if names := p.catalog.Names(); len(names) > 0 {
		return names[0]
	}
	return ""
}
