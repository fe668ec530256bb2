package cluster

import (
	"context"
	"fmt"
	"net/http"

	"croupier/actor"
	"croupier/agents"
	"croupier/audit"
	"croupier/engine"
	"croupier/league"
	"croupier/learner"
	"croupier/messages"
	"croupier/nn"
	"croupier/web"
)

func (s *site) newLearner(resume bool, progress func() float64) (*learner.Learner, error) {
	layout, err := nn.NewLayout(s.config.Network, s.game.Spec())
	if err != nil {
		return nil, fmt.Errorf("network: %w", err)
	}
	_, curriculum, err := s.config.Games()
	if err != nil {
		return nil, err
	}
	stages, err := s.stages()
	if err != nil {
		return nil, err
	}
	s.auditor = audit.NewAuditor(audit.Options{
		Bus: s.bus, Game: s.game, Stages: stages, Agent: messages.LearningAgent, Conduct: s.config.Conduct,
		Resolver: agents.New(s.game, agents.Sources{Frozen: agents.FromBus(s.bus)}), Registerer: s.registry, Log: s.log,
	})
	return learner.New(learner.Options{
		Bus: s.bus, Game: s.game, Curriculum: curriculum, Layout: layout, Config: s.config.Learner,
		Run: s.config.Run, RunSeed: s.config.Seed, Dir: s.dir, Resume: resume,
		ID: processID(messages.LearnerRole), Agent: messages.LearningAgent,
		Progress: progress, Trouble: s.room, Conduct: s.config.Conduct, Audit: s.auditor.Offer,
		Registerer: s.registry, MetricsAddress: s.metricsAddress, Log: s.log,
	})
}

// stages are the games of the run's curriculum.
func (s *site) stages() (games []engine.Game, err error) {
	_, curriculum, err := s.config.Games()
	for _, stage := range curriculum {
		games = append(games, stage.Game)
	}
	return games, err
}

func (s *site) newActor(workers int) (*actor.Actor, error) {
	o, err := s.actorOptions(workers)
	if err != nil {
		return nil, err
	}
	return actor.New(o)
}

func (s *site) actorOptions(workers int) (actor.Options, error) {
	stages, err := s.stages()
	return actor.Options{
		Bus: s.bus, Game: s.game, Stages: stages, Config: s.config.Actor,
		Resolver: agents.New(s.game, agents.Sources{Frozen: agents.FromBus(s.bus)}),
		Run:      s.config.Run, RunSeed: s.config.Seed, ID: s.actorID(), Start: randomID(), Agent: messages.LearningAgent,
		Keeping: keeping(s.config.Archive), Workers: workers, Dir: s.dir, Registerer: s.registry, MetricsAddress: s.metricsAddress,
		Log: s.log,
	}, err
}

func (s *site) newLeague() (*league.League, error) {
	var auditing func(context.Context, *messages.Result) error
	if share := s.config.Conduct.AuditShare; share > 0 {
		auditing = audit.Match(audit.MatchOptions{
			Game: s.game, Resolver: agents.New(s.game, agents.Sources{Frozen: agents.FromBus(s.bus)}),
			RunSeed: s.config.Seed, Share: share,
		})
	}
	return league.New(league.Options{
		Audit: auditing, Conduct: s.config.Conduct, Bus: s.bus, Spec: s.game.Spec(), RulesHash: engine.RulesHash(s.game), Config: s.config.League,
		Run: s.config.Run, Dir: s.dir, References: agents.References(s.game), Zero: agents.Zero(s.game), Kind: agents.Kind,
		Samples:  !s.config.Network.ActionValues(),
		Evaluate: agents.Evaluation(s.game, s.config.Network), ID: processID(messages.LeagueRole), MetricsAddress: s.metricsAddress,
		Registerer: s.registry, Log: s.log,
	})
}

// newWeb returns the feed that follows the run and the page that shows it. What the page does besides
// answering ends with ctx.
func (s *site) newWeb(ctx context.Context, page Page) (*web.Feed, http.Handler) {
	feed := web.NewFeed(s.bus, s.config.Run, s.log)
	host := &Host{Runs: oneRun{s.shown()}, Registerer: s.registry, Log: s.log, People: page.People}
	o := page.options(s.registry, s.log)
	o.Feed, o.Healthy, o.Run = feed, s.alive, s.summary
	o.Pages, o.Global = pagesOf(s.game, s.log), host.pages(ctx)
	return feed, web.NewServer(o)
}
