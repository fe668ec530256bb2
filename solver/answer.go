package solver

import (
	"fmt"
	"io"
)

// EquilibriumAnswer is the result of a search for an equilibrium of a two-seat game.
type EquilibriumAnswer struct {
	Value          float64 `json:"value"` // of the game for seat 0
	Exploitability float64 `json:"exploitability"`
	Iterations     int     `json:"iterations"`
	Seconds        float64 `json:"seconds"`
}

// Render writes the answer for people: game and algorithm are names, unit is the unit of the
// game's returns.
func (a *EquilibriumAnswer) Render(w io.Writer, game, algorithm, unit string) error {
	_, err := fmt.Fprintf(w, "%s, %s\nvalue of seat 0  %.6f %s a game\n"+
		"exploitability   %.3g %s\niterations       %d in %.2f s\n",
		game, algorithm, a.Value, unit, a.Exploitability, unit, a.Iterations, a.Seconds)
	return err
}
