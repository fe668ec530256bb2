package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"croupier/advice"
	"croupier/agents"
	"croupier/engine"
	"croupier/play"
	"croupier/web"
)

// drillOptions are the flags of croupier drill.
type drillOptions struct {
	program
	advice     adviceOptions // --rules
	difficulty string
	seed       uint64
}

func newDrillCommand(p program) *cobra.Command {
	o := drillOptions{program: p, advice: adviceOptions{program: p, run: noRun}}
	cmd := &cobra.Command{
		Use:   "drill GAME [POSITION]",
		Short: "Practise decisions, and learn what each one costs",
		Long: `Drill deals one position of GAME after the other, at which a rule of thumb often goes
wrong. Type your move; then it prints what each move is worth, what yours loses and why,
and what the rule of thumb would have done, and deals the next position. It counts your
decisions, how many were good, the streak of good ones, and what you lose per decision, in
the unit of the game. "help" says what can be typed; "quit", Ctrl-D or Ctrl-C ends the
drill with the sum, and the exit status is 0.

--difficulty hard deals mistakes of the best rule of thumb first, easy those of simple
ones. The same --seed deals the same positions. POSITION, a position in one line or as
JSON, is asked about first. A game about which nobody knows enough under its usual rules
is practised under others, which the first line names.

The page Drill of "croupier web" deals the same decisions on the board of the game.`,
		Example: `  croupier drill pig
  croupier drill lange-strasse --difficulty easy --seed 7
  croupier drill pig ">30 42 | 18"`,
		Args: cobra.RangeArgs(1, 2),
	}
	f := cmd.Flags()
	f.StringVar(&o.difficulty, "difficulty", web.HardDrill, web.EasyDrill+" or "+web.HardDrill)
	f.StringVar(&o.advice.rules, "rules", "", "YAML or JSON file with the game's rules")
	f.Uint64Var(&o.seed, "seed", 0, "seed of the positions (default: another one each time, which is printed)")
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		if !cmd.Flags().Changed("seed") {
			o.seed = rand.Uint64N(1 << 32)
		}
		return o.run(cmd, args)
	})
	return cmd
}

