package actor

import (
	"context"

	"croupier/messages"
	"croupier/messages/bus"
)

// Contests are matches of tournaments that somebody holds on the run's actors. They are played as
// the league's matches are, on the same tables, in turn with them: training keeps its share. Their
// results go back to the process that holds the tournament, with the games; neither the league nor the run's
// archive learns of them.

// fetchContests is fetchMatches for tournaments, without which an actor does its work all the same.
func (a *Actor) fetchContests(ctx context.Context) {
	if err := a.fetchMatches(ctx, bus.Contests); err != nil && ctx.Err() == nil {
		a.opts.Log.Info("no matches of tournaments are played here", "error", err)
	}
}

// seed is that of the deals.
func (l *lease) seed(runSeed uint64) uint64 {
	if l.match.Seed != nil {
		return *l.match.Seed
	}
	return runSeed
}

// outcome is where the result of the match belongs.
func (l *lease) outcome(actor string) (bus.Stream, string) {
	if l.tournament != "" {
		return bus.Outcomes, messages.OutcomeSubject(l.tournament, l.match.Id, actor)
	}
	return bus.Results, messages.ResultSubject(l.match.Id, actor)
}

// whole returns what gathers all games of a match, whatever the archive may still be offered.
func (k *archiveOffers) whole(m *messages.Match) *keptMatch {
	own := &archiveOffers{run: k.run, actor: k.actor, arena: k.arena}
	return &keptMatch{by: own, match: m.Id}
}

// encodeResult encodes a result, of a tournament with the games if there is room for them.
func encodeResult(r *messages.Result, m *matchPlay, games bool) ([]byte, error) {
	if games {
		r.Games = m.kept.games()
		if data, err := messages.Encode(r); err == nil {
			return data, nil
		}
		r.Games = nil
	}
	return messages.Encode(r)
}
