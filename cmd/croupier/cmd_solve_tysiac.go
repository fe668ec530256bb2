package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"croupier/solver/tysiac"
)

// solveTysiacOptions are the flags of croupier solve tysiac.
type solveTysiacOptions struct {
	doubleDummy string
	json        bool
}

func newSolveTysiacCommand() *cobra.Command {
	var o solveTysiacOptions
	cmd := &cobra.Command{
		Use:   "tysiac",
		Short: "Solve the play of Tysiąc hands with open cards",
		Long: `Solve tysiac reads histories of tysiac or tysiac-hand that stop in the play of a hand,
one JSON object per line, from a file or ("-") standard input, and answers each with one
line: the card and meld points that the side leading the trick still gets, less those of
the other side, under perfect play with open cards; the same for each legal action of
the side to move; how many positions were searched, and how long it took.

All values are from the point of view of the side that leads the trick, even if the
other side is to reply: it then plays for the lowest value. A meld declared with an
action still counts, one declared earlier does not. Rules may be partial, as in any
history.

With --json an answer is
  {"leader_difference": 0, "actions": [{"action": 0, "value": 0}], "nodes": 0, "ms": 0.0}

It stops at the first thing that is wrong: the error names the line (from 1) and the
step (from 0), and the exit status is 1.`,
		Example: `  croupier solve tysiac --double-dummy positions.jsonl
  croupier solve tysiac --double-dummy - --json < positions.jsonl`,
		Args: cobra.NoArgs,
	}
	f := cmd.Flags()
	f.StringVar(&o.doubleDummy, "double-dummy", "", `file of histories that stop in the play, "-" for standard input`)
	f.BoolVar(&o.json, "json", false, "print the answers as JSON, one object per line")
	cmd.RunE = action(func(cmd *cobra.Command, _ []string) error {
		if o.doubleDummy == "" {
			return usage("--double-dummy FILE says what to solve")
		}
		return solveTysiac(cmd.Context(), &o, cmd.InOrStdin(), cmd.OutOrStdout())
	})
	return cmd
}

func solveTysiac(ctx context.Context, o *solveTysiacOptions, stdin io.Reader, stdout io.Writer) error {
	in, name, err := openInput(o.doubleDummy, stdin)
	if err != nil {
		return err
	}
	defer in.Close()
	return writeOutput("-", stdout, func(w io.Writer) error {
		if err := tysiac.Positions(ctx, in, w, o.json); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
}