// run deals until the person has had enough.
func (o *drillOptions) run(cmd *cobra.Command, args []string) error {
	if o.difficulty != web.EasyDrill && o.difficulty != web.HardDrill {
		return usage("--difficulty is %s or %s, not %q", web.EasyDrill, web.HardDrill, o.difficulty)
	}
	game, about, err := o.game(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(cmd.Context())
	defer stop()
	in := cmd.InOrStdin()
	d := &drilling{
		known: o.agentsOf(game, ""), options: o, out: cmd.OutOrStdout(), echo: !isTerminalInput(in),
		lines: play.Lines(ctx, in),
	}
	first := func() (*advice.Drill, error) { return d.deal(ctx) }
	if len(args) > 1 {
		q := advice.Question{Game: game}
		q.State, q.History, q.Notes, err = engine.PositionOf(game, []byte(args[1]), engine.NewRNG(o.seed, 0))
		if err != nil {
			return usage("POSITION: %w", o.otherwise(args[0], []byte(args[1]), err))
		}
		first = func() (*advice.Drill, error) { return advice.PractiseAt(ctx, d.known, q) }
	}
	fmt.Fprintf(d.out, "%s%s, %s, seed %d. Type your move; \"help\" says what else can be typed.\n", game.Spec().Title, about,
		o.difficulty, o.seed)
	return d.practise(ctx, first)
}

// game returns the game under the rules that are practised, and what these are unless they are the usual ones.
func (o *drillOptions) game(ctx context.Context, name string) (game engine.Game, about string, err error) {
	if game, err = o.advice.game(ctx, name); err != nil || o.advice.rules != "" {
		return game, "", err
	}
	knownOf := func(game engine.Game) *agents.Agents { return o.agentsOf(game, "") }
	if advice.Asks(knownOf(game)) > 0 {
		return game, "", nil
	}
	preset, found := advice.PractisedUnder(o.catalog.Of(game), knownOf)
	if !found {
		return nil, "", usage("%s cannot be practised: no agent knows the values of its actions", name)
	}
	game, err = o.catalog.New(name, []byte(preset.Document))
	return game, " (" + strings.ToLower(preset.Name[:1]) + preset.Name[1:] + ")", err
}

// drilling is a drill under way.
type drilling struct {
	known   *agents.Agents
	options *drillOptions
	out     io.Writer
	echo    bool
	lines   chan string
	dealt   uint64 // seeds that were used

	decisions, good, streak, longest int
	lost                             float64
	unit                             *advice.Answer // the newest, which writes what was lost
}

// looks is how many seeds in a row may find nothing to practise on.
const looks = 20

// deal returns the next decision. Seeds that find none are passed over.
func (d *drilling) deal(ctx context.Context) (drill *advice.Drill, err error) {
	for range looks {
		seed := d.options.seed + d.dealt
		d.dealt++
		drill, err = advice.Practise(ctx, d.known, seed, d.options.difficulty == web.EasyDrill)
		if !errors.Is(err, advice.ErrNoDrill) {
			return drill, err
		}
	}
	return nil, err
}

// dealing is a decision that is being looked for.
type dealing struct {
	done  chan struct{} // closed once the fields below are set
	drill *advice.Drill
	err   error
}

// look begins to look for a decision.
func look(next func() (*advice.Drill, error)) *dealing {
	found := &dealing{done: make(chan struct{})}
	go func() {
		defer close(found.done)
		defer engine.Recover(&found.err)
		found.drill, found.err = next()
	}()
	return found
}

// practise asks for one decision after the other. While one is thought about, the next one is looked for.
func (d *drilling) practise(ctx context.Context, first func() (*advice.Drill, error)) error {
	ctx, stop := context.WithCancel(ctx)
	coming := look(first)
	defer func() {
		stop()
		<-coming.done
	}()
	for {
		select {
		case <-coming.done:
		case <-ctx.Done():
			return d.sum()
		}
		found := coming
		if ctx.Err() != nil {
			return d.sum()
		}
		if found.err != nil {
			return found.err
		}
		coming = look(func() (*advice.Drill, error) { return d.deal(ctx) })
		action, err := d.ask(ctx, found.drill)
		if errors.Is(err, play.ErrUnfinished) {
			return d.sum()
		}
		if err != nil {
			return err
		}
		if err := d.judge(found.drill, action); err != nil {
			return err
		}
	}
}

const drillHelp = `Type the name of a move, its beginning, or its number in the list. Besides there are
  state   the position, in words and in one line, as "croupier advise" reads it
  help    this
  quit    stop, with the sum of the drill
`

// ask shows the position of a drill, and returns the move that is typed.
func (d *drilling) ask(ctx context.Context, drill *advice.Drill) (int, error) {
	plan := play.Plan{Game: d.known.Game(), Start: drill.Start, From: drill.History}
	for seat := range plan.Game.Spec().Seats {
		chair := play.Chair{Kind: play.Robot, Agent: play.Agent{Title: fmt.Sprintf("Player %d", seat+1)}}
		if seat == drill.Answer.Seat {
			chair = play.Chair{Kind: play.Person, Name: "You"}
		}
		plan.Chairs = append(plan.Chairs, chair)
	}
	table, err := play.NewTable(plan, time.Now())
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(d.out, "\n%d.\n", d.decisions+1)
	terminal := play.Terminal{Table: table, Out: d.out, Echo: d.echo, Help: drillHelp}
	return terminal.Decide(ctx, d.lines)
}

// judge reports what the move of a person is worth, and counts it.
func (d *drilling) judge(drill *advice.Drill, action int) error {
	answer := drill.Answer
	taken, best, right := answer.Of(action), answer.Of(answer.Best), answer.Right(action)
	d.count(answer, taken.Loss, right)
	switch {
	case action == answer.Best:
		fmt.Fprint(d.out, "\nThe best move.\n\n")
	case right:
		fmt.Fprintf(d.out, "\nAs good as the best move, %s, within the error of its value.\n\n", best.Name)
	default:
		fmt.Fprintf(d.out, "\nIt loses %s: %s is better.\n\n", answer.Amount(taken.Loss), best.Name)
	}
	shown := *answer
	shown.Text, shown.Line = "", "" // they are on the screen
	if err := shown.Render(d.out); err != nil {
		return err
	}
	obvious, verdict := answer.Of(drill.Obvious), "it is right here"
	if !answer.Right(drill.Obvious) {
		verdict = "it loses " + answer.Amount(obvious.Loss)
	}
	fmt.Fprintf(d.out, "Rule of thumb: %s (%s) would %s: %s.\n%s\n", drill.Rule, play.About(d.known, drill.Rule), obvious.Name,
		verdict, d.totals())
	return nil
}

// count adds a decision to the totals.
func (d *drilling) count(answer *advice.Answer, loss float64, right bool) {
	d.unit = answer
	d.decisions++
	d.lost += max(0, loss)
	d.streak++
	if right {
		d.good++
	} else {
		d.streak = 0
	}
	d.longest = max(d.longest, d.streak)
}

// totals reports how the decisions so far were.
func (d *drilling) totals() string {
	return fmt.Sprintf("Decisions: %d, good: %d, streak: %d, longest: %d, lost per decision: %s.", d.decisions, d.good, d.streak,
		d.longest, d.unit.Amount(d.lost/float64(d.decisions)))
}

// sum ends the drill.
func (d *drilling) sum() error {
	if d.decisions == 0 {
		fmt.Fprintln(d.out, "\n\nNothing was decided.")
		return nil
	}
	fmt.Fprintf(d.out, "\n\n%s\nCroupier deals the same positions again with --seed %d.\n", d.totals(), d.options.seed)
	return nil
}
