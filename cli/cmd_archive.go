package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"croupier/advice"
	"croupier/agents"
	"croupier/archive"
	"croupier/engine"
	"croupier/engine/history"
	"croupier/internal/platform"
	"croupier/internal/plural"
	"croupier/internal/rundir"
	"croupier/internal/spare"
	"croupier/messages"
	"croupier/settings"
)

func newArchiveCommand(p program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "archive",
		Short: "Find games that were played in a run",
		Long: `Archive finds and shows games that were kept in a run: games of the arena and a sample
of the training games, during the run and afterwards. How many are kept, and
which are thrown away first when the archive is full, is up to the settings archive.*`,
		Example: `  croupier archive list --agent main@8 --result lost --sort longest
  croupier archive show a1.17
  croupier archive export --agent main@8 --limit 100 --out games.jsonl`,
		Args: subcommandOnly,
	}
	cmd.AddCommand(newArchiveListCommand(p), newArchiveShowCommand(p), newArchiveExportCommand(p),
		newArchiveReviewCommand(p),
		newArchiveDatasetCommand(p))
	cmd.RunE = func(*cobra.Command, []string) error {
		return usage("archive needs to know what to do; there are %s", strings.Join(commandNames(cmd), ", "))
	}
	return cmd
}

// archiveOptions are the flags that say which games are meant.
type archiveOptions struct {
	program
	run   string
	query archive.Query
	// unjudged, unless 0, leaves out games that were judged, and is how many of those that fit are at most.
	unjudged int
	idle     bool
}

// register adds the flags; most is the default of --limit.
func (o *archiveOptions) register(cmd *cobra.Command, most int) {
	f := cmd.Flags()
	o.registerRun(cmd)
	registerFilter(cmd, &o.query)
	f.StringVar(&o.query.Sort, "sort", archive.Newest,
		"newest, longest, or worst: the most expensive mistake first, of games that were reviewed")
	f.IntVar(&o.query.Limit, "limit", most, "maximum number of games; 0: no limit")
}

// registerFilter adds the flags that say which games of an archive are meant.
func registerFilter(cmd *cobra.Command, q *archive.Query) {
	f := cmd.Flags()
	f.StringVar(&q.Agent, "agent", "", "games in which this agent took part, like main@8")
	f.StringVar(&q.Against, "against", "", "games in which this other agent took part, too")
	f.StringVar(&q.Result, "result", "", "games that the agent won, drew or lost")
	f.StringVar(&q.Purpose, "purpose", "", "games of the arena, or training games: arena, training")
	f.StringVar(&q.Match, "match", "", "games of this match of the arena")
	f.IntVar(&q.Longer, "longer", 0, "games of at least N steps, chance included")
	f.IntVar(&q.Shorter, "shorter", 0, "games of at most N steps")
}

func (o *archiveOptions) registerRun(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.run, "run", "", "run directory (default: the newest below runs)")
}

// open returns the archive of the run that is meant, whose directory o.run is from then on.
func (o *archiveOptions) open() (*archive.Reader, error) {
	if err := o.query.Validate(); err != nil {
		return nil, usage("%w", err)
	}
	dir, err := givenOrNewest(o.run)
	o.run = dir
	return archive.Read(dir), err
}

// find looks for the games that the flags mean. An agent that neither the archive nor the game has is a wrong call; of
// a game that is not known here any name is looked for.
func (o *archiveOptions) find(ctx context.Context, kept *archive.Reader) (*archive.Found, error) {
	config, err := settings.Read(o.catalog, o.run)
	if unknown := (*settings.UnknownGameError)(nil); errors.As(err, &unknown) {
		return kept.Find(ctx, o.query)
	}
	if err != nil {
		return nil, err
	}
	game, err := config.NewGame()
	if err != nil {
		return nil, err
	}
	known := agents.New(game, agents.Sources{Catalog: o.catalog, Frozen: agents.FromRun(o.run)})
	o.query.Agent, o.query.Against = known.Resolve(o.query.Agent), known.Resolve(o.query.Against)
	found, err := kept.Find(ctx, o.query)
	if err != nil {
		return nil, err
	}
	for _, flag := range [][2]string{{"agent", o.query.Agent}, {"against", o.query.Against}} {
		name := flag[1]
		if name == "" || strings.Contains(name, ":") || slices.Contains(found.Agents, name) {
			continue // names with a colon are those of solutions, files and programs
		}
		var unnamed *agents.NameError
		if _, err := known.Player(ctx, name); errors.As(err, &unnamed) {
			return nil, usage("--%s: no game of the archive has it: %w", flag[0], err)
		}
	}
	return found, nil
}

func newArchiveListCommand(p program) *cobra.Command {
	o := archiveOptions{program: p}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List games that were kept, by agent, result, length or mistakes",
		Long: `List finds games in the archive of a run, the newest first unless --sort says otherwise,
and says how many there are. The first column is what show and export call a game.`,
		Example: `  croupier archive list
  croupier archive list --agent main@8 --against random --result lost
  croupier archive list --purpose arena --longer 200 --sort longest --json`,
		Args: cobra.NoArgs,
	}
	o.register(cmd, 20)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was found as JSON")
	cmd.RunE = action(func(cmd *cobra.Command, _ []string) error {
		return listArchive(cmd.Context(), &o, asJSON, cmd.OutOrStdout())
	})
	return cmd
}

