package banluck

import (
	"context"
	"fmt"

	"croupier/engine"
	"croupier/engine/banluck"
	"croupier/policy"
)

// NewEquilibrium solves the game with one player, in less than a second under the usual
// rules, and returns a factory of policies that play the equilibrium in both seats. Each is a
// [policy.Valuer].
func NewEquilibrium(ctx context.Context, g engine.Game) (func() policy.Stochastic, error) {
	t, err := NewHeadsUp(g)
	if err != nil {
		return nil, err
	}
	s, err := t.Equilibrium(ctx, DefaultOptions())
	if err != nil {
		return nil, err
	}
	return s.Policy, nil
}

// Policy returns the solution as a policy for both seats of the game with one player. The
// dealer stands where revealing would be just as good.
func (s *Solution) Policy() policy.Stochastic { return &agent{solution: s} }

type agent struct {
	solution     *Solution
	distribution [3]float64 // of the legal actions, of which there are at most three
}

// Reset does nothing: a strategy table has no memory.
func (*agent) Reset() {}

// Choose draws one of the legal actions.
func (a *agent) Choose(s engine.State, legal []int, rng *engine.RNG) int {
	p := a.distribution[:len(legal)]
	a.Distribution(s, legal, p)
	return legal[policy.Sample(p, rng)]
}

// Distribution looks up the mix of the seat to move.
func (a *agent) Distribution(s engine.State, legal []int, dst []float64) {
	takes, _ := a.look(s, legal)
	for i, action := range legal {
		switch action {
		case banluck.Hit, banluck.Continue:
			dst[i] = takes
		case banluck.Stand, banluck.Surrender:
			dst[i] = 1 - takes
		default:
			dst[i] = 0
		}
	}
}

// Scale implements policy.Valuer.
func (*agent) Scale() policy.Scale { return policy.Scale{Unit: "units", Exact: true, Risk: "bust"} }

// Values are exact expected results against the equilibrium of the other seat, with best play
// afterwards.
func (a *agent) Values(s engine.State, legal []int, dst []policy.Value) {
	_, w := a.look(s, legal)
	for i, action := range legal {
		mean, risk := w.Stop, 0.0
		if action == banluck.Hit || action == banluck.Continue {
			mean, risk = w.Hit, w.BustIfHits
		}
		dst[i] = policy.Value{Mean: mean, Low: mean, High: mean, Risk: risk}
	}
}

// look returns how often the seat to move hits or, when asked about surrender, plays on.
func (a *agent) look(state engine.State, legal []int) (takes float64, w Worth) {
	s := state.(*banluck.State)
	seat, dealer := s.Player(), s.Dealer()
	ok := false
	switch hand := s.Hand(seat); {
	case dealer != 1:
	case seat != dealer:
		takes, w, ok = a.solution.Player(hand)
	case legal[0] == banluck.Surrender:
		takes, w, ok = a.solution.GoesOn(hand)
	default:
		takes, w, ok = a.solution.Dealer(hand, s.Hand(0).Size())
	}
	if !ok {
		panic(fmt.Sprintf("solver: banluck: a table is asked about a state of another game: %s", s))
	}
	return takes, w
}
