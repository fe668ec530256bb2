package cluster

import (
	"context"

	"croupier/agents"
	"croupier/audit"
	"croupier/league"
	"croupier/messages"
)

// ServeLeague maintains the population and the ladder of a run until ctx ends.
func (p Process) ServeLeague(ctx context.Context) error {
	return p.serveOne(ctx, messages.LeagueRole, func(s *node) (role, error) { return s.leagueRole(nil), nil })
}

// leagueRole is the run's league; made, unless nil, is called with it.
func (s *node) leagueRole(made func(*league.League)) role {
	r := roleOf(func(context.Context) (*league.League, error) { return s.newLeague() }, made)
	r.lease = messages.LeagueRole
	return r
}

func (s *node) newLeague() (*league.League, error) {
	common, err := s.common()
	if err != nil {
		return nil, err
	}
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
	tables, err := s.tables()
	if err != nil {
		return nil, err
	}
	return league.New(league.Options{
		Common: common, Config: s.config.League, References: s.references(), Zero: known.StrongestBot(),
		Kind: agents.Kind, Recorded: known.Recorded(), Samples: !s.config.Network.ActionValues(),
		Evaluate: evaluate, Unmeasured: unmeasured, Tables: tables, Audit: auditing, ID: processID(messages.LeagueRole),
	})
}
