package solver

import (
	"fmt"
	"io"

	"croupier/internal/texttable"
)

// EquilibriumAnswer is the result of a search for an equilibrium of a two-seat game.
type EquilibriumAnswer struct {
	Value          float64 `json:"value"` // of the game for seat 0
	Exploitability float64 `json:"exploitability"`
	Iterations     int     `json:"iterations"`
	Seconds        float64 `json:"seconds"`
}

// OptimumAnswer is the result of backward induction over all positions of a two-seat game.
type OptimumAnswer struct {
	Value          float64 `json:"value"`          // of the game for seat 0
	Exploitability float64 `json:"exploitability"` // of best play
	Positions      int     `json:"positions"`
	Seconds        float64 `json:"seconds"`
}

// Render writes the answer for people: game is a name, unit is the unit of the game's returns.
func (a *OptimumAnswer) Render(w io.Writer, game, unit string) error {
	_, err := fmt.Fprintf(w, "%s, backward induction\nvalue of seat 1  %s %s a game\n"+
		"exploitability   %s %s a game\npositions        %d in %.2f s\n",
		game, texttable.Number(a.Value, shownDecimals), unit,
		texttable.Size(a.Exploitability, shownDecimals), unit, a.Positions, a.Seconds)
	return err
}

// shownDecimals are shown to people of values and exploitabilities.
const shownDecimals = 6

// Render writes the answer for people: game and algorithm are names, unit is the unit of the
// game's returns.
func (a *EquilibriumAnswer) Render(w io.Writer, game, algorithm, unit string) error {
	_, err := fmt.Fprintf(w, "%s, %s\nvalue of seat 1  %s %s a game\n"+
		"exploitability   %s %s a game\niterations       %d in %.2f s\n",
		game, algorithm, texttable.Number(a.Value, shownDecimals), unit,
		texttable.Size(a.Exploitability, shownDecimals), unit, a.Iterations, a.Seconds)
	return err
}
