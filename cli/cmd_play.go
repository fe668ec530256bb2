package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"croupier/agents"
	"croupier/engine"
	"croupier/internal/durable"
	"croupier/internal/input"
	"croupier/internal/strict"
	"croupier/league"
	"croupier/play"
)

// playOptions are the flags of croupier play.
type playOptions struct {
	program
	known *agents.Agents // who plays; nil for a saved game
	hubFlags
	advice   adviceOptions // --run and --rules
	seat     int
	against  []string
	named    bool // --against is given
	seed     uint64
	timeout  time.Duration
	dice     string
	name     string
	resume   string
	folder   string
	stats    bool
	forget   bool
	json     bool
	review   bool
	log      logFlags
	entered  bool
	timed    bool
	seedable bool
}

func newPlayCommand(p program) *cobra.Command {
	o := playOptions{program: p, hubFlags: hubFlags{program: p}, advice: adviceOptions{program: p}}
	cmd := &cobra.Command{
		Use:   "play [GAME]",
		Short: "Play a game against agents, in the terminal or the browser",
		Long: `Play lets you play GAME in the terminal. Type the name of a move, its beginning or its
number; "help", "hint" (what each move is worth), "undo", "state" and "quit" do what they
say. Moves can also come from a pipe. When the game is over the result is printed; if the
input ends before, or you quit, the game is saved, the exit status is 1, and --continue
continues it. Without GAME it serves the page on which people play in the browser.

--against names the opponents, one for each other seat or one for all of them, by level
or as agents ("croupier help reference/agents"):

` + levelsPlace + `

"person:Mum" gives a seat to another person at the same terminal. Where everything is
seen, persons look together and are asked together; else cards are covered between their
turns. With --run, versions of a run like main@8 play too.

--dice sets the outcomes of chance: the listed ones, separated by commas, and then those that you
type, for real dice on your table. BANK! gives people 30 seconds and then
passes for them; --timeout changes that, or sets a limit in another game, in which the
first legal move is then made for you.

Finished games go into a file of yours in --folder; --stats sums it up, --forget deletes
it. "croupier help guide/play" has more.`,
		Example: `  croupier play tysiac --against expert
  croupier play bank --against casual,advanced --name Anna
  croupier play
  croupier play --stats`,
		Args: cobra.MaximumNArgs(1),
	}
	cmd.SetHelpFunc(p.helpWithLevels)
	o.hubFlags.add(cmd)
	o.log.add(cmd.Flags())
	f := cmd.Flags()
	f.IntVar(&o.seat, "seat", 1, "your seat, from 1")
	f.StringSliceVar(&o.against, "against", []string{"expert"},
		"levels, agents or \"person:NAME\" in the other seats; without an expert, the best version of --run or a beginner")
	f.StringVar(&o.advice.rules, "rules", "", "YAML or JSON file with the game's rules")
	f.StringVar(&o.advice.run, "run", noRun, "run directory with versions like main@12, and the rules of the game")
	f.Uint64Var(&o.seed, "seed", 0, "seed of cards and dice (default: another one for each game)")
	f.DurationVar(&o.timeout, "timeout", 0, "time for each of your moves; 0: none (default: the game's)")
	f.StringVar(&o.dice, "dice", "", "what chance does, as in 1,5,3, or 34,25 for two dice; once these are used up you are asked")
	f.StringVar(&o.name, "name", "", "your name (default: You, or Player 1 among several persons)")
	f.StringVar(&o.resume, "continue", "", "file of a saved game to continue")
	addPlayFolder(f, &o.folder, "folder of your own games")
	f.BoolVar(&o.review, "review", false, "at the end, print your accuracy and your most expensive decisions")
	f.BoolVar(&o.stats, "stats", false, "sum up your games instead")
	f.BoolVar(&o.json, "json", false, "print --stats as JSON")
	f.BoolVar(&o.forget, "forget", false, "delete the file with your games instead")
	cmd.MarkFlagsMutuallyExclusive("stats", "forget", "continue")
	group(f, "Game", "against", "seat", "timeout", "dice", "name", "continue", "review")
	group(f, "Your games", "folder", "stats", "forget")
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		o.seedable, o.timed, o.entered = cmd.Flags().Changed("seed"), cmd.Flags().Changed("timeout"),
			cmd.Flags().Changed("dice")
		o.named = cmd.Flags().Changed("against")
		return o.run(cmd, args)
	})
	return cmd
}

// playFolder is where a person's games are kept unless they wish otherwise.
func playFolder() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "croupier-games"
	}
	return filepath.Join(dir, "croupier")
}

// addPlayFolder adds --folder. Help, which is the same on every machine, has the default in words.
func addPlayFolder(f *pflag.FlagSet, folder *string, usage string) {
	f.StringVar(folder, "folder", playFolder(), usage+" (default: croupier in the folder of your configuration)")
	f.Lookup("folder").DefValue = ""
}

