package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"croupier/solver"
)

func newSolveCommand(p program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "solve GAME",
		Short: "Answer questions about a game exactly",
		Long: `Solve has a subcommand for each game that it can answer questions about exactly: optimal
play, equilibria, best responses, and what every choice is worth. Most of the answers are
also agents, like solver:optimal in arena and advise. Of a game for two without a solver of
its own it finds an equilibrium, if the game's whole tree is small enough. --agent measures any
other agent against the exact answer, except in lange-strasse and tysiac.`,
		Example: `  croupier solve bank
  croupier solve leduc --out leduc.csv
  croupier solve pig --agent "hold(20)"
  croupier solve tysiac --double-dummy positions.jsonl --json`,
		Args: subcommandOnly,
	}
	for _, e := range p.catalog.Games() {
		if e.Exact.Command.New != nil {
			cmd.AddCommand(newSolveGameCommand(p, e.Name, e.Exact.Command))
			continue
		}
		game, err := e.New(nil)
		must(err) // every game can be made under its own rules
		found := newSolveGameCommand(p, e.Name, equilibriumCommand(game.Spec()))
		// Where no rules make it small enough it is not listed, and reports why it cannot answer.
		found.Hidden = solver.Fits(game.Spec()) != nil
		cmd.AddCommand(found)
	}
	cmd.RunE = func(*cobra.Command, []string) error {
		return usage("solve needs the name of a game; there are %s", strings.Join(commandNames(cmd), ", "))
	}
	return cmd
}