func listArchive(ctx context.Context, o *archiveOptions, asJSON bool, out io.Writer) error {
	kept, err := o.open()
	if err != nil {
		return err
	}
	found, err := o.find(ctx, kept)
	if err != nil {
		return err
	}
	used, err := kept.Usage()
	if err != nil {
		return err
	}
	spec, limit, err := o.described()
	if err != nil {
		return err
	}
	if asJSON { // it has the total
		return json.NewEncoder(out).Encode(found.Listing(used, limit))
	}
	if err := found.Render(out, spec); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "The archive of %s has %.1f of at most %.1f MiB\n", o.run,
		float64(used.Bytes)/(1<<20), float64(limit)/(1<<20))
	return err
}

// described returns what a list says of the run's game, and how large its archive may be. A game that is not known here
// gives its returns as they are kept.
func (o *archiveOptions) described() (spec *engine.Spec, limit int64, err error) {
	config, err := settings.Read(o.catalog, o.run)
	if unknown := (*settings.UnknownGameError)(nil); errors.As(err, &unknown) {
		saved, err := rundir.ReadConfig(o.run)
		return &engine.Spec{Unit: "in the game's unit"}, settings.ArchiveLimit(saved.Text), err
	}
	if err != nil {
		return nil, 0, err
	}
	game, err := config.NewGame()
	if err != nil {
		return nil, 0, err
	}
	return game.Spec(), config.Archive.MaxBytes, nil
}

func newArchiveShowCommand(p program) *cobra.Command {
	o := archiveOptions{program: p}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show GAME",
		Short: "Show one game that was kept, step by step",
		Long: `Show prints a game of the archive: who played it, what happened, and how it ended. GAME
is its name in the list. With --json it prints all that is known of it, with its history
as the line that replay and advise review read.`,
		Example: `  croupier archive show a1.17
  croupier archive show a1.17 --json`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	o.registerRun(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the game as JSON")
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		game, err := o.game(args[0])
		if err != nil {
			return err
		}
		if !asJSON {
			return game.Render(p.catalog, cmd.OutOrStdout())
		}
		opened, err := game.Opened(p.catalog)
		if err != nil {
			return err
		}
		return json.NewEncoder(cmd.OutOrStdout()).Encode(opened)
	})
	return cmd
}

// game reads the game with that ID.
func (o *archiveOptions) game(text string) (*archive.Game, error) {
	id, err := archive.ParseID(text)
	if err != nil {
		return nil, usage("%w", err)
	}
	kept, err := o.open()
	if err != nil {
		return nil, err
	}
	return kept.Game(id)
}

func newArchiveExportCommand(p program) *cobra.Command {
	o := archiveOptions{program: p}
	var out string
	cmd := &cobra.Command{
		Use:   "export [GAME]...",
		Short: "Write games that were kept as histories",
		Long: `Export writes games of the archive as histories, one JSON object a line, as simulate
does: replay and advise review read them. Without names of games it writes all that the flags
find, in the order of list, and says on standard error how many --limit leaves out.`,
		Example: `  croupier archive export a1.17 | croupier advise review -
  croupier archive export --agent main@8 --result lost --limit 100 --out lost.jsonl`,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	o.register(cmd, 0)
	cmd.Flags().StringVar(&out, "out", "-", `file to write, "-" for standard output`)
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		games, err := o.games(cmd.Context(), args, cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		return writeOutput(out, cmd.OutOrStdout(), func(w io.Writer) error { return p.writeHistories(w, games) })
	})
	return cmd
}

