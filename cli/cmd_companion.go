package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"croupier/engine"
	"croupier/play"
)

// companionOptions are the flags of croupier companion.
type companionOptions struct {
	program
	advice adviceOptions // --agent, --run and --rules
	names  []string
	seat   int
	resume string
	folder string
}

func newCompanionCommand(p program) *cobra.Command {
	o := companionOptions{program: p, advice: adviceOptions{program: p}}
	cmd := &cobra.Command{
		Use:   "companion [GAME] [POSITION]",
		Short: "Follow a game with real dice, and advise one of its players",
		Long: `Companion follows a game that people play with real dice at a real table. Type what
happens: the dice that fell as they lie there ("3 4", "122356"), and what each player
does. Before each decision of --seat it prints what is best and why; "hint" prints what
every move is worth, for any player. "undo" takes back the newest line, "state" prints
how the game stands, "help" what can be typed, and "quit" or the end of the input saves
the game, with exit status 1; --continue continues it.

POSITION joins a game that has begun: a position in one line, as "croupier help
games/GAME" describes it and as "state" prints it. --names gives the players in the order
in which they play, and the game then has that many seats.

Companion follows only games without hidden cards, since the person who enters them would
see them. In other games "croupier advise" takes the position of one seat.`,
		Example: `  croupier companion bank --names Anna,Mum,Dad --seat 1
  croupier companion pig ">30 42 | 18"`,
		Args: cobra.MaximumNArgs(2),
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.names, "names", nil, "names of the players in the order in which they play")
	f.IntVar(&o.seat, "seat", 1, "the seat that is advised, from 1")
	f.StringVar(&o.advice.agent, "agent", "", "agent that advises (default: the strongest one for the game)")
	f.StringVar(&o.advice.rules, "rules", "", "YAML or JSON file with the game's rules")
	f.StringVar(&o.advice.run, "run", noRun, "run directory with versions that can advise, and the rules of the game")
	f.StringVar(&o.resume, "continue", "", "file of a saved game to continue")
	addPlayFolder(f, &o.folder, "folder in which the game is saved")
	cmd.MarkFlagsMutuallyExclusive("continue", "names")
	cmd.MarkFlagsMutuallyExclusive("continue", "rules")
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		plan, err := o.plan(cmd.Context(), args)
		if err != nil {
			return err
		}
		table, err := play.NewTable(plan, time.Now())
		if err != nil {
			return usage("%w", err)
		}
		return o.follow(cmd.Context(), table, cmd.InOrStdin(), cmd.OutOrStdout())
	})
	return cmd
}

// plan turns the arguments and flags into a plan.
func (o *companionOptions) plan(ctx context.Context, args []string) (plan play.Plan, err error) {
	switch {
	case o.resume != "" && len(args) > 0:
		return plan, usage("--continue continues the game of its file: leave out %s", args[0])
	case o.resume != "":
		if plan, err = o.continued(ctx, o.resume); err == nil && !plan.Entered {
			err = usage("--continue %s: its dice are not entered: \"croupier play\" continues it", o.resume)
		}
	case len(args) == 0:
		return plan, usage("no game is given: name GAME, or a saved game with --continue")
	default:
		plan, err = o.begun(ctx, args)
	}
	if err != nil {
		return plan, err
	}
	if seats := plan.Game.Spec().Seats; o.seat < 1 || o.seat > seats {
		return plan, usage("--seat %d: the game has seats 1 to %d", o.seat, seats)
	}
	return plan, nil
}

// begun returns the plan of a game that begins, or is joined in a position.
func (o *companionOptions) begun(ctx context.Context, args []string) (plan play.Plan, err error) {
	game, err := o.advice.game(ctx, args[0])
	if err != nil {
		return plan, err
	}
	if len(o.names) > 0 {
		if game, err = play.Fit(o.catalog.Of(game), game, len(o.names)); err != nil {
			return plan, usage("--names: %w", err)
		}
	}
	spec := game.Spec()
	switch {
	case !spec.PerfectInformation:
		return plan, usage("%s hides cards, which companion needs open; \"croupier advise %s\" advises one seat without them",
			spec.Title, spec.Name)
	case spec.Outcomes == 0:
		return plan, usage("%s has no dice: \"croupier play %s --against person\" is played at one terminal", spec.Title,
			spec.Name)
	}
	plan = play.Plan{Game: game, Entered: true, Undo: true}
	for seat := range spec.Seats {
		chair := play.Chair{Kind: play.Person, Name: fmt.Sprintf("Player %d", seat+1)}
		if seat < len(o.names) {
			if chair.Name, err = play.PersonName(o.names[seat]); err != nil {
				return plan, usage("--names: %w", err)
			}
		}
		for _, other := range plan.Chairs {
			if other.Name == chair.Name {
				return plan, usage("--names: two players are called %s", chair.Name)
			}
		}
		plan.Chairs = append(plan.Chairs, chair)
	}
	if len(args) > 1 {
		plan.Start, _, _, err = engine.PositionOf(game, []byte(args[1]), engine.NewRNG(1, 0))
		if err != nil {
			return plan, usage("POSITION: %w", o.otherwise(args[0], []byte(args[1]), err))
		}
	}
	return plan, nil
}

const companionHelp = `Type what happened: the dice that fell, or the name of a move, its beginning, or its number
in the list. Besides there are
  state   how the game stands, and the position in one line, as "croupier advise" reads it
  hint    what each move is worth for the player to move
  undo    take back the newest line
  help    this
  quit    stop; the game is saved
`

// follow lets people type what happens until the game is over.
func (o *companionOptions) follow(ctx context.Context, table *play.Table, in io.Reader, out io.Writer) error {
	asked := &counsel{options: &o.advice, game: table.Game()}
	terminal := &play.Terminal{
		Table: table, Out: out, Echo: !isTerminalInput(in), Hint: asked.hint, Advice: asked.best, Advised: o.seat - 1,
		Help: companionHelp, Screen: isTerminal(out) && os.Getenv("TERM") != "dumb",
	}
	err := terminal.Play(ctx, in)
	if errors.Is(err, play.ErrUnfinished) {
		run := o.advice.run
		if run == noRun {
			run = ""
		}
		return keep(table, o.folder, run, "croupier companion", fmt.Sprintf(" --seat %d", o.seat), out)
	}
	return err
}
