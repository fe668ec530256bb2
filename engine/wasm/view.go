package wasm

import "croupier/engine"

// shown returns the game, as one with a view where every seat sees every step and the module writes the position.
func (g *Game) shown() engine.Game {
	if g.spec.PerfectInformation && g.start.last.position != nil {
		return viewed{g}
	}
	return g
}

type viewed struct{ *Game }

// View is what is shown of a position: the text of the module.
type View struct {
	Text string `json:"text"`
}

// String is what a terminal shows.
func (v View) String() string { return v.Text }

// View implements engine.Viewed.
func (g viewed) View(s engine.State, _ int) any { return View{s.String()} }
