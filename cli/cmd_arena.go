package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"croupier/agents"
	"croupier/cluster"
	"croupier/engine"
	"croupier/internal/input"
	"croupier/internal/strict"
	"croupier/internal/texttable"
	"croupier/league/rating"
	"croupier/league/tournament"
	"croupier/messages"
	"croupier/settings"
)

// arenaOptions are the flags of croupier arena.
type arenaOptions struct {
	program
	game    string
	games   uint64
	seed    uint64
	run     string
	workers int
	json    bool
	figures bool
	rules   string
	format  formatFlags
	file    string // of agents
	out     string // directory
	csv     string
	svg     string
	broker  brokerFlags
	log     logFlags
	shown   *progress
	// baseline is the agent whose values correct results for chance.
	baseline string
}

// formatFlags say who meets whom.
type formatFlags struct {
	name   string
	rounds int
	first  int
	gain   float64
	error  float64
}

// The names of formats.
const (
	roundRobin = "round-robin"
	gauntlet   = "gauntlet"
	swiss      = "swiss"
	knockOut   = "knock-out"
	duel       = "sprt"
)

// format returns the format of a tournament of that many agents.
func (o *formatFlags) format(spec *engine.Spec, agents int, games uint64) (f tournament.Format, err error) {
	switch o.name {
	case roundRobin:
		f = tournament.RoundRobin{}
	case gauntlet:
		f = tournament.Gauntlet{First: o.first}
	case swiss:
		if o.rounds == 0 {
			o.rounds = tournament.SwissRounds(agents)
		}
		f = tournament.Swiss{Rounds: o.rounds}
	case knockOut:
		f = tournament.KnockOut{}
	case duel:
		f = tournament.Duel{Gain: o.gain, Error: o.error, Most: tournament.SetsFor(spec, games)}
	default:
		return nil, usage("--format %s: there are %s, %s, %s, %s and %s", o.name, roundRobin, gauntlet, swiss, knockOut, duel)
	}
	if err := f.Check(agents); err != nil {
		return nil, usage("--format %s: %w", o.name, err)
	}
	return f, nil
}

// flagsOfFormats are the flags that one format alone has.
var flagsOfFormats = map[string]string{"rounds": swiss, "first": gauntlet, "gain": duel, "error": duel}

// check refuses flags of other formats: they would have no effect.
func (o *formatFlags) check(given func(flag string) bool) error {
	for _, flag := range slices.Sorted(maps.Keys(flagsOfFormats)) {
		if format := flagsOfFormats[flag]; given(flag) && o.name != format {
			return usage("--%s goes with --format %s, not with %s", flag, format, o.name)
		}
	}
	return nil
}

