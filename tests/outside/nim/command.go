package nim

import (
	"context"
	"fmt"
	"io"
	"strings"

	"croupier/catalog"
)

// command is croupier solve nim.
var command = catalog.Command{
	Short: "Say who wins Nim, and by which moves",
	Long: `Solve nim says whether the seat that begins wins, and which of its moves win, by Bouton's
theorem: whoever leaves piles whose sum in binary without carries is 0 wins.

With --json the result is
  {"first_wins": true, "moves": ["take 2 from pile 1"]}`,
	Example: `  croupier solve nim
  croupier solve nim --set rules.piles=[1,2,3] --json`,
	Shared: catalog.SharedFlags{Rules: true, Set: true},
	New:    func(catalog.Flags) func(context.Context, catalog.Call) error { return solve },
}

// answer is what the command prints.
type answer struct {
	FirstWins bool     `json:"first_wins"`
	Moves     []string `json:"moves"`
}

func solve(ctx context.Context, c catalog.Call) error {
	game, err := c.Game(ctx, nil, nil)
	if err != nil {
		return err
	}
	s := game.NewState().(*State)
	a := answer{Moves: []string{}}
	for _, action := range s.LegalActions(nil) {
		if wins(s, action) {
			a.FirstWins, a.Moves = true, append(a.Moves, s.ActionName(action))
		}
	}
	return c.Print(a, func(w io.Writer) error {
		text := "the second to move wins"
		if a.FirstWins {
			text = "the first to move wins: " + strings.Join(a.Moves, ", ")
		}
		_, err := fmt.Fprintln(w, text)
		return err
	})
}
