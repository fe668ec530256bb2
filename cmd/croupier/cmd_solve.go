package main

import (
	"slices"
	"strings"

	"croupier/games/standard"

	"github.com/spf13/cobra"
)

func newSolveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "solve GAME",
		Short: "Answer questions about a game exactly",
		Long: `Solve has a subcommand for each game that it can answer questions about exactly: optimal
play, equilibria, best responses, and what every choice is worth. Most of the answers are
also agents, like solver:optimal in arena and advise. Of a game for two without a solver of
its own it finds an equilibrium, if the game's whole tree is small enough. --agent measures
any other agent against the truth, but in lange-strasse and tysiac.`,
		Example: `  croupier solve bank
  croupier solve leduc --out leduc.csv
  croupier solve pig --agent "hold(20)"
  croupier solve tysiac --double-dummy positions.jsonl --json`,
		Args: subcommandOnly,
	}
	own := []*cobra.Command{newSolvePigCommand(), newSolveBankCommand(), newSolveLangeStrasseCommand(),
		newSolveBanluckCommand(), newSolveTysiacCommand()}
	cmd.AddCommand(own...)
	for _, e := range standard.Games.Games() {
		if slices.ContainsFunc(own, func(c *cobra.Command) bool { return c.Name() == e.Name }) {
			continue
		}
		game, err := e.New(nil)
		must(err) // every game can be made under its own rules
		cmd.AddCommand(newSolveEquilibriumCommand(game.Spec()))
	}
	cmd.RunE = func(*cobra.Command, []string) error {
		return usage("solve needs the name of a game; there are %s", strings.Join(commandNames(cmd), ", "))
	}
	return cmd
}