func newArenaCommand(p program) *cobra.Command {
	o := arenaOptions{program: p}
	cmd := &cobra.Command{
		Use:   "arena AGENT AGENT...",
		Short: "Play a tournament between any agents",
		Long: `Arena lets agents play, rates them and prints the ladder. Each deal is played in all
seat assignments, so that luck evens out; with more than two seats, each agent of a pair
in turn sits alone among copies of the other. --games is the number of games for each
meeting of a pair and each such lineup, rounded up to whole deals. Ratings are those of
croupier ladder, with the same 0: the game's strongest bot, or, where it takes no part,
the mean of the agents.

--format says who meets whom:
  round-robin  every pair (the default)
  gauntlet     the first agent (or the first --first) all others
  swiss        in each round a new opponent with as many points
  knock-out    the loser of a match is out; name the agents in their expected order
  sprt         two agents, until a sequential test says whether the first is better than
               the second; --games is then the most games of a lineup, and below 30 sets
               nothing passes

--nats URL has the matches played by the actors of the run that --run names, while it
trains on: on the broker they have queues of their own, and the run's league ignores them. Agents
are then those that every actor can have: bots, solutions and versions of
the run, not files, programs or servers. Results are checked, and a share of the deals is
played again here. --out works as before.

--out DIR keeps the tournament: the same call continues it after an interruption, and
croupier web shows its ladder and its games.

--baseline AGENT adds what each got of each other with chance taken out, as far as the
agent's values explain it (AIVAT): every throw and deal, and every draw of an agent that
mixes, counts as what it was worth on average. The mean is the same, the interval
smaller. Ratings are of the plain results.

Agents are: random; a bot of the game, like "threshold(100)"; all, which means every
bot of the game's ladders that is not named; a level of the game, like expert (croupier
play --help lists them); trained, the network that comes with the program; solver:NAME
where the game has an exact answer; main@12, a frozen version from --run; file:PATH, an
exported network; greedy:main@12, a network that takes its likeliest action, where
main@12 draws one with the probabilities it was trained to (temperature(0.5):main@12 is
between the two); search:main@12 or search:file:PATH, a network that looks ahead;
exec:COMMAND and http://HOST/PATH, programs and servers of your own. See "croupier help reference/agents".

Below the ladder is the mean time per move of each agent except plain networks, which
answer many games at once. Other programs on the machine lengthen it. The JSON leaves
it out: the same call always gives the same JSON.`,
		Example: `  croupier arena main@12 "threshold(100)" random --game bank --games 3000 --run runs/evening
  croupier arena main@12 expert all --game bank --run runs/evening
  croupier arena file:pig.safetensors solver:optimal --game pig --games 10000 --json
  croupier arena --agents agents.txt --game pig --format swiss --out runs/cup
  croupier arena main@40 main@30 --run runs/evening --format sprt --gain 0.05 --games 200000
  croupier arena main@40 main@30 random --run runs/evening --nats nats://broker:4222 --out runs/cup`,
		Args: cobra.ArbitraryArgs,
	}
	cmd.AddCommand(newArenaCheckCommand(p), newArenaExploitCommand(p))
	f := cmd.Flags()
	f.StringVar(&o.game, "game", "", "the game (default: that of --run)")
	f.StringVar(&o.rules, "rules", "",
		"YAML or JSON file with the game's rules (default: those of --run, else the game's)")
	f.Uint64Var(&o.games, "games", 1000, "games for each pair")
	f.Uint64Var(&o.seed, "seed", 1, "seed of all deals")
	f.StringVar(&o.run, "run", "", "run directory with versions like main@12")
	f.IntVar(&o.workers, "workers", 0, "matches played in parallel (default: one for each core; with --nats 64)")
	f.StringVar(&o.format.name, "format", roundRobin, "who meets whom: round-robin, gauntlet, swiss, knock-out or sprt")
	f.IntVar(&o.format.rounds, "rounds", 0, "rounds of --format swiss (default: enough to find the best)")
	f.IntVar(&o.format.first, "first", 1, "agents of --format gauntlet that meet all others")
	f.Float64Var(&o.format.gain, "gain", 0.05,
		"what better means for --format sprt, in standard deviations of a set (0.05: about 12 Elo for two seats)")
	f.Float64Var(&o.format.error, "error", 0.05, "probability of either wrong verdict of --format sprt")
	f.StringVar(&o.file, "agents", "", "file with further agents, one on each line; # begins a comment")
	f.StringVar(&o.out, "out", "", "directory in which the tournament is kept")
	f.StringVar(&o.csv, "csv", "", "CSV file for the result of each pair")
	f.StringVar(&o.svg, "svg", "", "SVG file for the result of each pair")
	f.StringVar(&o.baseline, "baseline", "",
		"solver or bot whose values correct results for chance, in games for two: solver:optimal")
	f.BoolVar(&o.json, "json", false, "print the ladder as JSON")
	f.BoolVar(&o.figures, "figures", false, "also print the game's own figures")
	group(f, "Matches", "agents", "games", "format", "rounds", "first", "gain", "error", "baseline", "workers")
	o.broker.addReach(f)
	o.log.add(f)
	cmd.RunE = action(func(cmd *cobra.Command, names []string) error {
		if err := o.format.check(cmd.Flags().Changed); err != nil {
			return err
		}
		return arena(cmd.Context(), o, names, cmd.OutOrStdout(), cmd.ErrOrStderr())
	})
	return cmd
}

