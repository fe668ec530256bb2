package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"croupier/advice"
	"croupier/engine"
	"croupier/engine/games"
	"croupier/engine/history"
)

// reviewSamples is how many games are played out after each action where no exact values
// are there.
const reviewSamples = 400

func newReviewCommand() *cobra.Command {
	o := adviceOptions{budget: advice.DefaultOptions().Budget}
	var top int
	cmd := &cobra.Command{
		Use:   "review FILE",
		Short: "Say what each decision of a game has cost",
		Long: `Review reads histories of one game, as simulate writes them, from FILE or ("-")
standard input. For every decision that was a choice it asks what would have been best,
and what was lost. It prints what each seat has lost in all and the worst moments first;
with --json all decisions, each with its position as advise reads it.

A decision is judged by what the seat knew, not by what came of it. Mistakes are those
decisions whose loss is certain. Whose judgement it is, and how it is come by, is as in
advise: --agent, by default the best there is.`,
		Example: `  croupier review games.jsonl
  croupier simulate bank --policy "threshold(100)" --games 20 | croupier review - --agent leader-chaser
  croupier review games.jsonl --json`,
		Args: cobra.ExactArgs(1),
	}
	o.register(cmd)
	cmd.Flags().Lookup("samples").Usage = "games to play out after each action, where there are no exact values"
	cmd.Flags().IntVar(&top, "top", 10, "how many of the worst moments to print")
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		if o.samples == 0 {
			o.samples = reviewSamples
		}
		if top < 0 {
			return usage("--top is %d, less than 0", top)
		}
		report, err := review(cmd.Context(), &o, args[0], cmd.InOrStdin())
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
func review(ctx context.Context, o *adviceOptions, path string, stdin io.Reader) (*advice.Report, error) {
	in, name := stdin, "standard input"
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, usage("%v", err)
		}
		defer f.Close()
		in, name = f, path
	}
	limits, err := o.limits()
	if err != nil {
		return nil, err
	}
	report, err := advice.ReviewAll(ctx, history.NewReader(in), games.New, func(game engine.Game) (*advice.Reviewer, error) {
		agent, err := o.choose(ctx, game)
		return advice.NewReviewer(game, agent, limits), err
	})
	var wrong *usageError
	if err != nil && !errors.As(err, &wrong) {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return report, err
}
