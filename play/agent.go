package play

import (
	"context"
	"fmt"
	"time"

	"croupier/engine"
	"croupier/policy"
)

// promptly is how long a request waits for an agent; one that takes longer gets ready while its
// table is there already.
const promptly = time.Second

// finding is an agent that is being looked for.
type finding struct {
	done  chan struct{} // closed once the fields below are set
	agent Agent
	err   error
}

// agent finds an agent. One that takes long, as a game does that must first be solved, makes
// nobody wait but those who play with it.
func (h *Hall) agent(ctx context.Context, game engine.Game, run, name string) (Agent, error) {
	f := &finding{done: make(chan struct{})}
	h.working.Go(func() {
		defer close(f.done)
		defer engine.Recover(&f.err)
		f.agent, f.err = h.Source.Agent(h.ctx, game, run, name)
	})
	timer := time.NewTimer(promptly)
	defer timer.Stop()
	select {
	case <-f.done:
		return f.agent, f.err
	case <-ctx.Done():
		return Agent{}, ctx.Err()
	case <-timer.C:
	}
	known := h.Source.Agents(game)
	full := known.Resolve(name)
	about := About(known, full) + "; takes a moment to get ready"
	return Agent{Name: full, Title: title(known, full), About: about, New: func() (policy.Policy, error) {
		<-f.done
		if f.err != nil {
			return nil, f.err
		}
		return f.agent.New()
	}, Recurrent: func() bool { return f.agent.recurrent() }}, nil
}

// titled names the agent in a seat; where several have the same title they are numbered.
func (t *Table) titled(seat int) string {
	title, number, same := t.places[seat].Agent.Title, 0, 0
	for other, p := range t.places {
		if p.Kind != Robot || p.Agent.Title != title {
			continue
		}
		if same++; other <= seat {
			number = same
		}
	}
	if same == 1 {
		return title
	}
	return fmt.Sprintf("%s %d", title, number)
}
