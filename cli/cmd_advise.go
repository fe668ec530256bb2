package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"croupier/advice"
	"croupier/engine"
	"croupier/internal/strict"
)

func newAdviseCommand(p program) *cobra.Command {
	o := adviceOptions{program: p}
	var position, steps string
	var example bool
	limits := advice.DefaultOptions()
	cmd := &cobra.Command{
		Use:   "advise GAME [POSITION]",
		Short: "Recommend an action in a position, with the cost of the others",
		Long: `Advise takes POSITION, a position in one line, or reads one, in one line or as JSON,
from --position FILE or ("-") standard input. It prints every legal action with its
expected result, what it loses against the best, the 95 % interval, how often the agent
plays it if it mixes, and the chance of the worst thing that can follow, then the reason
in one sentence.

A position holds what the player to move knows, and nothing else. "croupier help
games/NAME" describes both forms for each game; --example prints a position as JSON, and
its answer has the same one in one line. An impossible position is an error that names
the field, with exit status 2.

--history asks about the position after these steps instead, in games without written
positions, too: the steps of the game from its beginning, separated by commas, each by its
number, as histories have it, or by its name. Of what is hidden from the player to move
the answer uses nothing. Where something is hidden that the game cannot draw again, an agent
is asked that knows what actions are worth.

--agent names the agent that advises: a solver ("solver:optimal"), a bot of the game,
"file:PATH", or a version like "main@12" of the run; with "greedy:" before its name a
network takes its likeliest action, with "search:" it looks ahead. The default is the
strongest one: an exact solution, else the strongest agent of a recorded comparison or
the best version of the run, whichever is stronger ("croupier help reference/agents"); the answer
names it, with the reason. The run is that of --run, or else the newest below runs that is of the
game under
the same rules. Solvers and searches know what actions are worth. With any other agent the rest
of the game is played out with it in all seats, --samples times after each action. Where no
games are played out, --samples, --seed and --budget have no effect, and the answer says so. The
same call gives the same answer on any machine, and so does the page Advice, unless the
time of --budget was not enough, which the answer then says.

A solution that took long is kept for the next call in the user's folder for caches;
the environment variable CROUPIER_SOLUTIONS names another folder, or is off.`,
		Example: `  croupier advise pig ">30 42 | 18"
  croupier advise pig --example > position.json
  croupier advise pig --position position.json
  croupier advise kuhn --example | croupier advise kuhn --position - --json
  croupier advise kuhn --history K,J,check`,
		Args: cobra.RangeArgs(1, 2),
	}
	cmd.AddCommand(newAdviseReviewCommand(p), newAdviseCompareCommand(p))
	o.register(cmd)
	f := cmd.Flags()
	f.StringVar(&o.rules, "rules", "",
		"YAML or JSON file with the game's rules (default: those of --run, else the game's)")
	f.DurationVar(&limits.Budget, "budget", limits.Budget,
		"time after which no more games are played out where --samples is not given; 0: none")
	f.StringVar(&position, "position", "", `file with the position, "-" for standard input`)
	f.BoolVar(&example, "example", false, "print an example of a position instead")
	f.StringVar(&steps, "history", "", `steps from the beginning of the game: "0,4" or "square 0,square 4"`)
	addQuiet(f, &o.quiet)
	cmd.MarkFlagsMutuallyExclusive("position", "example", "history")
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		if err := onePosition(cmd, args); err != nil {
			return err
		}
		game, err := o.game(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		if cmd.Flags().Changed("history") {
			question, err := afterSteps(game, steps)
			if err != nil {
				return usage("--history %s: %w", steps, err)
			}
			if limits, err = o.limits(limits); err != nil {
				return err
			}
			return advise(cmd, &o, question, limits)
		}
		if example {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\n", engine.ExampleOf(game))
			return err
		}
		document, from := []byte(nil), "POSITION"
		if len(args) > 1 {
			document = []byte(args[1])
		} else if document, err = readDocument(cmd.Context(), position, cmd.InOrStdin()); err != nil {
			return usage("--position: %w", err)
		} else {
			from = "--position " + position
		}
		if limits, err = o.limits(limits); err != nil {
			return err
		}
		question := advice.Question{Game: game}
		question.State, question.History, question.Notes, err = engine.PositionOf(game, document, engine.NewRNG(o.seed, 0))
		if err != nil {
			return usage("%s: %w", from, p.otherwise(args[0], document, err))
		}
		return advise(cmd, &o, question, limits)
	})
	return cmd
}

// onePosition requires that the position to ask about is given once.
func onePosition(cmd *cobra.Command, args []string) error {
	for _, flag := range []string{"position", "example", "history"} {
		switch changed := cmd.Flags().Changed(flag); {
		case changed && len(args) > 1:
			return usage("--%s does not go with POSITION, which is %q", flag, args[1])
		case changed:
			return nil
		}
	}
	if len(args) < 2 {
		return usage("no position is given: name POSITION, a position in one line, --position, --history or --example")
	}
	return nil
}

// otherwise says of which other game a position is that the named one cannot read, if it is of one.
func (p program) otherwise(game string, document []byte, err error) error {
	for _, other := range p.catalog.Games() {
		g, _ := p.catalog.New(other.Name, nil)
		written, is := g.(engine.Positioned)
		if !is || other.Name == game {
			continue
		}
		if _, _, wrong := written.ParsePosition(document, engine.NewRNG(0, 0)); wrong == nil {
			return fmt.Errorf("it is a position of %s, not of %s", other.Name, game)
		}
	}
	return err
}

// readDocument reads a file, or standard input, that is no larger than a document may be.
func readDocument(ctx context.Context, path string, stdin io.Reader) ([]byte, error) {
	in, name, err := openInput(ctx, path, stdin)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	document, err := io.ReadAll(io.LimitReader(in, strict.MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return document, nil
}

func advise(cmd *cobra.Command, o *adviceOptions, question advice.Question, limits advice.Options) error {
	shown := newProgress(cmd.ErrOrStderr(), "working out the advice", o.quiet)
	defer shown.end()
	agent, err := o.choose(cmd.Context(), question.Game)
	if err != nil {
		return err
	}
	limits.Progress = shown.of
	answer, err := advice.Advise(cmd.Context(), question, agent, limits)
	if err != nil {
		return err
	}
	shown.end()
	out := cmd.OutOrStdout()
	if o.json {
		return json.NewEncoder(out).Encode(answer)
	}
	return answer.Render(out)
}
