package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"croupier/engine/pig"
	"croupier/solver"
)

// pigSolution is what solve pig prints.
type pigSolution struct {
	FirstPlayer float64 `json:"first_player_win_probability"`
}

func newSolvePigCommand() *cobra.Command {
	var o solveFlags
	cmd := &cobra.Command{
		Use:   "pig",
		Short: "Find the optimal play of Pig",
		Long: `Solve pig finds, by value iteration, the probability that the first player wins when
both play optimally.

With --json the result is
  {"first_player_win_probability": 0.0}

--out writes one row for each pair of scores: own and other score at the beginning of
a turn, the probability of winning from there, and the turn totals at which to roll, as
ranges ("0-21 27-27"); at all other totals holding is best.`,
		Example: `  croupier solve pig --json
  croupier solve pig --set rules.target=50 --out pig.csv`,
		Args: cobra.NoArgs,
	}
	o.add(cmd, "the optimal turns")
	o.addRules(cmd)
	cmd.RunE = action(func(cmd *cobra.Command, _ []string) error { return solvePig(cmd, &o) })
	return cmd
}

func solvePig(cmd *cobra.Command, o *solveFlags) error {
	if err := o.checkOut(); err != nil {
		return err
	}
	game, err := o.game("pig")
	if err != nil {
		return err
	}
	optimum, err := solver.SolvePig(cmd.Context(), game)
	if err != nil {
		return err
	}
	if err := writeList(o, solver.PigTurnColumns, optimum.Turns); err != nil {
		return err
	}
	return writeOutput("-", cmd.OutOrStdout(), func(w io.Writer) error {
		result := pigSolution{optimum.FirstPlayer()}
		if o.json {
			return printJSON(w, result)
		}
		_, err := fmt.Fprintf(w, "pig to %d\nthe first player wins with probability %.6f\n",
			game.Rules().(pig.Rules).Target, result.FirstPlayer)
		return err
	})
}
