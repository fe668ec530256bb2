package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

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
		Long: `Solve pig finds by value iteration with what probability the first player wins when
both play optimally.

With --json the result is
  {"first_player_win_probability": 0.0}

--out writes one row for each pair of scores: own and other score at the beginning of
a turn, the probability of winning there, and the turn totals at which to roll, as
ranges ("0-21 27-27"); at all others holding is best.`,
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
	if err := writeTurns(o, optimum); err != nil {
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

// writeTurns writes the table of --out.
func writeTurns(o *solveFlags, optimum *solver.PigOptimum) error {
	return writeList(o, optimum.Turns, []string{"own", "other", "win", "roll"}, func(t solver.PigTurn) []string {
		ranges := make([]string, len(t.Roll))
		for i, r := range t.Roll {
			ranges[i] = fmt.Sprintf("%d-%d", r[0], r[1])
		}
		return []string{strconv.Itoa(t.Own), strconv.Itoa(t.Other), decimal(t.Win), strings.Join(ranges, " ")}
	})
}
