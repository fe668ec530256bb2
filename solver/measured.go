package solver

import (
	"fmt"
	"io"

	"croupier/internal/texttable"
)

// Exploited reports how far best responses exploit an agent: the mean over the seats of what they
// gain, in the game's unit.
type Exploited struct {
	Agent          string  `json:"agent"`          // its name
	Exploitability float64 `json:"exploitability"` // 0 in an equilibrium
}

// Render writes the answer for people.
func (e Exploited) Render(w io.Writer, game, unit string) error {
	_, err := fmt.Fprintf(w, "%s, %s: exploitability %s %s a game\n"+
		"(what a best response gains against it, exactly, averaged over the seats; 0 in an equilibrium)\n",
		game, e.Agent, texttable.Size(e.Exploitability, shownDecimals), unit)
	return err
}

// Won reports what an agent wins against the optimum, averaged over the seats.
type Won struct {
	Agent          string  `json:"agent"`           // its name
	WinProbability float64 `json:"win_probability"` // 0..1
}
