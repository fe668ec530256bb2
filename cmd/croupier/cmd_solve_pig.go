package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"croupier/engine"
	"croupier/games/pig"
	pigsolve "croupier/games/pig/solve"
	"croupier/solver"
)

// pigSolution is what solve pig prints.
type pigSolution struct {
	FirstPlayer float64 `json:"first_player_win_probability"`
}

// solvePigOptions are the flags of croupier solve pig.
type solvePigOptions struct {
	solveFlags
	solveAgent
}

func newSolvePigCommand() *cobra.Command {
	var o solvePigOptions
	cmd := &cobra.Command{
		Use:   "pig",
		Short: "Find the optimal play of Pig",
		Long: `Solve pig finds, by value iteration, the probability that the first player wins when
both play optimally.

With --json the result is
  {"first_player_win_probability": 0.0}

--out writes one row for each pair of scores: own and other score at the beginning of
a turn, the probability of winning from there, and the turn totals at which to roll, as
ranges ("0-21 27-27"); at all other totals holding is best.

--agent AGENT says instead what an agent wins against the optimum, exactly, from what it
does in every position. Agents are named as in croupier arena: main@12 is a frozen version
from --run, greedy:main@12 the same without drawing, file:PATH an exported network. An
agent with a memory has no single answer to a position and is refused, as is one that
draws at random without telling its probabilities; croupier arena plays games of it. With
--json the result, averaged over the seats, is
  {"agent": "main@12", "win_probability": 0.0}`,
		Example: `  croupier solve pig --json
  croupier solve pig --set rules.target=50 --out pig.csv
  croupier solve pig --agent "hold(20)"
  croupier solve pig --agent greedy:main@12 --run runs/evening --json`,
		Args: cobra.NoArgs,
	}
	o.solveFlags.add(cmd, "the optimal turns")
	o.solveAgent.add(cmd, "the optimum")
	o.addRules(cmd)
	cmd.RunE = action(func(cmd *cobra.Command, _ []string) error { return solvePig(cmd, &o) })
	return cmd
}

func solvePig(cmd *cobra.Command, o *solvePigOptions) error {
	if err := o.solveAgent.check(cmd, "out"); err != nil {
		return err
	}
	game, err := o.game(cmd.Context(), "pig")
	if err != nil {
		return err
	}
	optimum, err := pigsolve.Solve(cmd.Context(), game)
	if err != nil {
		return err
	}
	if o.agent != "" {
		return o.playOptimum(cmd, game, optimum)
	}
	if err := writeList(&o.solveFlags, pigsolve.TurnColumns, optimum.Turns); err != nil {
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

// playOptimum says what the agent wins against the optimum.
func (o *solvePigOptions) playOptimum(cmd *cobra.Command, game engine.Game, optimum *pigsolve.Optimum) error {
	player, err := agentsOf(game, o.run).Player(cmd.Context(), o.agent)
	if err != nil {
		return err
	}
	m, err := optimum.Against(cmd.Context(), game, player.Policy)
	if err != nil {
		return fmt.Errorf("agent %s: %w", o.agent, err)
	}
	return writeOutput("-", cmd.OutOrStdout(), func(w io.Writer) error {
		if o.json {
			return printJSON(w, solver.Won{Agent: o.agent, WinProbability: m.Mean()})
		}
		_, err := fmt.Fprintf(w, "pig to %d, %s against the optimum: wins with probability %.6f\n"+
			"(exactly; going first %.6f, going second %.6f)\n",
			game.Rules().(pig.Rules).Target, o.agent, m.Mean(), m.First, m.Second)
		return err
	})
}
