package league

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"croupier/messages"
	"croupier/messages/bus"
)

// readResets takes over the resets that the broker has.
func (l *League) readResets(ctx context.Context) error {
	for _, a := range l.core.agents[1:] {
		if err := l.readReset(ctx, a.Name); err != nil {
			return err
		}
	}
	return nil
}

func (l *League) readReset(ctx context.Context, agent string) error {
	e, err := l.o.Bus.State().Get(ctx, messages.ResetKey(agent))
	if errors.Is(err, bus.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reset of %s: %w", agent, err)
	}
	l.resetRevisions[agent] = e.Revision
	r, err := messages.ParseReset(e.Value)
	if err == nil && r.Agent != agent {
		err = fmt.Errorf("it is one of %s", r.Agent)
	}
	if err != nil {
		l.log.Warn("reset refused", "agent", agent, "error", err)
		return nil
	}
	return l.step(ctx, resetKnown{r})
}

// beginAgain orders an exploiter's learner to begin again. A failure is tried again at the next tick.
func (l *League) beginAgain(ctx context.Context, r *messages.Reset) error {
	doc, err := json.Marshal(r)
	if err != nil {
		return err
	}
	trying, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	revision, err := l.o.Bus.State().Update(trying, messages.ResetKey(r.Agent), doc, l.resetRevisions[r.Agent])
	if errors.Is(err, bus.ErrTaken) { // an earlier attempt whose answer was lost
		err = l.readReset(trying, r.Agent)
	} else if err == nil {
		l.resetRevisions[r.Agent] = revision
		l.log.Info("an exploiter begins again", "agent", r.Agent, "reset", r.Number, "frozen", r.Member, "why", r.Why)
		return l.step(ctx, resetKnown{r})
	}
	if err != nil {
		l.log.Warn("reset not recorded", "agent", r.Agent, "error", err)
	}
	return l.step(ctx, resetFailed{r.Agent})
}
