package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"croupier/advice"
	"croupier/engine"
	"croupier/engine/history"
)

func newAdviseReviewCommand(p program) *cobra.Command {
	o := adviceOptions{program: p}
	var top int
	cmd := &cobra.Command{
		Use:   "review FILE",
		Short: "Report the cost of each decision of a game",
		Long: `Review reads histories of one game, as simulate writes them, from FILE or ("-")
standard input. For every real choice it works out what would have been best, and what
was lost. It prints for each seat the mistakes, the mean loss of a decision against what
the judge itself plays (below 0 if it plays better than the judge), and the accuracy:
100 for no loss, 0 for the worst action everywhere. Then come the worst moments; with
--json all decisions, each with its position as advise reads it.

A decision is judged by what the seat knew, not by what came of it. Mistakes certainly
lost something, and the judge would not have made them; a seat without mistakes is charged
with one in at most 5 % of games. --agent names the judge, by default the strongest agent, as in
advise. The page Replay gives the same numbers.`,
		Example: `  croupier advise review games.jsonl
  croupier simulate bank --policy "threshold(100)" --games 20 | croupier advise review - --agent leader-chaser
  croupier advise review games.jsonl --json`,
		Args: cobra.ExactArgs(1),
	}
	o.register(cmd)
	cmd.Flags().Lookup("samples").Usage = "games to play out after each action, where the judge does not know what actions are worth"
	cmd.Flags().IntVar(&top, "top", 10, "number of worst moments to print")
	addQuiet(cmd.Flags(), &o.quiet)
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		if top < 0 {
			return usage("--top %d: it must not be negative", top)
		}
		shown := newProgress(cmd.ErrOrStderr(), "judging games", o.quiet)
		report, err := review(cmd.Context(), &o, args[0], cmd.InOrStdin(), shown)
		shown.end()
		if err != nil {
			return err
		}
		if o.json {
			return json.NewEncoder(cmd.OutOrStdout()).Encode(report)
		}
		return report.Render(cmd.OutOrStdout(), top)
	})
	return cmd
}

// review judges all games of a file.
func review(ctx context.Context, o *adviceOptions, path string, stdin io.Reader, shown *progress,
) (*advice.Report, error) {
	in, name, err := openInput(ctx, path, stdin)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	limits, err := o.limits(advice.ReviewOptions())
	if err != nil {
		return nil, err
	}
	games := -1 // known once the first one has been read: to count the lines of what has no games may take minutes
	reviewer := func(game engine.Game) (*advice.Reviewer, error) {
		if games < 0 {
			games = countLines(path)
		}
		agent, err := o.choose(ctx, game)
		r := advice.NewReviewer(game, agent, limits)
		r.Progress = func(game, steps, of int) {
			shown.to(float64(game)+float64(steps)/float64(of), float64(games))
		}
		return r, err
	}
	report, err := advice.ReviewAll(ctx, history.NewReader(in), o.catalog.New, 0, reviewer)
	var wrong *usageError
	if err != nil && !errors.As(err, &wrong) {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return report, err
}

// countLines returns the number of lines of a regular file, which are its games, and 0 for anything else.
func countLines(path string) (lines int) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return 0
	}
	f, err := os.Open(path)
	if err != nil {
		return 0 // the function that reads it reports why
	}
	defer f.Close()
	for buffer := make([]byte, 1<<16); ; {
		n, err := f.Read(buffer)
		lines += bytes.Count(buffer[:n], []byte{'\n'})
		if err != nil {
			return lines
		}
	}
}
