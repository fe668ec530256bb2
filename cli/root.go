// Package cli is the command line of croupier, for the games of a catalog.
//
// There is one file for each subcommand (cmd_NAME.go); only this package reads flags, handles signals and decides exit
// statuses: 0 done, 1 the work failed, 2 the command was called wrongly. The commands below solve that are about one
// game come from the game ([catalog.Exact]).
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"croupier/agents"
	"croupier/catalog"
	"croupier/cluster"
	"croupier/engine"
	"croupier/internal/platform"
	"croupier/internal/suggest"
	"croupier/internal/supervise"
	"croupier/internal/visible"
)

// Main runs the command line of a program with these games on the standard streams, until it is done or the process is
// asked to end, and returns the exit status. It belongs at the beginning of main: the processes that the program starts
// of itself begin there as well.
func Main(games *catalog.Catalog, args []string) int {
	supervise.Main()
	ctx := untilSignal(context.Background())
	platform.SurviveFileLimit()
	keepSolutions()
	keepCode()
	return Run(ctx, games, args, os.Stdin, os.Stdout, os.Stderr)
}

// Run runs a command line of a program with these games until it is done or ctx ends, and returns the exit status.
func Run(ctx context.Context, games *catalog.Catalog, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return program{games}.run(ctx, args, stdin, stdout, stderr)
}

// run executes the command line and returns the exit status.
func (p program) run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p = p.withAdded(func(err error) { fmt.Fprintf(stderr, "croupier: left out: %s\n", visible.Text(err.Error())) })
	p, args, wrong := p.withFiles(args)
	root := newRootCommand(p)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(escaped(stdout))
	root.SetErr(visible.Writer{Writer: stderr})
	ctx, end := context.WithCancel(ctx)
	defer end() // of the programs that were asked
	cmd, err := root, cmp.Or(wrong, moved(args), helpless(root, args))
	if err == nil {
		cmd, err = root.ExecuteContextC(ctx)
	}
	if err == nil {
		return 0
	}
	fmt.Fprintf(stderr, "croupier: %s\n", visible.Text(strings.ReplaceAll(aboutFlags(err.Error()), "\n", "; ")))
	var (
		failed  *failure
		misused *usageError
	)
	switch {
	case errors.As(err, &failed):
		return 1
	case !errors.As(err, &misused): // what cobra itself finds wrong
		fmt.Fprintf(stderr, "Run \"%s --help\" for its usage.\n", cmd.CommandPath())
	}
	return 2
}

func newRootCommand(p program) *cobra.Command {
	root := &cobra.Command{
		Use:   "croupier",
		Short: "Train game-playing agents by distributed self-play",
		Long: `Croupier trains game-playing agents by distributed self-play: actors play, a learner
trains, a league rates, and a web page shows it. It also plays tournaments, solves games
exactly and recommends actions.`,
		Example: `  croupier train bank
  croupier games
  croupier help topics`,
		Args:          subcommandOnly,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		Version:       cluster.ThisBuild().String(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetHelpTemplate(helpTemplate)
	root.SetUsageTemplate(usageTemplate)
	root.SetVersionTemplate("croupier {{.Version}}\n")
	root.SetFlagErrorFunc(explainFlag)
	addGroup(root, "Start:", newTrainCommand(p), newGamesCommand(p), newConfigCommand(p), newRunsCommand(p),
		newStatusCommand(p),
		newWebCommand(p))
	addGroup(root, "Evaluate:", newLadderCommand(p), newArenaCommand(p), newSolveCommand(p), newSweepCommand(p),
		newBenchCommand(p))
	addGroup(root, "Play and ask:", newPlayCommand(p), newDrillCommand(p), newCompanionCommand(p),
		newAdviseCommand(p), newReplayCommand(p), newServeCommand(p))
	addGroup(root, "Data:", newSimulateCommand(p), newArchiveCommand(p), newCurvesCommand(p),
		newExportCommand(p))
	addGroup(root, "Operate:", newBrokerCommand(), newLearnerCommand(p), newActorCommand(p), newLeagueCommand(p),
		newContributeCommand(p), newCompletionCommand())
	outliveReaders(root)
	explainArguments(root)
	addFileChecks(root)
	p.explainHelp(root)
	root.SetHelpCommandGroupID("Start:")
	p.addCompletions(root)
	return root
}

// saving are the commands that save what they have done, or serve others: they do not end because no program reads what
// they print. Others, as simulate, are read to where the reader likes (head), and end with it.
var saving = []string{"train", "sweep", "sweep run", "arena", "arena exploit", "advise compare", "broker", "learner",
	"actor", "league",
	"contribute", "web", "web passwd", "serve", "play", "companion"}

// outliveReaders has the commands below cmd that save continue when the reader of their output has gone.
func outliveReaders(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		outliveReaders(c)
		if do := c.RunE; do != nil && slices.Contains(saving, pathOf(c)) {
			c.RunE = func(cmd *cobra.Command, args []string) error {
				platform.SurviveReaders()
				return do(cmd, args)
			}
		}
	}
}

// pathOf returns the names by which a command is called: "archive list".
func pathOf(cmd *cobra.Command) string {
	_, path, _ := strings.Cut(cmd.CommandPath(), " ")
	return path
}

// explainArguments makes all commands below cmd answer a wrong number of arguments with what they
// take. What is no subcommand of a command without arguments is unknown.
func explainArguments(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		explainArguments(c)
		check := c.Args
		_, wanted, _ := strings.Cut(c.Use, " ")
		if c.HasSubCommands() && (wanted == "" || check == nil) {
			check = subcommandOnly
		}
		if check == nil {
			continue // it takes any
		}
		if wanted == "" {
			wanted = "no arguments"
		}
		c.Args = func(cmd *cobra.Command, args []string) error {
			var unknown *unknownCommand
			err := check(cmd, args)
			if err == nil || errors.As(err, &unknown) {
				return err
			}
			given := "nothing is given"
			if len(args) > 0 {
				given = "given: " + strings.Join(args, " ")
			}
			return fmt.Errorf("%s takes %s%s; %s", pathOf(cmd), wanted, orNames(cmd), given)
		}
	}
}

