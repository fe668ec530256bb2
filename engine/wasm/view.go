package wasm

import (
	"croupier/engine"
	"croupier/engine/described"
)

// shown returns the game, as one with a view where every seat sees every step and the module writes the position.
func (g *Game) shown() engine.Game {
	if g.Spec().PerfectInformation && g.start.last.position != nil {
		return viewed{g}
	}
	return g
}

type viewed struct{ *Game }

// View implements engine.Viewed.
func (g viewed) View(s engine.State, _ int) any { return described.View{Text: s.String()} }
