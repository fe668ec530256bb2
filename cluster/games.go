package cluster

import (
	"context"
	"errors"
	"fmt"

	"croupier/actor"
	"croupier/advice"
	"croupier/archive"
	"croupier/archive/archiver"
	"croupier/engine"
	"croupier/settings"
	"croupier/web"
)

// keeping reports which games actors offer to the archive: none where none are kept.
func keeping(c archive.Config) actor.Keeping {
	if c.MaxBytes == 0 {
		return actor.Keeping{}
	}
	return actor.Keeping{
		TrainingShare: c.TrainingShare, TrainingPerSecond: c.TrainingPerSecond, ArenaPerSecond: c.ArenaPerSecond,
	}
}

// newArchiver makes the archiver of the run's archive, which is one for each run: it works where
// the learner works.
func (s *node) newArchiver() (*archiver.Archiver, error) {
	common, err := s.common()
	if err != nil {
		return nil, err
	}
	return archiver.New(archiver.Options{Common: common, Config: s.config.Archive, Room: s.room})
}

// archiverRole takes games into the archive. Training does not fail with it.
func (s *node) archiverRole() role {
	var k *archiver.Archiver
	return role{
		make: func(context.Context) (err error) { k, err = s.newArchiver(); return err },
		run:  func(ctx context.Context) error { k.Run(ctx); return nil },
	}
}

// webArchives finds the archives of runs for the page.
type webArchives struct {
	runs    Runs
	advisor *webAdvisor
	judging *judging
}

var _ web.Archives = (*webArchives)(nil)

// gamesPage is the page on which games that were kept are found.
func gamesPage(_ context.Context, h *Globals) web.Page {
	return web.GamesPage(&webArchives{h.Runs, h.advisor(), h.judging}, h.Log)
}

// find returns the run of an ID, with its directory.
func (a *webArchives) find(ctx context.Context, id string) (*View, error) {
	run, err := a.runs.Find(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case run == nil:
		return nil, errors.New("name a run with --run: games are kept with their run")
	case run.Dir == "":
		return nil, fmt.Errorf("the games of %s are kept in its run directory, which is not on this machine", run.ID)
	}
	return run, nil
}

// Archive implements web.Archives.
func (a *webArchives) Archive(ctx context.Context, id string) (*web.KeptGames, error) {
	run, err := a.find(ctx, id)
	if err != nil {
		return nil, err
	}
	config, err := settings.Read(a.advisor.agents.games, run.Dir)
	if err != nil {
		return nil, err
	}
	spec := run.Game.Spec()
	return &web.KeptGames{
		Run: run.ID, Game: spec.Name, Unit: spec.Unit, Coin: spec.Coin, Money: spec.Payoff == engine.Money,
		LimitBytes: config.Archive.MaxBytes, Archive: archive.Read(run.Dir), Catalog: a.advisor.agents.games,
		Judging: a.judging.state(run),
	}, nil
}

// Review implements web.Archives.
func (a *webArchives) Review(ctx context.Context, id string, game archive.ID) (*archive.Review, error) {
	run, err := a.find(ctx, id)
	if err != nil {
		return nil, err
	}
	kept, err := archive.Read(run.Dir).Game(game)
	if err != nil {
		return nil, err
	}
	costs, err := advice.Costs(ctx, a.advisor.agents.games, kept, func(g engine.Game) (*advice.Reviewer, error) {
		agent, err := a.advisor.choose(ctx, run, g, "")
		return advice.NewReviewer(g, agent, advice.ReviewOptions()), err
	})
	if err != nil {
		return nil, err
	}
	return &costs, archive.AddReviews(run.Dir, map[archive.ID]archive.Review{game: costs})
}
