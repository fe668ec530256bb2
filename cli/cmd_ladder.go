package cli

import (
	"context"
	"encoding/json"
	"io"

	"github.com/spf13/cobra"

	"croupier/catalog"
	"croupier/cluster"
	"croupier/league/rating"
	"croupier/messages"
)

// ladderOptions are the flags of croupier ladder.
type ladderOptions struct {
	run     string
	json    bool
	figures bool
	// analysis asks for what no rating can say.
	analysis bool
	rules    string // a table, by its name or a file
	catalog  *catalog.Catalog
}

func newLadderCommand(p program) *cobra.Command {
	o := ladderOptions{catalog: p.catalog}
	cmd := &cobra.Command{
		Use:   "ladder",
		Short: "Show the ratings of a run's agents",
		Long: `Ladder prints the ratings of a run's agents with 95 % intervals, and how the best and the
newest version fare against every other agent when each sits alone among copies of it;
parity is then one win in as many games as there are seats. main@12 draws its actions
with the probabilities it was trained to, greedy:main@12 takes the likeliest.

Ratings are in Elo; in games for money they are money per game, as people count it in
that game: antes, points, cents. The difference of two is what the one wins per game
alone among copies of the other. 0 is the game's strongest bot, as in an arena in which
it takes part. Differences to the best and to the version before have intervals of their
own.

The best is the version that last passed the gate: a test that it is better than the best
before it. Its gain is measured in other games than those of the test, which would overstate it. A
version stays the best until a better one passes.

On a terminal, tables fit its width: columns that can be done without are left out. --figures
adds the game's own statistics ("croupier help reference/figures"); --json has everything.

A run that trains on a family of rules (train --family) is measured at other tables as well: its
best version alone among copies of the strongest bot of each, in few games. --rules prints what
versions got at one of them, by its name or by a file with its rules ("croupier help guide/families").

--analysis prints instead what the payoff matrix says and no rating can: the agents' weights
in its Nash equilibrium and in α-Rank, how much of the matrix the ratings explain, and the cycles in
which each agent beats the next ("croupier help explain/algorithms/ratings").

Ladder reads the directory of a run or of a tournament (arena --out), finished or not.`,
		Example: `  croupier ladder
  croupier ladder --run runs/evening --json
  croupier ladder --run runs/cup --analysis
  croupier ladder --run runs/tables --rules "Party of eight"`,
		Args: cobra.NoArgs,
	}
	cmd.Flags().StringVar(&o.run, "run", "", "run directory (default: the newest below runs)")
	cmd.Flags().BoolVar(&o.json, "json", false, "print the whole ladder as JSON")
	cmd.Flags().BoolVar(&o.figures, "figures", false, "also print the game's own figures")
	cmd.Flags().BoolVar(&o.analysis, "analysis", false, "print what the payoff matrix says beyond the ratings instead")
	cmd.Flags().StringVar(&o.rules, "rules", "", "name of another table of the run, or YAML or JSON file with its rules")
	cmd.MarkFlagsMutuallyExclusive("analysis", "figures")
	for _, other := range []string{"analysis", "figures", "json"} {
		cmd.MarkFlagsMutuallyExclusive("rules", other)
	}
	cmd.RunE = action(func(cmd *cobra.Command, _ []string) error {
		return showLadder(cmd.Context(), &o, cmd.OutOrStdout())
	})
	return cmd
}

func showLadder(ctx context.Context, o *ladderOptions, out io.Writer) error {
	dir, err := givenOrNewest(o.run)
	if err != nil {
		return err
	}
	ladder, err := cluster.ReadLadder(o.catalog, dir)
	if err != nil {
		return err
	}
	if o.rules != "" {
		return showTable(ctx, o.catalog, dir, ladder, o.rules, out)
	}
	if o.analysis {
		return showAnalysis(ladder, o.json, out)
	}
	if !o.json {
		return rating.Render(out, ladder, rating.Style{Width: widthOf(out), Figures: o.figures})
	}
	doc, err := ladder.JSON()
	if err == nil {
		_, err = out.Write(doc)
	}
	return err
}

func showAnalysis(ladder *messages.Ladder, asJSON bool, out io.Writer) error {
	analysis, err := rating.Analyse(ladder)
	if err != nil {
		return err
	}
	if asJSON {
		return json.NewEncoder(out).Encode(analysis)
	}
	return analysis.Render(out, ladder, widthOf(out))
}
