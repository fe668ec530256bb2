package advice

import (
	"context"
	"fmt"

	"croupier/engine"
	"croupier/policy"
)

// dealStream is the random stream of a sample's seed that draws what is hidden.
const dealStream uint64 = 0x64656c72 // "delr"

// player is one goroutine's part.
type player struct {
	*playout
	policies []policy.Policy // by seat
	root     engine.State    // the position with the sample's hidden part
	state    engine.State
	play     engine.Play  // of state
	before   engine.State // the state one step before, while a hazard is open
	deal     engine.RNG
	actions  []engine.RNG
	legalBuf []int
	history  []int // leads to root; nil if unknown
	odds     []float64
	returns  []float64
	shares   []float64
	steps    int // made in this block
}

func newPlayer(p *playout) *player {
	spec := p.q.Game.Spec()
	w := &player{
		playout: p,
		root:    p.q.State.Clone(), state: p.q.Game.NewState(), before: p.q.Game.NewState(),
		actions: make([]engine.RNG, spec.Seats),
		odds:    make([]float64, spec.Actions),
		returns: make([]float64, spec.Seats), shares: make([]float64, spec.Seats),
		history: p.q.past(),
	}
	w.play = engine.Play{State: w.state, Chance: &engine.RNG{}, Choose: func(seat int, legal []int) int {
		return w.policies[seat].Choose(w.state, legal, &w.actions[seat])
	}}
	for range spec.Seats {
		w.policies = append(w.policies, p.agent.New())
	}
	return w
}

// block plays the samples from..to-1.
func (w *player) block(ctx context.Context, from, to int) (*outcomes, error) {
	g := newOutcomes(len(w.legal), w.q.Game.Spec())
	values, struck := make([]float64, len(w.legal)), make([]bool, len(w.legal))
	w.steps = 0
	for i := from; i < to; i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		weight, err := w.sample(i, values, struck)
		if err != nil {
			return nil, err
		}
		g.add(weight, values, struck)
	}
	g.steps = w.steps
	return g, nil
}

// sample plays the numbered game after each action and returns its weight.
func (w *player) sample(number int, values []float64, struck []bool) (weight float64, err error) {
	seed := engine.GameSeed(w.seed, "advise", uint64(number))
	weight = 1
	w.root.CopyFrom(w.q.State)
	if w.hidden {
		w.deal.Seed(seed, dealStream)
		w.root.(engine.Redealer).Redeal(w.seat, &w.deal)
		if s, ok := w.root.(engine.Past); ok {
			w.history = s.Past(w.history[:0])
		}
		if weight, err = w.likelihood(); weight == 0 || err != nil {
			return 0, err
		}
	}
	for i, action := range w.legal {
		w.play.Chance.Seed(seed, engine.ChanceStream)
		for seat := range w.actions {
			w.actions[seat].Seed(seed, engine.ActionStream+uint64(seat))
		}
		if struck[i], err = w.finish(action); err != nil {
			return 0, err
		}
		values[i] = w.result()
	}
	return weight, nil
}

// likelihood returns the probability that the agent in the other seats would have acted as
// they did if root were the deal. For an agent that does not give its probabilities each
// decision is tried once, giving 0 or 1, which is right on average.
func (w *player) likelihood() (float64, error) {
	if w.uniform {
		return 1, nil
	}
	for seat := range w.policies {
		w.policies[seat].Reset()
	}
	w.state.Reset()
	likelihood := 1.0
	for _, step := range w.history {
		if seat := w.state.Player(); seat >= 0 && seat != w.seat {
			likelihood *= w.probability(seat, step)
			if likelihood == 0 {
				return 0, nil
			}
		}
		w.steps++
		if err := w.state.Apply(step); err != nil {
			return 0, fmt.Errorf("the past of the position: %w", err)
		}
	}
	return likelihood, nil
}

func (w *player) probability(seat, taken int) float64 {
	w.legalBuf = w.state.LegalActions(w.legalBuf[:0])
	if s, ok := w.policies[seat].(policy.Stochastic); ok {
		odds := w.odds[:len(w.legalBuf)]
		s.Distribution(w.state, w.legalBuf, odds)
		for i, action := range w.legalBuf {
			if action == taken {
				return odds[i]
			}
		}
		return 0
	}
	if w.policies[seat].Choose(w.state, w.legalBuf, &w.deal) == taken {
		return 1
	}
	return 0
}

// remember brings the agents in all seats to the position.
func (w *player) remember() error {
	for seat := range w.policies {
		w.policies[seat].Reset()
	}
	if !w.agent.Recurrent {
		return nil
	}
	w.state.Reset()
	for _, step := range w.history {
		if seat := w.state.Player(); seat >= 0 {
			w.probability(seat, step)
		}
		w.steps++
		if err := w.state.Apply(step); err != nil {
			return fmt.Errorf("the past of the position: %w", err)
		}
	}
	// The decision in question is one that the agent makes as well.
	w.state.CopyFrom(w.root)
	w.probability(w.seat, w.legal[0])
	return nil
}

// finish plays from root with the action to the end, and reports whether the seat was
// struck by the hazard.
func (w *player) finish(action int) (struck bool, err error) {
	if err := w.remember(); err != nil {
		return false, err
	}
	s, spec := w.state, w.q.Game.Spec()
	s.CopyFrom(w.root)
	fate := engine.Open
	if w.hazard == nil {
		fate = engine.Safe
	}
	for steps := 0; s.Player() != engine.Terminal; steps++ {
		if steps > spec.MaxHistory {
			return false, fmt.Errorf("%s with %s in all seats is not over after %d steps", spec.Name, w.agent.Name, steps)
		}
		if fate == engine.Open {
			w.before.CopyFrom(s)
		}
		if err := w.step(steps, action); err != nil {
			return false, fmt.Errorf("%s continues from there: %w", w.agent.Name, err)
		}
		if fate == engine.Open {
			fate = w.hazard.Fate(w.before, s, w.seat)
		}
	}
	return fate == engine.Struck, nil
}

// step makes the numbered step: first the action, then whatever the agents choose.
func (w *player) step(number, action int) error {
	w.steps++
	if number == 0 {
		return w.state.Apply(action)
	}
	_, err := w.play.Step()
	return err
}

// result returns what the game was worth to the seat: its return, or its share of the win.
func (w *player) result() float64 {
	spec := w.q.Game.Spec()
	w.state.Returns(w.returns)
	if spec.Payoff == engine.Money {
		return w.returns[w.seat]
	}
	spec.Shares(w.returns, w.shares)
	return w.shares[w.seat]
}