func arena(ctx context.Context, o arenaOptions, names []string, out, warnings io.Writer) error {
	if o.games < 1 || o.workers < 0 {
		return usage("--games and --workers must be at least 1")
	}
	if err := o.broker.check(); err != nil {
		return err
	}
	names, err := o.named(names)
	if err != nil {
		return err
	}
	if o.baseline != "" && (o.out != "" || o.broker.URL != "") {
		return usage("--baseline goes without --out and --nats: it needs all games to be played by this call")
	}
	o.shown = newProgress(warnings, "playing matches", o.log.quiet || o.log.json)
	defer o.shown.end()
	if o.broker.URL != "" {
		return o.contest(ctx, names, out, warnings)
	}
	config, err := o.config(ctx)
	if err != nil {
		return err
	}
	game, err := config.NewGame()
	if err != nil {
		return usage("%w", err)
	}
	return o.play(ctx, hall{config: config, game: game, agents: o.agentsOf(game, o.run), workers: runtime.GOMAXPROCS(0)},
		names, out, warnings)
}

// hall is where a tournament takes place.
type hall struct {
	config    *settings.Config
	game      engine.Game
	agents    *agents.Agents
	workers   int // unless --workers says otherwise
	elsewhere func(context.Context, *messages.Match) (*messages.Result, []*messages.Kept, error)
}

// contestWorkers is how many matches a cluster is given at a time: enough for dozens of cores, few enough that none
// waits for long.
const contestWorkers = 64

// contest plays the tournament on the actors of a run.
func (o *arenaOptions) contest(ctx context.Context, names []string, out, warnings io.Writer) error {
	switch {
	case o.run == "":
		return usage("--nats: name the run whose actors are to play with --run")
	case o.rules != "":
		return usage("--rules: the actors of a run play by its rules")
	}
	for _, name := range names {
		if err := agents.CheckShared(name); err != nil {
			return usage("%w", err)
		}
	}
	log, err := o.log.logger(o.shown.screen.logs(warnings))
	if err != nil {
		return err
	}
	p := cluster.Process{Catalog: o.catalog, Dir: o.run, Broker: o.broker.Broker, Log: log}
	return p.Hold(ctx, o.seed, func(ctx context.Context, c *cluster.Contest) error {
		if o.game != "" && o.game != c.Config.Game {
			return usage("--game %s: the run %s is of %s", o.game, o.run, c.Config.Game)
		}
		h := hall{config: c.Config, game: c.Game, agents: c.Agents, workers: contestWorkers, elsewhere: c.Play}
		return o.play(ctx, h, names, out, warnings)
	})
}

// play plays the tournament and prints the ladder.
func (o *arenaOptions) play(ctx context.Context, h hall, names []string, out, warnings io.Writer) error {
	if names = h.agents.Expand(names); len(names) < 2 {
		return usage("name at least two agents: %q means no other one", agents.All)
	}
	if err := checkDistinct(names); err != nil {
		return err
	}
	format, err := o.format.format(h.game.Spec(), len(names), o.games)
	if err != nil {
		return err
	}
	tournament := agents.Tournament{
		Game: h.game, Format: format, Games: o.games, Seed: o.seed, Workers: cmp.Or(o.workers, h.workers),
		Elsewhere: h.elsewhere,
		Baseline:  o.baseline,
		Progress:  o.shown.of,
	}
	if o.out != "" {
		h.config.Seed = o.seed
		document, err := h.config.Encode()
		if err != nil {
			return err
		}
		tournament.Directory = &agents.Directory{
			Path: o.out, Config: document, Version: cluster.Version(), ArchiveBytes: h.config.Archive.MaxBytes,
		}
	}
	ladder, thoughts, err := tournament.Play(ctx, h.agents, names)
	o.shown.end()
	if err != nil {
		return err
	}
	printConduct(warnings, h.agents)
	ladder = ladder.InCoin(h.game.Spec())
	if err := o.draw(ladder); err != nil {
		return err
	}
	if o.json {
		return json.NewEncoder(out).Encode(ladder)
	}
	if err := rating.Render(out, ladder, rating.Style{Width: widthOf(out), Figures: o.figures}); err != nil {
		return err
	}
	if h.elsewhere != nil {
		return nil
	}
	return printThoughts(out, thoughts)
}

