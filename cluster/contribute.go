package cluster

import (
	"context"
	"errors"
	"fmt"

	"croupier/actor"
	"croupier/messages"
	"croupier/messages/bus"
)

// Contributor lends a machine to somebody else's run: it plays training games with weights
// whose hash it checks, keeps nothing, and plays no arena matches.
type Contributor struct {
	Process        // Dir is the run's name; "" takes that of the key
	Name    string // what the Cluster page calls it, beside the name of its key
	Workers int
}

// Serve plays until ctx ends. A key that was revoked, or an actor that was set aside, ends it
// with an error that says so.
func (c Contributor) Serve(ctx context.Context) error {
	key, err := bus.ReadCredential(c.Broker.Credentials)
	if errors.Is(err, bus.ErrNoKey) {
		return invalid("--key: %w. The run's operator makes one: croupier credentials add FOLDER NAME --contributor", err)
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
	return c.serve(ctx, messages.ActorRole, func(ctx context.Context, s *site) error {
		s.dir = "" // no journals: nothing is left on a lent machine
		o, err := s.actorOptions(c.Workers)
		if err != nil {
			return err
		}
		o.ID, o.Name, o.TrainingOnly = id, c.Name, true
		o.Keeping = actor.Keeping{} // the archive takes games only from keys of actors
		return s.playUntilSetAside(ctx, o)
	})
}

// SetAsideError says that the run reads nothing of this actor any more.
type SetAsideError struct{ Actor, Reason, Detail string }

func (e *SetAsideError) Error() string {
	return fmt.Sprintf("%s is set aside: its games are not read any more (%s: %s). Ask the run's operator, who can lift it",
		e.Actor, e.Reason, e.Detail)
}
