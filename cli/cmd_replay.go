package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"croupier/engine/history"
	"croupier/internal/plural"
)

// replayOptions are the flags of croupier replay.
type replayOptions struct {
	program
	trace bool
	out   string
}

func newReplayCommand(p program) *cobra.Command {
	o := replayOptions{program: p}
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "Check histories step by step, and show what happened",
		Long: `Replay reads histories, one JSON object per line, from FILE or ("-") standard input,
and plays each one again by its rules. Rules may be partial; the seed may be absent and
is not needed; returns and scores may be absent and are checked where they are given.

With --trace it writes one JSON object for every node, with the legal actions or the
outcomes and their probabilities, with what the player to move knows as a position in one
line, and with the step taken, and one for the end of each game. Without it, it prints how many games and steps it checked.

It stops at the first thing that is wrong: the error names the line (from 1) and the
step (from 0), and the exit status is 1. It is also 1 if there are no games.`,
		Example: `  croupier replay games.jsonl
  croupier simulate bank | croupier replay - --trace`,
		Args: cobra.ExactArgs(1),
	}
	f := cmd.Flags()
	f.BoolVar(&o.trace, "trace", false, "write every node as JSON")
	f.StringVar(&o.out, "out", "-", `file to write, "-" for standard output`)
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		return replay(cmd.Context(), &o, args[0], cmd.InOrStdin(), cmd.OutOrStdout())
	})
	return cmd
}

func replay(ctx context.Context, o *replayOptions, path string, stdin io.Reader, stdout io.Writer) error {
	in, name, err := openInput(ctx, path, stdin)
	if err != nil {
		return err
	}
	defer in.Close()
	return writeOutput(o.out, stdout, func(w io.Writer) error {
		var trace *history.Trace
		if o.trace {
			trace = history.NewTrace(w)
		}
		total, err := history.Check(ctx, in, o.catalog.New, trace)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if !o.trace {
			_, err = fmt.Fprintf(w, "%s, %s: all as the rules say\n", plural.Of(total.Games, "game"), plural.Of(total.Steps, "step"))
		}
		return err
	})
}
