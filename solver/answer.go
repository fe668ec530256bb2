package solver

import (
	"fmt"
	"io"

	"croupier/internal/texttable"
)

// EquilibriumAnswer is the result of a search for an equilibrium of a two-seat game.
type EquilibriumAnswer struct {
	Value          float64 `json:"value"`          // of the game for seat 0, in its unit
	Exploitability float64 `json:"exploitability"` // of the average strategy, in the game's unit
	Iterations     int     `json:"iterations"`     // done
	Seconds        float64 `json:"seconds"`        // taken
}

// OptimumAnswer is the result of backward induction over all positions of a two-seat game.
type OptimumAnswer struct {
	Value          float64 `json:"value"`          // of the game for seat 0, in its unit
	Exploitability float64 `json:"exploitability"` // of best play, in the game's unit: 0 up to rounding
	Positions      int     `json:"positions"`      // of the game: decisions, chance and ends
	Seconds        float64 `json:"seconds"`        // taken
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
