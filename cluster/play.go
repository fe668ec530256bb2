package cluster

import (
	"context"

	"croupier/agents"
	"croupier/catalog"
	"croupier/engine"
	"croupier/messages"
	"croupier/play"
	"croupier/web"
)

// playPage is the page on which people play. Its tables are kept for its next start where they have a folder.
func playPage(ctx context.Context, h *Globals) web.Page {
	source := &playSource{runs: h.Runs, agents: resolvers{games: h.Catalog}}
	var people *play.People
	if h.People != "" {
		people = &play.People{Dir: h.People}
	}
	hall := play.NewHall(ctx, play.Options{
		Source: source, Limits: play.DefaultLimits(), Log: h.Log, Metrics: play.NewMetrics(h.Registerer),
		People: people, Dir: h.Tables, Assess: source.assess,
	})
	advisor := h.advisor()
	return web.PlayPage(hall, source, advisor, h.Log)
}

// playSource finds games and opponents for tables. The page must not read files of this machine.
type playSource struct {
	runs   Runs
	agents resolvers
}

// Game implements play.Source.
func (p *playSource) Game(ctx context.Context, name, rules, runID string, seats int) (engine.Game, error) {
	run, err := p.runs.Find(ctx, runID)
	if err != nil {
		return nil, err
	}
	game, err := p.agents.game(run, name, rules)
	if err != nil || seats == 0 {
		return game, err
	}
	return play.Fit(p.agents.games.Of(game), game, seats)
}

// game returns a game under a rules document; an empty document means the run's rules for the
// run's game, and the default rules for others.
func (r *resolvers) game(run *View, name, rules string) (engine.Game, error) {
	if rules == "" && run != nil && name == run.Game.Spec().Name {
		return run.Game, nil
	}
	return r.games.Table(name, []byte(rules))
}

// Agent implements play.Source.
func (p *playSource) Agent(ctx context.Context, game engine.Game, runID, name string) (play.Agent, error) {
	run, err := p.runs.Find(ctx, runID)
	if err != nil {
		return play.Agent{}, err
	}
	return play.Find(ctx, p.agents.of(run, game), name)
}

// assess implements play.Assess. Where no run is named, versions of the newest one are asked if no network comes with
// the program.
func (p *playSource) assess(ctx context.Context, game engine.Game, runID string) (play.Agent, error) {
	run, err := p.runs.Find(ctx, runID)
	if err == nil && run == nil && !p.agents.of(nil, game).HasTrained() {
		run, err = p.runs.Newest(ctx, game)
	}
	if err != nil {
		return play.Agent{}, err
	}
	var ladder *messages.Ladder
	if run != nil && engine.RulesHash(run.Game) == engine.RulesHash(game) {
		if ladder, err = run.Ladder(ctx); err != nil {
			return play.Agent{}, err
		}
	}
	return play.Assessor(ctx, p.agents.of(run, game), ladder)
}

// Agents implements play.Source.
func (p *playSource) Agents(game engine.Game) *agents.Agents { return p.agents.of(nil, game) }

// Games implements web.Lobby. A run's game from a file is on the list of the run alone.
func (p *playSource) Games(ctx context.Context, runID string) (list []play.PlayedGame, err error) {
	run, err := p.runs.Find(ctx, runID)
	if err != nil {
		return nil, err
	}
	games := p.agents.games
	if run != nil && catalog.SourceOf(run.Game) != nil {
		games = games.WithSource(games.Of(run.Game))
	}
	for _, entry := range games.Games() {
		game, err := p.Game(ctx, entry.Name, "", runID, 0)
		if err != nil {
			return nil, err
		}
		list = append(list, play.Describe(entry, game))
	}
	return list, nil
}

// Levels implements web.Lobby.
func (p *playSource) Levels(ctx context.Context, name, rules, runID string, seats int) ([]play.Level, error) {
	game, err := p.Game(ctx, name, rules, runID, seats)
	if err != nil {
		return nil, err
	}
	known := p.agents.of(nil, game)
	levels := play.Levels(known)
	run, err := p.runs.Find(ctx, runID)
	if err != nil || run == nil || run.Game.Spec().Name != game.Spec().Name {
		return levels, err
	}
	ladder, err := run.Ladder(ctx)
	if engine.RulesHash(run.Game) == engine.RulesHash(game) {
		return append(levels, play.RunLevels(known, ladder)...), err
	}
	if level, plays := play.TableLevel(ctx, p.agents.of(run, game), ladder); plays {
		levels[len(levels)-1].Caution = ""
		levels = append(levels, level)
	}
	return levels, err
}
