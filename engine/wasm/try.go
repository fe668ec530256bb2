package wasm

import (
	"bytes"
	"errors"
	"slices"

	"croupier/engine"
)

// trySteps is how many steps are made before a game is used.
const trySteps = 300

// try plays games at random, with everything that is asked of a game, and then one more in another instance as well:
// whatever the game depends on besides its state and the step differs there.
func (g *Game) try() error {
	s, rng := g.newState(g.start.last), engine.NewRNG(1, 0)
	for left := trySteps; left > 0; {
		s.Reset()
		for ; s.Player() != engine.Terminal && left > 0; left-- {
			if err := s.askEverything(); err != nil {
				return err
			}
			if err := s.Apply(int(s.Steps()[rng.IntN(len(s.Steps()))])); err != nil {
				return err
			}
		}
	}
	in, err := g.instantiate()
	if err != nil {
		return err
	}
	again := g.newState(in)
	again.begin()
	s.Reset()
	return g.compare(s, again, rng)
}

// askEverything asks what does not come with a step.
func (s *State) askEverything() error {
	_ = s.String()
	for eye := engine.Everything; eye < s.game.Spec().Seats; eye++ {
		s.view(eye)
	}
	for seat := range s.game.Spec().Seats {
		s.Observe(seat, s.observation)
	}
	for _, step := range s.Steps()[:min(len(s.Steps()), trySteps)] {
		if s.Player() >= 0 {
			s.ActionName(int(step))
		} else {
			s.OutcomeName(int(step))
		}
		for seat := range s.game.Spec().Seats {
			s.Seen(seat, int(step))
		}
	}
	return s.game.Failed()
}

// compare plays a game in two states at once.
func (g *Game) compare(s, again *State, rng *engine.RNG) error {
	for left := trySteps; ; left-- {
		if !bytes.Equal(again.bytes, s.bytes) || again.Player() != s.Player() || !slices.Equal(again.Steps(), s.Steps()) {
			return g.Fail("export step", s.History(), errors.New("in another instance the same history leads to another state: "+
				"the game depends on something besides its state"))
		}
		if s.Player() == engine.Terminal || left == 0 {
			return g.Failed()
		}
		step := int(s.Steps()[rng.IntN(len(s.Steps()))])
		if err := errors.Join(s.Apply(step), again.Apply(step)); err != nil {
			return err
		}
	}
}
