package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	tysiac "croupier/games/tysiac/solve"
)

// solveTysiacOptions are the flags of croupier solve tysiac.
type solveTysiacOptions struct {
	doubleDummy string
	melds       string
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

--melds reads finished games instead, such as croupier simulate writes, and says for the
leads to a trick by a seat that could declare a meld how often it did, what waiting would
have been worth with open cards, and what the choice lost, in points: in all and by
trick, with 95 % intervals (games are the clusters). It takes about 2 ms a lead.

It stops at the first thing that is wrong: the error names the line (from 1) and the
step (from 0), and the exit status is 1.`,
		Example: `  croupier solve tysiac --double-dummy positions.jsonl
  croupier solve tysiac --double-dummy - --json < positions.jsonl
  croupier simulate tysiac --games 100 --policy heuristic | croupier solve tysiac --melds -`,
		Args: cobra.NoArgs,
	}
	f := cmd.Flags()
	f.StringVar(&o.doubleDummy, "double-dummy", "", `file of histories that stop in the play, "-" for standard input`)
	f.StringVar(&o.melds, "melds", "", `file of finished games, "-" for standard input: the timing of their melds`)
	f.BoolVar(&o.json, "json", false, "print the answers as JSON, one object per line; with --melds one list")
	cmd.RunE = action(func(cmd *cobra.Command, _ []string) error {
		switch {
		case o.doubleDummy == "" && o.melds == "":
			return usage("--double-dummy FILE or --melds FILE says what to solve")
		case o.doubleDummy != "" && o.melds != "":
			return usage("--double-dummy and --melds cannot be combined")
		case o.melds != "":
			return timeMelds(cmd.Context(), &o, cmd.InOrStdin(), cmd.OutOrStdout())
		}
		return solveTysiac(cmd.Context(), &o, cmd.InOrStdin(), cmd.OutOrStdout())
	})
	return cmd
}

func solveTysiac(ctx context.Context, o *solveTysiacOptions, stdin io.Reader, stdout io.Writer) error {
	in, name, err := openInput(ctx, o.doubleDummy, stdin)
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

// timeMelds says what the timing of melds was worth.
func timeMelds(ctx context.Context, o *solveTysiacOptions, stdin io.Reader, stdout io.Writer) error {
	in, name, err := openInput(ctx, o.melds, stdin)
	if err != nil {
		return err
	}
	defer in.Close()
	timings, err := tysiac.TimeMelds(ctx, in)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return writeOutput("-", stdout, func(w io.Writer) error {
		if o.json {
			return printJSON(w, timings)
		}
		return tysiac.RenderMelds(w, timings)
	})
}
