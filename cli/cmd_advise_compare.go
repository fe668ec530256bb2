package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"croupier/agents"
	"croupier/catalog"
	"croupier/engine"
	"croupier/league/rating"
	"croupier/messages"
	"croupier/settings"
)

// compareOptions are the flags of croupier advise compare.
type compareOptions struct {
	program
	rules   string
	run     string
	games   uint64
	seed    uint64
	workers int
	out     string
	tables  bool
	quiet   bool
}

func newAdviseCompareCommand(p program) *cobra.Command {
	o := compareOptions{program: p}
	cmd := &cobra.Command{
		Use:   "compare GAME [AGENT...]",
		Short: "Compare agents to choose the adviser of a game",
		Long: `Compare plays a tournament between agents that could advise in a game. By default they are
the network that comes with the program, greedy and
sampled, and the bots and solvers on the game's ladder; searches take longer and have
to be named. "all" names the bots. It prints the ladder and names the strongest: the
one whose result against its worst opponent is best.

With --out it writes the results as JSON: the agents, the strongest first, with their
worst result and the time of a move, and what each got among copies of each other one. Such a file
comes with the program for every game, and decides which agent "croupier advise" asks ("croupier
help reference/agents"). The same call gives the same file, but for
the times.

With --tables it does so for each of the game's presets, and for each number that people choose
("croupier games GAME") on its own; not for its usual rules. It prints a table of them, and --out
writes one result after the other.`,
		Example: `  croupier advise compare bank
  croupier advise compare tysiac-hand heuristic search:trained "pimc(16)" --games 500 --out tysiac-hand.json`,
		Args: cobra.MinimumNArgs(1),
	}
	f := cmd.Flags()
	f.StringVar(&o.rules, "rules", "", "YAML or JSON file with the game's rules (default: the game's)")
	f.BoolVar(&o.tables, "tables", false, "compare under each of the game's presets and usual numbers instead")
	f.StringVar(&o.run, "run", "", "run directory with versions like main@12")
	f.Uint64Var(&o.games, "games", 1000, "games of each agent among copies of each other one")
	f.Uint64Var(&o.seed, "seed", 1, "seed of all deals")
	f.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "matches played in parallel")
	f.StringVar(&o.out, "out", "", `file to write, "-" for standard output instead of the ladder`)
	addQuiet(f, &o.quiet)
	cmd.MarkFlagsMutuallyExclusive("rules", "tables")
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		return compare(cmd.Context(), &o, args[0], args[1:], cmd.OutOrStdout(), cmd.ErrOrStderr())
	})
	return cmd
}

func compare(ctx context.Context, o *compareOptions, name string, names []string, out, warnings io.Writer) error {
	if o.games < 1 || o.workers < 1 {
		return usage("--games and --workers must be at least 1")
	}
	game, err := settings.GameUnder(ctx, o.catalog, name, o.rules)
	if err != nil {
		return usage("%w", err)
	}
	if o.tables {
		return compareTables(ctx, o, game, names, out, warnings)
	}
	comparison, ladder, err := o.play(ctx, game, names, warnings)
	if err != nil {
		return err
	}
	if o.out != "-" {
		strongest := comparison.Agents[0]
		fmt.Fprintf(out, "The strongest of %d agents is %s, with %s\n\n",
			len(comparison.Agents), strongest.Name, comparison.Describe(strongest.Worst))
		ladder = ladder.InCoin(game.Spec())
		if err := rating.Render(out, ladder, rating.Style{Width: widthOf(out)}); err != nil || o.out == "" {
			return err
		}
	}
	return writeOutput(o.out, out, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(comparison)
	})
}

// play plays the tournament between the named agents of a game, or between those that could be asked for advice.
func (o *compareOptions) play(ctx context.Context, game engine.Game, names []string, warnings io.Writer,
) (*catalog.Comparison, *messages.Ladder, error) {
	known := o.agentsOf(game, o.run)
	if names = known.Expand(names); len(names) == 0 {
		names = known.Candidates()
	}
	if len(names) < 2 {
		return nil, nil, usage("name at least two agents to compare")
	}
	if err := checkDistinct(names); err != nil {
		return nil, nil, err
	}
	shown := newProgress(warnings, "playing matches of "+game.Spec().Name, o.quiet)
	defer shown.end()
	tournament := agents.Tournament{Game: game, Games: o.games, Seed: o.seed, Workers: o.workers, Progress: shown.of}
	comparison, ladder, err := tournament.Compare(ctx, known, names)
	shown.end()
	if err == nil {
		printConduct(warnings, known)
	}
	return comparison, ladder, err
}