// peopleFolder is where the games are kept of those who play on a page.
func peopleFolder() string { return filepath.Join(playFolder(), "people") }

// tablesFolder is where the tables of a page are kept for its next start.
func tablesFolder() string { return filepath.Join(playFolder(), "tables") }

// levelsPlace is where the help of play lists the levels.
const levelsPlace = "  LEVELS"

// helpWithLevels prints the help of play. The levels are found out only then: the networks that come with the program
// are read for them, which takes longer than all else that a command begins with.
func (p program) helpWithLevels(cmd *cobra.Command, args []string) {
	cmd.Long = p.longOf(cmd)
	cmd.Root().HelpFunc()(cmd, args)
}

// longOf returns the explanation of a command, with the levels in that of play.
func (p program) longOf(cmd *cobra.Command) string {
	if !strings.Contains(cmd.Long, levelsPlace) {
		return cmd.Long
	}
	return strings.Replace(cmd.Long, levelsPlace, p.levelHelp(), 1)
}

// levelHelp lists the levels of every game.
func (p program) levelHelp() string {
	var b strings.Builder
	for _, entry := range p.catalog.Games() {
		game, err := entry.New(nil)
		if err != nil {
			continue
		}
		var list []string
		for _, l := range play.Levels(p.agentsOf(game, "")) {
			list = append(list, l.Name+" ("+l.Agent+")")
		}
		fmt.Fprintf(&b, "  %-14s %s\n", entry.Name, strings.Join(list, ", "))
	}
	return strings.TrimRight(b.String(), "\n")
}

func (o *playOptions) diary() play.Diary {
	return play.Diary{Path: filepath.Join(o.folder, "games.jsonl")}
}

