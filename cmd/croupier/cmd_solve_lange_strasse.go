package main

import (
	"context"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"croupier/engine"
	langestrasse "croupier/games/lange-strasse"
	ls "croupier/games/lange-strasse/solve"
)

// solveLangeStrasseOptions are the flags of croupier solve lange-strasse.
type solveLangeStrasseOptions struct {
	solveFlags
	simulate uint64
	seed     uint64
	money    bool
	training ls.TrainConfig
	compare  int
	cover    int
}

func newSolveLangeStrasseCommand() *cobra.Command {
	o := solveLangeStrasseOptions{training: ls.DefaultTrainConfig()}
	cmd := &cobra.Command{
		Use:   "lange-strasse",
		Short: "Solve the turn of Lange Strasse, and value its money",
		Long: `Solve lange-strasse computes the most points that a turn can score on average, with the
whole distribution of turn scores under that play, the same for the bot greedy-stop, and
the odds of the first roll. All of it is exact, with a rounding error of at most
error_bound.

--out writes the table of the turn to a file, which the agent file:PATH plays from.
--simulate N plays N turns of both bots through the engine, as a check: 19 of 20 of the
95 % intervals contain the exact number.

--money instead makes values for the money game, what each seat still wins from any
standing between two turns, by fitted value iteration on self-play in which every turn
is solved exactly. It writes them to the --out file, which the agent file:PATH plays
from. In the last round of a game values are not fitted but solved. The values of the
agent solver:money are built into the program. The same settings make the same file.

--compare N plays N games of solver:money and shows where it departs from the turn
optimum, and how much could be won from it by knowing all values exactly. --coverage N
checks at N of its decisions, by playing on after two actions, that 95 % of its intervals
of differences hold what it then wins.`,
		Example: `  croupier solve lange-strasse
  croupier solve lange-strasse --json --simulate 1000000
  croupier solve lange-strasse --out turn.table
  croupier solve lange-strasse --money --out money.table
  croupier solve lange-strasse --compare 200
  croupier solve lange-strasse --coverage 300`,
		Args: cobra.NoArgs,
	}
	f := cmd.Flags()
	f.StringVar(&o.Rules, "rules", "", "YAML or JSON file with the game's rules")
	f.BoolVar(&o.json, "json", false, "print the result as JSON")
	f.StringVar(&o.out, "out", "", "file for the table of the turn, or with --money for the values")
	f.BoolVar(&o.progress, "progress", false, "show progress on standard error even if it is no terminal")
	f.Uint64Var(&o.simulate, "simulate", 0, "turns to play through the engine as a check")
	f.Uint64Var(&o.seed, "seed", 1, "seed of everything random")
	f.BoolVar(&o.money, "money", false, "make values for the money game")
	f.IntVar(&o.training.Iterations, "iterations", o.training.Iterations, "with --money: how often to play and fit")
	f.IntVar(&o.training.Games, "games", o.training.Games, "with --money: games of self-play per iteration")
	f.IntVar(&o.training.Steps, "steps", o.training.Steps, "with --money: minibatches of the fit per iteration")
	f.IntVar(&o.training.Opening, "opening", o.training.Opening,
		"with --money: games of the turn optimum for the first fit")
	f.IntVar(&o.training.Validation, "validation", o.training.Validation, "with --money: games that measure the result")
	f.IntVar(&o.training.Workers, "workers", runtime.GOMAXPROCS(0), "with --money: games played in parallel")
	f.IntVar(&o.compare, "compare", 0, "games of solver:money to compare with the turn optimum")
	f.IntVar(&o.cover, "coverage", 0, "decisions at which to check the intervals of solver:money")
	cmd.RunE = action(func(cmd *cobra.Command, _ []string) error {
		switch {
		case o.money && (o.simulate > 0 || o.compare > 0 || o.cover > 0):
			return usage("--simulate, --compare and --coverage cannot be combined with --money")
		case o.money && o.out == "":
			return usage("--money needs --out FILE for the values")
		case o.money:
			return trainMoney(cmd, &o)
		}
		game, err := o.game(cmd.Context(), "lange-strasse")
		if err != nil {
			return err
		}
		if o.compare > 0 {
			return compareMoney(cmd.Context(), game, &o, cmd.OutOrStdout())
		}
		if o.cover > 0 {
			return coverMoney(cmd.Context(), game, &o, cmd.OutOrStdout())
		}
		return solveLangeStrasse(cmd.Context(), game, &o, cmd.OutOrStdout())
	})
	return cmd
}

func solveLangeStrasse(ctx context.Context, game engine.Game, o *solveLangeStrasseOptions, stdout io.Writer) error {
	if o.out != "" {
		write := func(w io.Writer) error { return ls.WriteTurn(w, langestrasse.TurnOptimum()) }
		if err := writeOutput(o.out, nil, write); err != nil {
			return err
		}
	}
	answer, err := ls.SolveTurn(ctx, game, o.simulate, o.seed)
	if err != nil {
		return err
	}
	return writeOutput("-", stdout, func(w io.Writer) error {
		if o.json {
			return printJSON(w, answer)
		}
		return answer.Render(w)
	})
}
