package cluster

import (
	"context"
	"net/http"

	"croupier/actor"
	"croupier/agents"
	"croupier/audit"
	"croupier/engine"
	"croupier/league"
	"croupier/messages"
	"croupier/web"
)

// stages are the games of the run's curriculum.
func (s *site) stages() (games []engine.Game, err error) {
	_, curriculum, err := s.config.Games()
	for _, stage := range curriculum {
		games = append(games, stage.Game)
	}
	return games, err
}

// newActor makes an actor of that many cores.
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
		Resolver: s.agents(),
		Run:      s.config.Run, RunSeed: s.config.Seed, ID: s.actorID(), Start: randomID(), Agents: s.learning(),
		Keeping: keeping(s.config.Archive), Workers: workers, Dir: s.dir, Registerer: s.registry, MetricsAddress: s.metricsAddress,
		Log: s.log,
	}, err
}

func (s *site) newLeague() (*league.League, error) {
	var auditing func(context.Context, *messages.Result) error
	if share := s.config.Conduct.AuditShare; share > 0 {
		auditing = audit.Match(audit.MatchOptions{
			Game: s.game, Resolver: s.agents(),
			RunSeed: s.config.Seed, Share: share,
		})
	}
	known := s.agents()
	evaluate, err := known.Evaluation(s.config.Network, s.config.League.CurveNodes)
	unmeasured := ""
	if err != nil {
		unmeasured = err.Error()
		s.log.Info("there is no curve of exploitability", "reason", unmeasured)
	}
	return league.New(league.Options{
		Audit: auditing, Conduct: s.config.Conduct, Bus: s.bus, Spec: s.game.Spec(), RulesHash: engine.RulesHash(s.game), Config: s.config.League,
		Run: s.config.Run, Dir: s.dir, References: s.references(), Zero: known.StrongestBot(), Kind: agents.Kind,
		Recorded: known.Recorded(),
		Samples:  !s.config.Network.ActionValues(),
		Evaluate: evaluate, Unmeasured: unmeasured, ID: processID(messages.LeagueRole), MetricsAddress: s.metricsAddress,
		Registerer: s.registry, Log: s.log,
	})
}

// newWeb returns the feed that follows the run and the page that shows it. What the page does besides
// answering ends with ctx.
func (s *site) newWeb(ctx context.Context, page Page) (*web.Feed, http.Handler) {
	feed := web.NewFeed(s.bus, s.config.Run, s.log)
	host := &Host{Catalog: s.config.Catalog(), Runs: oneRun{s.shown()}, Registerer: s.registry, Log: s.log, People: page.People}
	o := page.options(s.config.Catalog(), s.registry, s.log)
	o.Feed, o.Healthy, o.Run, o.Contributions = feed, s.alive, s.summary, contributionsOf(s.bus)
	o.Pages, o.Global = pagesOf(s.config.Catalog(), s.game, s.log), host.pages(ctx)
	return feed, web.NewServer(o)
}
