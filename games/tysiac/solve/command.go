package solve

import (
	"context"
	"fmt"
	"io"

	"croupier/catalog"
)

// Exact is what the catalog has of Tysiąc: the play of a hand with open cards.
var Exact = catalog.Exact{Command: command}

// command is croupier solve tysiac.
var command = catalog.Command{
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
	Shared: catalog.SharedFlags{Progress: true, JSON: "print the answers as JSON, one object per line; with --melds one list"},
	New:    newRun,
}

// flags are the command's own.
type flags struct {
	doubleDummy string
	melds       string
}

func newRun(f catalog.Flags) func(context.Context, catalog.Call) error {
	var o flags
	f.StringVar(&o.doubleDummy, "double-dummy", "", `file of histories that stop in the play, "-" for standard input`)
	f.StringVar(&o.melds, "melds", "", `file of finished games, "-" for standard input: the timing of their melds`)
	f.Reads("double-dummy")
	f.Reads("melds")
	return o.run
}

func (o *flags) run(ctx context.Context, c catalog.Call) error {
	switch {
	case o.doubleDummy == "" && o.melds == "":
		return catalog.Usage("--double-dummy FILE or --melds FILE says what to solve")
	case o.doubleDummy != "" && o.melds != "":
		return catalog.Usage("--double-dummy and --melds cannot be combined")
	case o.melds != "":
		return o.timeMelds(ctx, c)
	}
	return o.solvePositions(ctx, c)
}

func (o *flags) solvePositions(ctx context.Context, c catalog.Call) error {
	in, name, err := c.Input(ctx, o.doubleDummy)
	if err != nil {
		return err
	}
	defer in.Close()
	return c.Write("-", func(w io.Writer) error {
		if err := Positions(ctx, in, w, c.JSON()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
}

// timeMelds reports what the timing of melds was worth.
func (o *flags) timeMelds(ctx context.Context, c catalog.Call) error {
	in, name, err := c.Input(ctx, o.melds)
	if err != nil {
		return err
	}
	defer in.Close()
	say, end := c.Progress()
	timings, err := TimeMelds(ctx, in, func(games int) { say(-1, "tysiac: %d games", games) })
	end()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return c.Print(timings, func(w io.Writer) error { return RenderMelds(w, timings) })
}
