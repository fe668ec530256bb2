package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"croupier/messages"
	"croupier/messages/conduct"
)

// patience is how many looks in succession, one a second, may find that nothing more is learnt. They are counted, not
// timed: a process that was stopped and continued has not been looking.
const patience = 60

// watchActor fails once the run's own actor is quarantined: nothing that it plays is read any more, neither training
// games nor matches.
func (c *Cluster) watchActor(ctx context.Context) error {
	own := messages.QuarantineKey(c.id)
	entries, err := c.bus.State().Watch(ctx, own)
	if err != nil {
		return fmt.Errorf("follow whether the run's own actor is quarantined: %w", err)
	}
	for e := range entries {
		if e.Key != own || e.Value == nil {
			continue
		}
		r, err := conduct.Parse(e.Value)
		if err != nil {
			return err
		}
		return fmt.Errorf("the %s refused this run's own games and quarantined its actor, so nothing more can be learnt: %s",
			r.By, r.Detail)
	}
	return nil
}

// watchLearning fails when nothing has been learnt for a minute and nothing is known that may pass: no trouble of a
// learner, such as a disk without room, and no broker that is away.
func (c *Cluster) watchLearning(ctx context.Context) error {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	s := stall{patience: patience}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		var done uint64
		var refusal error
		for _, t := range c.agents {
			d, r := t.learner.Progress()
			done, refusal = done+d, errors.Join(refusal, r)
		}
		known := c.healthy() != nil || c.room() != nil || !c.bus.Connected()
		if !s.look(done, known) {
			continue
		}
		if refusal != nil {
			return fmt.Errorf("nothing was learnt for a minute, as the games were refused: %w", refusal)
		}
		return errors.New("nothing was learnt for a minute, as no games came")
	}
}

// stall counts looks at work that does not advance.
type stall struct {
	patience int
	done     uint64
	looks    int
}

// look reports whether the work has stalled, given how much is done, in any unit, and whether a reason is known that
// may pass.
func (s *stall) look(done uint64, excused bool) bool {
	if done != s.done || excused {
		s.done, s.looks = done, 0
		return false
	}
	s.looks++
	return s.looks >= s.patience
}
