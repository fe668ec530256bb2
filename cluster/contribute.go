package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"croupier/actor"
	"croupier/catalog"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/conduct"
)

// Contributor lends a machine to somebody else's run: it plays training games with weights
// whose hash it checks, keeps nothing, and plays no arena matches.
type Contributor struct {
	Process        // Dir is the run's name; "" takes that of the key
	Name    string // what the Cluster page calls it, besides the name of its key
	Workers int
	// Watch, unless nil, runs while games are played, until ctx ends. state returns how the contribution is doing.
	Watch func(ctx context.Context, state func(context.Context) Contributing)
}

// Contributing is how a contribution is doing.
type Contributing struct {
	actor.Progress
	Elapsed        time.Duration
	GamesPerSecond float64 // since the call before
	// Account is what the run's learners have said of the games so far.
	Account conduct.Contribution
}

// Serve plays until ctx ends. A key that was revoked, or an actor that was quarantined, ends it
// with an error that says so.
func (c Contributor) Serve(ctx context.Context) error {
	key, err := bus.ReadCredential(c.Broker.Credentials)
	if errors.Is(err, bus.ErrNoKey) {
		return invalid("--key: %w. The run's operator makes one: croupier broker credentials add FOLDER NAME --contributor",
			err)
	}
	if err != nil {
		return invalid("--key: %w", err)
	}
	if c.Dir == "" {
		c.Dir = key.Run
	}
	if c.Dir == "" {
		return invalid("--key: %s does not name its run: give it as --run", c.Broker.Credentials)
	}
	id := key.Name
	if id == "" {
		id = processID("contributor")
	}
	if err := messages.CheckToken(id); err != nil {
		return invalid("--key: %w", err)
	}
	c.endsRevoked = true
	return c.serve(ctx, messages.ActorRole, func(ctx context.Context, s *node) error {
		if catalog.SourceOf(s.game) != nil && catalog.FileOf(s.game) == nil {
			return fmt.Errorf("the run's game, %s, is a program, which runs on machines of the run's owner alone: nobody can "+
				"contribute to it", s.game.Spec().Name)
		}
		s.dir = "" // no journals: nothing is left on a lent machine
		o, err := s.actorOptions(c.Workers)
		if err != nil {
			return err
		}
		o.ID, o.Name, o.TrainingOnly = id, c.Name, true
		o.Keeping = actor.Keeping{} // the archive takes games only from keys of actors
		var a *actor.Actor
		playing := roleOf(func(context.Context) (*actor.Actor, error) { return actor.New(o) },
			func(made *actor.Actor) { a = made })
		playing.trains = true // people that watch see its end
		roles := []role{playing, {run: func(ctx context.Context) error { return s.awaitQuarantine(ctx, id) }}}
		if c.Watch != nil {
			roles = append(roles, role{run: func(ctx context.Context) error {
				c.Watch(ctx, watcher(a, s.bus.State()))
				return nil
			}})
		}
		return s.work(ctx, roles...)
	})
}

// watcher returns the function by which the contribution of an actor is watched, from one goroutine.
func watcher(a *actor.Actor, state bus.KV) func(context.Context) Contributing {
	began := time.Now()
	last, games := began, uint64(0)
	return func(ctx context.Context) Contributing {
		now := time.Now()
		c := Contributing{Progress: a.Progress(), Elapsed: now.Sub(began)}
		c.GamesPerSecond = float64(c.Games-games) / now.Sub(last).Seconds()
		last, games = now, c.Games
		for _, key := range a.Accounts() {
			var l messages.Ledger
			// A worker has no account before its first batch; a broker that is away is said in the log.
			if e, err := state.Get(ctx, key); err == nil && messages.Decode(e.Value, &l) == nil {
				c.Account.Add(&l)
			}
		}
		return c
	}
}

// QuarantinedError reports that the run reads nothing of this actor any more.
type QuarantinedError struct{ Actor, Reason, Detail string }

func (e *QuarantinedError) Error() string {
	return fmt.Sprintf("%s is quarantined: its games are not read any more (%s: %s). Ask the run's operator, who can lift it",
		e.Actor, e.Reason, e.Detail)
}
