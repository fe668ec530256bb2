package main

import (
	"strings"

	"github.com/spf13/cobra"
)

func newSolveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "solve GAME",
		Short: "Answer questions about a game exactly",
		Long: `Solve has a subcommand for each game that it can answer questions about exactly: optimal
play, equilibria, best responses, and what every choice is worth. Most of the answers are
also agents, like solver:optimal in arena and advise. In bank, banluck, kuhn, leduc and pig,
--agent measures any other agent against the truth.`,
		Example: `  croupier solve bank
  croupier solve leduc --out leduc.csv
  croupier solve pig --agent "hold(20)"
  croupier solve tysiac --double-dummy positions.jsonl --json`,
		Args: subcommandOnly,
	}
	cmd.AddCommand(newSolvePokerCommand("kuhn"), newSolvePokerCommand("leduc"), newSolvePigCommand(),
		newSolveBankCommand(), newSolveLangeStrasseCommand(), newSolveBanluckCommand(), newSolveTysiacCommand())
	cmd.RunE = func(*cobra.Command, []string) error {
		return usage("solve needs the name of a game; there are %s", strings.Join(commandNames(cmd), ", "))
	}
	return cmd
}
