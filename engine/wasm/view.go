package wasm

import (
	"fmt"

	"croupier/engine"
	"croupier/engine/described"
)

// shown returns the game, as one with a view where the module gives one, or writes the position and every seat sees
// every step.
func (g *Game) shown() engine.Game {
	if g.start.last.show != nil || g.Spec().PerfectInformation && g.start.last.position != nil {
		return viewed{g}
	}
	return g
}

type viewed struct{ *Game }

// View implements engine.Viewed.
func (g viewed) View(state engine.State, eye int) any {
	s := state.(*State)
	v := s.view(eye)
	if v.Text == "" && g.Spec().PerfectInformation && s.last.position != nil {
		v.Text = s.String()
	}
	return v
}

// maxView is the largest view, in bytes.
const maxView = 1 << 15

// view asks the module what an eye sees.
func (s *State) view(eye int) (v described.View) {
	s.ask("view", func(in *instance) error {
		if in.show == nil {
			return nil
		}
		address, err := in.about(s, in.show, eye)
		if err != nil || address == 0 {
			return err
		}
		text, err := in.zeroTerminated("view", address, maxView)
		if err != nil {
			return err
		}
		if v, err = described.ReadView(text, s.game.Spec()); err != nil {
			return fmt.Errorf("eye %d: %w", eye, err)
		}
		return nil
	})
	return v
}