// run does what the flags ask for.
func (o *playOptions) run(cmd *cobra.Command, args []string) error {
	switch {
	case o.stats:
		return o.printStats(cmd.OutOrStdout())
	case o.forget:
		return o.diary().Delete()
	case len(args) == 0 && o.resume == "":
		log, err := o.log.logger(cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		return o.serveHub(cmd.Context(), cmd, "/play", log, cmd.OutOrStdout())
	}
	plan, err := o.plan(cmd.Context(), args)
	if err != nil {
		return err
	}
	table, err := play.NewTable(plan, time.Now())
	if err != nil {
		return usage("%w", err)
	}
	if o.known != nil {
		defer printConduct(cmd.ErrOrStderr(), o.known)
		if caution := o.known.Caution(); caution != "" {
			fmt.Fprintf(cmd.OutOrStdout(), "Note: %s.\n\n", caution)
		}
	}
	return o.sit(cmd.Context(), table, cmd.InOrStdin(), cmd.OutOrStdout())
}

// plan turns the flags into a plan.
func (o *playOptions) plan(ctx context.Context, args []string) (play.Plan, error) {
	if o.resume != "" {
		return o.saved(ctx, args)
	}
	game, err := o.advice.game(ctx, args[0])
	if err != nil {
		return play.Plan{}, err
	}
	if len(o.against) > 1 {
		if game, err = play.Fit(o.catalog.Of(game), game, len(o.against)+1); err != nil {
			return play.Plan{}, usage("--against: %w", err)
		}
	}
	seats := game.Spec().Seats
	if o.seat < 1 || o.seat > seats {
		return play.Plan{}, usage("--seat %d: %s has seats 1 to %d", o.seat, game.Spec().Title, seats)
	}
	p := play.Plan{Game: game, Seed: rand.Uint64N(1 << 53), Timeout: o.limit(game), Entered: o.entered, Undo: true}
	if o.seedable {
		p.Seed = o.seed
	}
	o.known = o.agentsOf(game, o.versions())
	if !o.named {
		o.against = []string{o.strongest()}
	}
	others := slices.Repeat(o.against, seats)
	for seat := range seats {
		chair := play.Chair{Kind: play.Person}
		if seat != o.seat-1 {
			if chair, err = opponent(ctx, o.known, others[0]); err != nil {
				return p, fmt.Errorf("--against: %w", err)
			}
			others = others[1:]
		}
		p.Chairs = append(p.Chairs, chair)
	}
	return p, o.call(p.Chairs)
}

// call gives every person at the terminal a name of its own.
func (o *playOptions) call(chairs []play.Chair) error {
	own := &chairs[o.seat-1]
	own.Name = o.name
	persons := 0
	for seat := range chairs {
		if chairs[seat].Kind == play.Person {
			persons++
			chairs[seat].Name = cmp.Or(chairs[seat].Name, fmt.Sprintf("Player %d", seat+1))
		}
	}
	if o.name == "" && persons == 1 {
		own.Name = "You"
	}
	called := map[string]bool{}
	for _, chair := range chairs {
		switch name := chair.Name; {
		case chair.Kind != play.Person:
		case called[name]:
			return usage("two persons are called %s: --name and --against name them", name)
		default:
			called[name] = true
		}
	}
	return nil
}

// strongest is the opponent where none is named: the expert, in a game that has none the best version of the run, and
// else who moves at random.
func (o *playOptions) strongest() string {
	levels := o.known.Levels()
	level := levels[len(levels)-1].Name
	if len(levels) > 1 || o.versions() == "" {
		return level
	}
	if ladder, err := league.ReadLadder(o.versions()); err == nil {
		if best, found := ladder.Best(); found {
			return best.Name
		}
	}
	return level
}

// limit is how long people may think.
func (o *playOptions) limit(game engine.Game) time.Duration {
	if timed, ok := game.(engine.Timed); ok && !o.timed {
		return timed.Patience()
	}
	return max(0, o.timeout)
}

// opponent returns who has the name in --against.
func opponent(ctx context.Context, known *agents.Agents, name string) (play.Chair, error) {
	if name == "person" {
		return play.Chair{Kind: play.Person}, nil
	}
	if own, ok := strings.CutPrefix(name, "person:"); ok {
		called, err := play.PersonName(own)
		if err != nil {
			return play.Chair{}, usage("%s: %w", name, err)
		}
		return play.Chair{Kind: play.Person, Name: called}, nil
	}
	agent, err := play.Find(ctx, known, name)
	return play.Chair{Kind: play.Robot, Agent: agent}, err
}

// versions is the run directory whose versions can play, "" for none.
func (o *playOptions) versions() string {
	if o.advice.run == noRun {
		return ""
	}
	return o.advice.run
}

// saved returns the plan of --continue.
func (o *playOptions) saved(ctx context.Context, args []string) (p play.Plan, err error) {
	if len(args) > 0 {
		return p, usage("--continue continues the game of its file: leave out %s", args[0])
	}
	p, err = o.continued(ctx, o.resume)
	o.entered = p.Entered
	return p, err
}

// continued returns the plan of a saved game.
func (p program) continued(ctx context.Context, file string) (plan play.Plan, err error) {
	document, err := input.ReadText(file, strict.MaxBytes)
	if err != nil {
		return plan, usage("--continue: %w", err)
	}
	s, err := play.ReadSaved(document)
	if err == nil {
		plan, err = s.Plan(ctx, p.catalog, func(game engine.Game) *agents.Agents { return p.agentsFrom(game, s.Run, false) })
	}
	if err != nil {
		return plan, usage("--continue %s: %w", file, err)
	}
	return plan, nil
}

// sit plays at the table to the end, and keeps the game.
func (o *playOptions) sit(ctx context.Context, table *play.Table, in io.Reader, out io.Writer) error {
	terminal := &play.Terminal{
		Table: table, Out: out, Echo: !isTerminalInput(in),
		Hint:   (&counsel{options: &o.advice, game: table.Game()}).hint,
		Screen: isTerminal(out) && os.Getenv("TERM") != "dumb",
	}
	if o.dice != "" {
		terminal.Dice = strings.Split(o.dice, ",")
	}
	err := terminal.Play(ctx, in)
	if errors.Is(err, play.ErrUnfinished) {
		return keep(table, o.folder, o.versions(), "croupier play", "", out)
	}
	if err != nil {
		return err
	}
	accuracy := o.lookBack(ctx, table, out)
	return o.note(table, accuracy)
}

// isTerminalInput reports whether what a person types is seen on the screen.
func isTerminalInput(in io.Reader) bool {
	f, ok := in.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// keep saves a game that is not over in a folder, and says with which command, and which flags after its file, it is
// continued.
func keep(table *play.Table, folder, run, command, flags string, out io.Writer) error {
	document, err := table.Save(run)
	if err != nil {
		return err
	}
	if err := durable.MkdirAll(folder, 0o700); err != nil {
		return unsaved(err)
	}
	name := fmt.Sprintf("%s-%s.json", table.Game().Spec().Name, time.Now().Format("20060102-150405.000"))
	path := filepath.Join(folder, name)
	if err := durable.WriteFile(path, document); err != nil {
		return unsaved(err)
	}
	fmt.Fprintf(out, "\nThe game is saved. Continue with\n  %s --continue %q%s\n", command, path, flags)
	return play.ErrUnfinished
}

func unsaved(err error) error {
	return fmt.Errorf("the game is not saved (--folder names another directory for it): %w", err)
}

// note writes a finished game into the person's file.
func (o *playOptions) note(table *play.Table, accuracy map[int]float64) error {
	entries, err := table.Entries(time.Now())
	if err != nil {
		return err
	}
	for _, e := range entries {
		if a, ok := accuracy[e.Seat]; ok {
			e.Accuracy = &a
		}
		if err := o.diary().Add(e); err != nil {
			return unsaved(err)
		}
	}
	return nil
}