// writeHistories writes games as lines.
func (p program) writeHistories(w io.Writer, games iter.Seq2[*archive.Game, error]) error {
	for g, err := range games {
		if err != nil {
			return err
		}
		_, rec, err := g.Record(p.catalog)
		if err == nil {
			_, err = w.Write(history.Append(nil, rec))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// games yields the games with these IDs, or without any those that the flags find. Of these, one that has just been
// thrown away is left out. It says on warnings that --limit leaves out others.
func (o *archiveOptions) games(ctx context.Context, names []string,
	warnings io.Writer) (iter.Seq2[*archive.Game, error], error) {
	kept, err := o.open()
	if err != nil {
		return nil, err
	}
	ids, err := parseIDs(names)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		found, err := o.find(ctx, kept)
		if err == nil && o.unjudged > 0 {
			found, err = o.notJudged(ctx, kept, found.Total)
		}
		if err != nil {
			return nil, err
		}
		if len(found.Games) < found.Total && o.unjudged == 0 {
			fmt.Fprintf(warnings, "croupier: %d of %s; --limit 0 takes all\n", len(found.Games),
				plural.Of(found.Total, "game that fits", "games that fit"))
		}
		for _, s := range found.Games {
			ids = append(ids, s.ID)
		}
	}
	return func(yield func(*archive.Game, error) bool) {
		games := kept.Games()
		for _, id := range ids {
			err := ctx.Err()
			var g *archive.Game
			if err == nil {
				g, err = games.Game(id)
			}
			if len(names) == 0 && errors.Is(err, archive.ErrNoGame) {
				continue
			}
			if !yield(g, err) || err != nil {
				return
			}
		}
	}, nil
}

// notJudged leaves out games that were judged, and all once enough of those that fit were.
func (o *archiveOptions) notJudged(ctx context.Context, kept *archive.Reader, all int) (*archive.Found, error) {
	q := o.query
	q.Unjudged = true
	found, err := kept.Find(ctx, q)
	if err != nil {
		return nil, err
	}
	left := max(0, o.unjudged-(all-found.Total))
	found.Games = found.Games[:min(len(found.Games), left)]
	return found, nil
}

// parseIDs reads names of games.
func parseIDs(names []string) (ids []archive.ID, err error) {
	for _, name := range names {
		id, err := archive.ParseID(name)
		if err != nil {
			return nil, usage("%w", err)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func newArchiveReviewCommand(p program) *cobra.Command {
	o := archiveOptions{program: p}
	judge := adviceOptions{program: p, seed: 1}
	cmd := &cobra.Command{
		Use:   "review [GAME]...",
		Short: "Find the most expensive mistake of games that were kept",
		Long: `Review judges games of the archive as croupier advise review does, and stores the most expensive
decision of each next to it: list --sort worst and the page Games show them. Without names
of games it judges those that the flags find. --judge names the judge, by default the strongest agent.`,
		Example: `  croupier archive review --agent main@8 --limit 50
  croupier archive list --sort worst`,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	o.register(cmd, 20)
	cmd.Flags().StringVar(&judge.agent, "judge", "", "agent that judges (default: the strongest one for the game)")
	cmd.Flags().IntVar(&judge.samples, "samples", 0,
		"games to play out after each action, where the judge does not know what actions are worth")
	cmd.Flags().IntVar(&o.unjudged, "unjudged", 0,
		"only games that were not judged yet, until N games that fit were; 0: all that fit")
	cmd.Flags().BoolVar(&o.idle, "idle", false,
		"work at the lowest priority on one core, and while the run trains only when a core is idle")
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		if o.unjudged < 0 {
			return usage("--unjudged %d: it must not be negative", o.unjudged)
		}
		work := func(games iter.Seq2[*archive.Game, error], wait func(ctx context.Context) error) error {
			judge.run = o.run
			return reviewArchive(cmd.Context(), o.run, games, &judge, wait, cmd.OutOrStdout())
		}
		if o.idle {
			return o.whileIdle(cmd, args, work)
		}
		games, err := o.games(cmd.Context(), args, cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		return work(games, func(context.Context) error { return nil })
	})
	return cmd
}

// whileIdle finds and judges games at the lowest priority, and while the run trains only when a core is idle.
func (o *archiveOptions) whileIdle(cmd *cobra.Command, names []string,
	judge func(games iter.Seq2[*archive.Game, error], wait func(ctx context.Context) error) error) error {
	if err := spare.Begin(); err != nil {
		return err
	}
	if _, err := o.open(); err != nil {
		return err
	}
	lock, err := archive.Judge(o.run)
	if err != nil {
		return err
	}
	defer lock.Close()
	gate := spare.NewGate(func() bool { return rundir.Trains(o.run, messages.LearnerRole) })
	if err := gate.Wait(cmd.Context()); err != nil {
		return err
	}
	games, err := o.games(cmd.Context(), names, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	return judge(games, gate.Wait)
}

// reviewArchive reviews games and stores what it finds, also when it ends early. It calls wait before each decision.
func reviewArchive(ctx context.Context, run string, games iter.Seq2[*archive.Game, error], judge *adviceOptions,
	wait func(ctx context.Context) error, out io.Writer) error {
	limits, err := judge.limits(advice.ReviewOptions())
	if err != nil {
		return err
	}
	agents := map[string]advice.Agent{} // by game and rules, of a curriculum there are several
	begin := func(game engine.Game) (*advice.Reviewer, error) {
		key := fmt.Sprintf("%x", engine.RulesHash(game))
		agent, known := agents[key]
		if !known {
			var err error
			if agent, err = judge.choose(ctx, game); err != nil {
				return nil, err
			}
			agents[key] = agent
		}
		reviewer := advice.NewReviewer(game, agent, limits)
		reviewer.Wait = wait
		return reviewer, nil
	}
	for g, err := range games {
		if err != nil {
			return err
		}
		costs, err := advice.Costs(ctx, judge.catalog, g, begin)
		if err == nil {
			err = archive.AddReviews(run, map[archive.ID]archive.Review{g.ID: costs})
		}
		if err == nil {
			_, err = fmt.Fprintf(out, "%v  %v\n", g.ID, &costs)
		}
		if err != nil && !platform.IsReaderGone(err) {
			return err
		}
	}
	return nil
}
