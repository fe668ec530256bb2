package solve

import (
	"context"
	"io"
	"runtime"

	"croupier/catalog"
	"croupier/engine"
	langestrasse "croupier/games/lange-strasse"
)

// command is croupier solve lange-strasse.
var command = catalog.Command{
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
	Shared: catalog.SharedFlags{
		Out: "file for the table of the turn, or with --money for the values", Progress: true, Rules: true,
	},
	New: newRun,
}

// flags are the command's own.
type flags struct {
	simulate uint64
	seed     uint64
	money    bool
	training TrainConfig
	compare  int
	cover    int
}

func newRun(f catalog.Flags) func(context.Context, catalog.Call) error {
	o := flags{training: DefaultTrainConfig()}
	f.Uint64Var(&o.simulate, "simulate", 0, "turns to play through the engine as a check")
	f.Uint64Var(&o.seed, "seed", 1, "seed of everything random")
	f.BoolVar(&o.money, "money", false, "make values for the money game")
	f.IntVar(&o.training.Iterations, "iterations", o.training.Iterations, "with --money: number of rounds of play and fit")
	f.IntVar(&o.training.Games, "games", o.training.Games, "with --money: games of self-play per iteration")
	f.IntVar(&o.training.Steps, "steps", o.training.Steps, "with --money: minibatches of the fit per iteration")
	f.IntVar(&o.training.Opening, "opening", o.training.Opening,
		"with --money: games of the turn optimum for the first fit")
	f.IntVar(&o.training.Validation, "validation", o.training.Validation, "with --money: games that measure the result")
	f.IntVar(&o.training.Workers, "workers", runtime.GOMAXPROCS(0), "with --money: games played in parallel")
	f.IntVar(&o.compare, "compare", 0, "games of solver:money to compare with the turn optimum")
	f.IntVar(&o.cover, "coverage", 0, "decisions at which to check the intervals of solver:money")
	return o.run
}

func (o *flags) run(ctx context.Context, c catalog.Call) error {
	switch {
	case o.money && (o.simulate > 0 || o.compare > 0 || o.cover > 0):
		return catalog.Usage("--simulate, --compare and --coverage cannot be combined with --money")
	case o.money && c.Out() == "":
		return catalog.Usage("--money needs --out FILE for the values")
	case o.money:
		return o.trainMoney(ctx, c)
	}
	err := catalog.Idle(c, "--money", "iterations", "games", "steps", "opening", "validation", "workers")
	if err == nil && o.simulate == 0 && o.compare == 0 && o.cover == 0 {
		err = catalog.Idle(c, "--money, --simulate, --compare or --coverage", "seed")
	}
	if err != nil {
		return err
	}
	game, err := c.Game(ctx, nil, nil)
	switch {
	case err != nil:
		return err
	case o.compare > 0:
		return o.compareMoney(ctx, c, game)
	case o.cover > 0:
		return o.coverMoney(ctx, c, game)
	}
	return o.solveTurn(ctx, c, game)
}

func (o *flags) solveTurn(ctx context.Context, c catalog.Call, game engine.Game) error {
	if c.Out() != "" {
		write := func(w io.Writer) error { return WriteTurn(w, langestrasse.TurnOptimum()) }
		if err := c.Write(c.Out(), write); err != nil {
			return err
		}
	}
	say, end := c.Progress()
	answer, err := SolveTurn(ctx, game, o.simulate, o.seed, func(done, total uint64) {
		say(float64(done)/float64(total), "%d of %d turns", done, total)
	})
	end()
	if err != nil {
		return err
	}
	return c.Print(answer, answer.Render)
}