// named adds the agents of the file to those that were named.
func (o *arenaOptions) named(names []string) ([]string, error) {
	if o.file != "" {
		text, err := input.ReadText(o.file, strict.MaxBytes)
		if err != nil {
			return nil, usage("--agents: %w", err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			name, _, _ := strings.Cut(line, "#")
			name = strings.TrimSpace(name)
			if strings.ContainsFunc(name, func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }) {
				return nil, usage("--agents: %s: line %d: invalid name of an agent %.40q", o.file, i+1, name)
			}
			if name != "" {
				names = append(names, name)
			}
		}
		if len(names) < 2 && !slices.Contains(names, agents.All) {
			return nil, usage("name at least two agents: with those in %s there are %d", o.file, len(names))
		}
	}
	if len(names) < 2 && !slices.Contains(names, agents.All) {
		return nil, usage("name at least two agents")
	}
	return names, checkDistinct(names)
}

// draw writes the files of --csv and --svg.
func (o *arenaOptions) draw(ladder *messages.Ladder) error {
	if o.csv != "" {
		err := writeOutput(o.csv, nil, func(w io.Writer) error { return rating.WriteCSV(w, ladder) })
		if err != nil {
			return err
		}
	}
	if o.svg == "" {
		return nil
	}
	return writeOutput(o.svg, nil, func(w io.Writer) error { return rating.Picture(ladder).WriteSVG(w) })
}

// checkDistinct requires that no agent is named twice.
func checkDistinct(names []string) error {
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] {
			return usage("agent %s is named twice", name)
		}
		seen[name] = true
	}
	return nil
}

// printConduct reports which agents outside this program did not decide for themselves.
func printConduct(out io.Writer, known *agents.Agents) {
	for _, line := range known.Conduct() {
		fmt.Fprintf(out, "croupier: %s\n", line)
	}
}

// printThoughts prints the mean times, if there are any.
func printThoughts(out io.Writer, thoughts []agents.Thought) error {
	if len(thoughts) == 0 {
		return nil
	}
	t := texttable.New(1, 2)
	t.AppendHeader(table.Row{"agent", "moves", "ms a move"})
	for _, a := range thoughts {
		milliseconds := float64(a.Time.Nanoseconds()) / 1e6 / float64(max(a.Moves, 1))
		t.AppendRow(table.Row{a.Agent, a.Moves, fmt.Sprintf("%.4f", milliseconds)})
	}
	_, err := fmt.Fprintf(out, "\nTime to think, except networks\n%s\n", t.Render())
	return err
}

// config finds game and rules: those of the flags, else those of the run.
func (o *arenaOptions) config(ctx context.Context) (*settings.Config, error) {
	changes := settings.Changes{Rules: o.rules}
	switch {
	case o.run == "" && o.game == "":
		return nil, usage("name the game with --game, or a run with --run")
	case o.run == "":
		return o.configured(ctx, o.game, changes)
	}
	c, err := settings.Read(o.catalog, o.run)
	if err != nil {
		return nil, err
	}
	if o.game != "" && o.game != c.Game {
		return nil, usage("--game %s: the run %s is of %s", o.game, o.run, c.Game)
	}
	if err := changes.Apply(ctx, c); err != nil {
		return nil, usage("%w", err)
	}
	return c, nil
}