// orNames names the subcommands that a command has besides what it does itself.
func orNames(cmd *cobra.Command) string {
	if names := commandNames(cmd); len(names) > 0 {
		return ", or one of " + strings.Join(names, ", ")
	}
	return ""
}

// unknownCommand is the error of a name that is none of the subcommands.
type unknownCommand struct{ name, hint string }

func (u *unknownCommand) Error() string { return fmt.Sprintf("unknown command %q%s", u.name, u.hint) }

// subcommandOnly refuses the arguments of a command that has subcommands: they name none of them.
func subcommandOnly(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return &unknownCommand{args[0], suggest.Hint(args[0], commandNames(cmd))}
}

// helpless returns the error of a call for help with what is no command; cobra would explain the command before it.
func helpless(root *cobra.Command, args []string) error {
	cmd, rest, err := root.Find(args)
	asked := slices.Contains(rest, "--help") || slices.Contains(rest, "-h")
	if err != nil || !asked || !cmd.HasSubCommands() || strings.HasPrefix(rest[0], "-") {
		return nil // cobra finds out
	}
	return cmd.ValidateArgs(rest[:1])
}

// commandNames returns the names of a command's subcommands.
func commandNames(cmd *cobra.Command) (names []string) {
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return names
}

// kinds say what values of a flag look like, by the type of the flag.
var kinds = map[string]string{
	"bool":     "true or false",
	"duration": "a time with its unit, like 30s, 10m or 1h30m",
	"float64":  "a number",
	"int":      "a whole number",
	"int64":    "a whole number",
	"uint":     "a whole number from 0 on",
	"uint64":   "a whole number from 0 on",
}

// explainFlag puts what is wrong with a flag into words, and says which one was probably meant by an unknown one.
func explainFlag(cmd *cobra.Command, err error) error {
	var (
		unknown *pflag.NotExistError
		invalid *pflag.InvalidValueError
		missing *pflag.ValueRequiredError
	)
	switch {
	case errors.As(err, &invalid):
		f := invalid.GetFlag()
		if kind, ok := kinds[f.Value.Type()]; ok {
			return fmt.Errorf("--%s %s: it must be %s", f.Name, invalid.GetValue(), kind)
		}
		return fmt.Errorf("--%s %s: %w", f.Name, invalid.GetValue(), invalid.Unwrap())
	case errors.As(err, &missing):
		return fmt.Errorf("--%s: its value is missing", missing.GetFlag().Name)
	case !errors.As(err, &unknown):
		return err
	}
	if setting := usualName(cmd, unknown.GetSpecifiedName()); setting != "" {
		return fmt.Errorf("%w (did you mean %s?)", err, setting)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return fmt.Errorf("%w%s", err, suggest.Hint("--"+unknown.GetSpecifiedName(), names))
}

// addGroup adds commands that the help lists together under the title.
func addGroup(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, c := range commands {
		c.GroupID = title
		root.AddCommand(c)
	}
}

// failure is an error in the work itself, as opposed to a wrong call.
type failure struct{ err error }

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// action turns a function into a command's RunE. Its errors become failures, except for
// those made by usage, invalid requests and names that stand for no agent, which stay wrong calls,
// like the errors that cobra itself finds (unknown flags, wrong number of arguments). A call that was stopped was
// not wrong, and neither was one that names a file which cannot be read, whichever flag or argument named it.
func action(do func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		err := work(do, cmd, args)
		var (
			wrong   *usageError
			invalid *cluster.Invalid
			unnamed *agents.NameError
		)
		switch {
		case err != nil && errors.Is(err, context.Canceled):
			return &failure{interrupted{err}}
		case err != nil && unreadable(err):
			return &failure{err}
		case err == nil || errors.As(err, &wrong):
			return err
		case errors.As(err, &invalid), errors.As(err, &unnamed):
			return &usageError{Err: err}
		}
		return &failure{err}
	}
}

// work does what a command does, which ends with an error where a game refuses what it has offered.
func work(do func(*cobra.Command, []string) error, cmd *cobra.Command, args []string) (err error) {
	defer engine.Recover(&err)
	return do(cmd, args)
}

// interrupted is the error of work that was asked to end before it was done.
type interrupted struct{ err error }

func (i interrupted) Error() string {
	return strings.ReplaceAll(i.err.Error(), context.Canceled.Error(), "stopped before the end")
}
func (i interrupted) Unwrap() error { return i.err }

// unreadable reports whether an error is that a file is not there or cannot be read.
func unreadable(err error) bool {
	var path *fs.PathError
	return errors.As(err, &path) && slices.Contains([]string{"open", "openat", "read", "stat", "lstat", "statat"},
		path.Op) &&
		!errors.Is(err, fs.ErrExist)
}

// usageError is a wrong call that cobra cannot notice.
type usageError = catalog.UsageError

func usage(format string, args ...any) error { return catalog.Usage(format, args...) }
