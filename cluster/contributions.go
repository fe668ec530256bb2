package cluster

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"croupier/internal/rundir"
	"croupier/learner"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/conduct"
)

const (
	// namedActors is how many actors a page names.
	namedActors = 500
	// contributionsAge is how old an answer to a page may be: reading the ledgers of thousands of workers is work.
	contributionsAge = 2 * time.Second
)

// contributionsOf returns what a page asks for the contributions to a run. Answers are kept for a while, and the
// broker is asked by one at a time: the others wait for that answer as long as they like.
func contributionsOf(b bus.Bus) func(context.Context) (*conduct.Contributions, error) {
	turn := make(chan struct{}, 1)
	var at time.Time
	var last *conduct.Contributions
	return func(ctx context.Context) (*conduct.Contributions, error) {
		select {
		case turn <- struct{}{}:
			defer func() { <-turn }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if time.Since(at) < contributionsAge {
			return last, nil
		}
		workers, others, err := ledgers(ctx, b.State())
		if err != nil {
			return nil, err
		}
		list, err := contributions(ctx, b, workers)
		if err != nil {
			return nil, err
		}
		var rest conduct.Games
		for _, l := range others {
			rest.Add(l)
		}
		last, at = conduct.NewContributions(list, rest, namedActors), time.Now()
		return last, nil
	}
}

// filedContributions reads the contributions to a run that is not being trained from the checkpoints in its directory.
func filedContributions(dir string) (*conduct.Contributions, error) {
	session, err := rundir.ReadSession(dir)
	ended := err == nil && rundir.StateOf(dir, session, messages.LearnerRole) == rundir.Ended
	by, rest := map[string]*conduct.Contribution{}, conduct.Games{}
	for _, place := range agentDirs(dir) {
		saved, err := learner.ReadLedgers(place)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		open := map[string]*messages.Ledger{}
		for _, l := range saved.GetLedgers() {
			open[l.Actor] = l
		}
		totals, err := learner.ReadTotals(place)
		if err != nil {
			return nil, err
		}
		workers, others := learner.Accounts(open, saved.GetMerged())
		rest.Add(others)
		booked := others.Consumed
		for _, l := range workers {
			actor := messages.ActorOf(l.Actor)
			if by[actor] == nil {
				by[actor] = &conduct.Contribution{Actor: actor}
			}
			if !ended {
				l = fallen(l)
			}
			by[actor].Add(l)
			booked += l.Consumed
		}
		rest.Consumed += max(totals.Games, booked) - booked // of batches whose last games wait: they are not booked yet
	}
	var list []conduct.Contribution
	for _, c := range by {
		list = append(list, *c)
	}
	return conduct.NewContributions(list, rest, namedActors), nil
}
