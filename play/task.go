package play

import (
	"fmt"
	"slices"
	"time"

	"croupier/engine"
	"croupier/policy"
)

// Task is a decision that an agent has to make. It can be made in another goroutine while the
// table continues, if only one at a time is made for each table.
type Task struct {
	game   engine.Game
	state  engine.State
	agent  Agent
	seat   int
	policy policy.Policy // nil: it has to be made
	past   []int         // of the game, if a policy has to be made
	rng    engine.RNG

	steps, rounds int // of the table when it was given
	action        int
}

// Task returns the decision that the agent to move has to make.
func (t *Table) Task() *Task {
	seat := t.story.state.Player()
	p := &t.places[seat]
	t.spare.CopyFrom(t.story.state)
	k := &Task{
		game: t.plan.Game, state: t.spare, agent: p.Agent, seat: seat, policy: p.policy, rng: p.rng,
		steps: len(t.made), rounds: t.rounds,
	}
	if k.policy == nil {
		k.past = slices.Clone(t.story.history)
	}
	return k
}

// Think makes the decision.
func (k *Task) Think() error {
	if k.policy == nil {
		var err error
		if k.policy, err = k.agent.New(); err != nil {
			return err
		}
		k.policy.Reset()
		if k.agent.recurrent() {
			if err := k.remember(); err != nil {
				return err
			}
		}
	}
	k.action = k.policy.Choose(k.state, k.state.LegalActions(nil), &k.rng)
	return nil
}

// remember gives a new policy the decisions of its seat so far.
func (k *Task) remember() error {
	s, aside := k.game.NewState(), engine.RNG{}
	for _, step := range k.past {
		if s.Player() == k.seat {
			k.policy.Choose(s, s.LegalActions(nil), &aside)
		}
		if err := s.Apply(step); err != nil {
			return fmt.Errorf("the game so far: %w", err)
		}
	}
	return nil
}

// Finish makes the step that the agent has decided on, unless the game has changed since.
func (t *Table) Finish(k *Task, now time.Time) error {
	if k.steps != len(t.made) || k.rounds != t.rounds || t.places[k.seat].Agent.Name != k.agent.Name {
		return nil
	}
	p := &t.places[k.seat]
	before := p.rng
	p.policy, p.rng = k.policy, k.rng
	t.since = now
	if err := t.apply(k.action, before, ""); err != nil {
		return fmt.Errorf("%s: %w", k.agent.Name, err)
	}
	return nil
}
