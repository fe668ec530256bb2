package cluster

import (
	"context"
	"fmt"

	"croupier/actor"
	"croupier/messages"
	"croupier/messages/bus"
)

// newActor makes an actor of that many cores.
func (s *node) newActor(workers int) (*actor.Actor, error) {
	o, err := s.actorOptions(workers)
	if err != nil {
		return nil, err
	}
	return actor.New(o)
}

func (s *node) actorOptions(workers int) (actor.Options, error) {
	common, err := s.common()
	return actor.Options{
		Common: common, Config: s.config.Actor, Resolver: s.agents(), ID: s.actorID(), Start: randomID(),
		Agents: s.learning(), Keeping: keeping(s.config.Archive), Workers: workers,
	}, err
}

// ServeActor plays games for a run with the given number of workers until ctx ends. Its id is the
// one that its credential names; id, unless "", must be the same.
func (p Process) ServeActor(ctx context.Context, workers int, id string) error {
	who := bus.Credential{}
	if p.Broker.Credentials != "" {
		var err error
		if who, err = bus.ReadCredential(p.Broker.Credentials); err != nil {
			return fmt.Errorf("--creds: %w", err)
		}
	}
	switch {
	case who.Role != "" && who.Role != messages.ActorRole && who.Role != OperatorRole:
		return invalid("--creds: %s is the credential of the %s, not of an actor", p.Broker.Credentials, who.Role)
	case who.Role == messages.ActorRole && id != "" && id != who.Name:
		return invalid("--id %s: the credential %s is for the id %s", id, p.Broker.Credentials, who.Name)
	case who.Role == messages.ActorRole:
		id = who.Name
	}
	if id != "" {
		if err := messages.CheckToken(id); err != nil {
			return invalid("--id: %w", err)
		}
	}
	return p.serve(ctx, messages.ActorRole, func(ctx context.Context, s *node) error {
		s.id = id
		return s.work(ctx, roleOf(func(context.Context) (*actor.Actor, error) { return s.newActor(workers) }, nil))
	})
}
