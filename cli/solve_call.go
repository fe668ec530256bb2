package cli

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"croupier/catalog"
	"croupier/engine"
	"croupier/policy"
	"croupier/settings"
)

// solveCall is what the command line is to the command of a game ([catalog.Call]).
type solveCall struct {
	program
	cmd      *cobra.Command
	name     string // of the game
	changes  settings.Changes
	json     bool
	out      string
	progress bool
	quiet    bool
	agent    string
	run      string // of the agent
}

// newSolveGameCommand makes the command of a game.
func newSolveGameCommand(p program, name string, c catalog.Command) *cobra.Command {
	cmd := &cobra.Command{Use: name, Short: c.Short, Long: c.Long, Example: c.Example, Args: cobra.NoArgs}
	o := &solveCall{program: p, cmd: cmd, name: name}
	o.add(&c.Shared)
	do := c.New(fileUses{cmd.Flags()})
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if usualGroups[f.Name] == "" {
			group(cmd.Flags(), "Question", f.Name)
		}
	})
	cmd.RunE = action(func(cmd *cobra.Command, _ []string) error {
		if err := o.check(c.Shared.Solution); err != nil {
			return err
		}
		return do(cmd.Context(), o)
	})
	return cmd
}

// add adds the flags that commands of games share.
func (o *solveCall) add(shared *catalog.SharedFlags) {
	f := o.cmd.Flags()
	help := shared.JSON
	if help == "" {
		help = "print the result as JSON"
	}
	f.BoolVar(&o.json, "json", false, help)
	if shared.Out != "" {
		f.StringVar(&o.out, "out", "", shared.Out)
		fileUses{f}.Writes("out")
	}
	if shared.Progress {
		f.BoolVar(&o.progress, "progress", false, "show progress on standard error even if it is not a terminal")
		addQuiet(f, &o.quiet)
	}
	if shared.Rules {
		f.StringVar(&o.changes.Rules, "rules", "", "YAML or JSON file with the game's rules")
	}
	if shared.Set {
		f.StringArrayVar(&o.changes.Set, "set", nil, "a rule, as in rules.NAME=VALUE; may be repeated")
	}
	if shared.Agent != "" {
		f.StringVar(&o.agent, "agent", "", "agent to measure against "+shared.Agent)
		f.StringVar(&o.run, "run", "", "run directory with versions like main@12, for --agent")
	}
}

// check refuses --run without an agent, and an agent with flags that are about the solution alone.
func (o *solveCall) check(solution []string) error {
	if o.agent == "" {
		if o.run != "" {
			return usage("--run %s: it is for --agent, as in --agent main@12", o.run)
		}
		return nil
	}
	for _, name := range solution {
		if o.Given(name) {
			return usage("--%s: it is about the solution; leave it out to measure --agent %s", name, o.agent)
		}
	}
	return nil
}

// fileUses are flags of which it is known which of them name files.
type fileUses struct{ *pflag.FlagSet }

// fileUseKey is that of the annotation of a flag with what is done with the file.
const fileUseKey = "croupier-file"

func (f fileUses) note(flag string, use fileUse) {
	must(f.SetAnnotation(flag, fileUseKey, []string{string(use)}))
}

func (f fileUses) Reads(flag string)        { f.note(flag, readsStream) }
func (f fileUses) Writes(flag string)       { f.note(flag, writesFile) }
func (f fileUses) WritesFolder(flag string) { f.note(flag, writesFolder) }

func (o *solveCall) Given(flag string) bool { return o.cmd.Flags().Changed(flag) }
func (o *solveCall) JSON() bool             { return o.json }
func (o *solveCall) Out() string            { return o.out }
func (o *solveCall) Agent() string          { return o.agent }

func (o *solveCall) Game(ctx context.Context, defaults, overrides []string) (engine.Game, error) {
	for _, s := range o.changes.Set {
		if !strings.HasPrefix(s, "rules.") {
			return nil, usage("--set %s: solve takes only rules, as in rules.NAME=VALUE", s)
		}
	}
	c, err := o.configured(ctx, o.name, settings.Changes{Set: defaults})
	if err != nil {
		return nil, err
	}
	for _, changes := range []settings.Changes{o.changes, {Set: overrides}} {
		if err := changes.Apply(ctx, c); err != nil {
			return nil, usage("%w", err)
		}
	}
	game, err := c.NewGame()
	if err != nil {
		return nil, usage("%w", err)
	}
	return game, nil
}

func (o *solveCall) Policies(ctx context.Context, game engine.Game) (func() policy.Policy, error) {
	player, err := o.agentsOf(game, o.run).Player(ctx, o.agent)
	if err != nil {
		return nil, err
	}
	return player.Policy, nil
}

func (o *solveCall) Input(ctx context.Context, path string) (in io.ReadCloser, name string, err error) {
	return openInput(ctx, path, o.cmd.InOrStdin())
}

func (o *solveCall) Write(path string, write func(io.Writer) error) error {
	return writeOutput(path, o.cmd.OutOrStdout(), write)
}

func (o *solveCall) Print(result any, text func(io.Writer) error) error {
	if o.json {
		text = func(w io.Writer) error { return printJSON(w, result) }
	}
	return o.Write("-", text)
}

func (o *solveCall) WriteTable(header []string, document any, rows iter.Seq[[]string]) error {
	switch {
	case o.out == "":
		return nil
	case filepath.Ext(o.out) == ".json":
		return o.Write(o.out, func(w io.Writer) error { return printJSON(w, document) })
	}
	return o.Write(o.out, func(w io.Writer) error { return writeCSV(w, header, rows) })
}

func writeCSV(w io.Writer, header []string, rows iter.Seq[[]string]) error {
	table := csv.NewWriter(w)
	if err := table.Write(header); err != nil {
		return err
	}
	for row := range rows {
		if err := table.Write(row); err != nil {
			return err
		}
	}
	table.Flush()
	return table.Error()
}

// Progress shows a bar on a terminal. Elsewhere --progress prints a line a second at most.
func (o *solveCall) Progress() (say func(share float64, format string, args ...any), end func()) {
	shown := newProgress(o.cmd.ErrOrStderr(), "solving "+o.name, o.quiet)
	last := time.Now()
	say = func(share float64, format string, args ...any) {
		what := fmt.Sprintf(format, args...)
		shown.at(what, share)
		if o.progress && !shown.screen.live && time.Since(last) >= progressFrom {
			last = time.Now()
			fmt.Fprintln(shown.screen, what)
		}
	}
	return say, shown.end
}
