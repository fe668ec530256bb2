package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"croupier/internal/plural"
	"croupier/internal/rundir"
	"croupier/internal/visible"
	"croupier/messages"
	"croupier/sweep"
	"croupier/sweep/crew"
)

// sweepOptions are the flags of croupier sweep.
type sweepOptions struct {
	program
	out      string
	parallel int
	quiet    bool
	broker   brokerFlags
	worker   workerFlags
}

// workerFlags are the flags of croupier sweep --worker.
type workerFlags struct {
	on         bool
	name       string
	processors int
}

func newSweepCommand(p program) *cobra.Command {
	o := sweepOptions{program: p}
	cmd := &cobra.Command{
		Use:   "sweep FILE",
		Short: "Compare training settings on equal processor time",
		Long: `Sweep trains the candidates of a YAML file, each on the same seeds and for the same processor
time, and says with intervals which is better: the interquartile mean of the runs, and the
difference to the base settings seed by seed. Candidates are all combinations of some values
(grid), or drawn from ranges (random), with more time for the better ones (halving). The
winner is chosen on seeds of its own, and then compared with the base on others. What counts is
exploitability, strength against opponents, or what a new agent gains that learns against the
trained one (measure: exploiter).

Each run is a process of its own. The processor time it uses, not the time on the wall, is
its budget, so that runs next to one another and a busy machine change nothing.

The same call continues after any interruption: finished runs are kept, and interrupted ones begin
again. The directory keeps a line for each run,
the winner's weights, and winner.yaml, its settings for croupier train --config. While it
grows, croupier web shows its table and curves on the page Sweeps, and croupier sweep show
prints the table. "croupier help reference/sweep-files" describes the file.

With --nats URL the runs are played by other machines: each that has called
croupier sweep --worker --nats URL. A worker plays the runs of all sweeps at the broker, as many
at the same time as it has processors for, and needs no files: a run brings its settings along.
A run whose worker ends, hangs or is cut off for 30 s is played elsewhere from the
beginning. Interrupted, a worker gives its runs back at once, and a sweep stops its runs. Sweep
and workers are of the same version of the program.`,
		Example: `  croupier sweep sweep/testdata/kuhn-opponents.yaml
  croupier sweep rates.yaml --out runs/rates --parallel 2
  croupier sweep rates.yaml --nats nats://broker:4222
  croupier sweep --worker --nats nats://broker:4222 --processors 4
  croupier sweep show runs/rates --csv`,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.worker.on {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.ExactArgs(1)(cmd, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "",
		"directory of the sweep (default runs/sweep-NAME after the file NAME.yaml), or of the worker (default runs)")
	f.IntVar(&o.parallel, "parallel", 0,
		"runs at the same time (default: as the file says; with --nats as many as the workers have processors for)")
	f.BoolVar(&o.quiet, "quiet", false, "print nothing but the table at the end")
	o.broker.addReach(f)
	f.BoolVar(&o.worker.on, "worker", false, "play runs of the sweeps at the broker of --nats")
	f.StringVar(&o.worker.name, "name", "", "name of the worker (default: that of its key, or of the machine)")
	f.IntVar(&o.worker.processors, "processors", 0, "processors for all runs of the worker together (default: all)")
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		if err := o.check(); err != nil {
			return err
		}
		if o.worker.on {
			return workForSweeps(cmd.Context(), o, cmd.OutOrStdout(), cmd.ErrOrStderr())
		}
		return runSweep(cmd.Context(), o, args[0], cmd.OutOrStdout(), cmd.ErrOrStderr())
	})
	cmd.AddCommand(newSweepShowCommand(p), newSweepRunCommand(p))
	return cmd
}

// check reports which flags do not go together.
func (o *sweepOptions) check() error {
	w := &o.worker
	switch {
	case o.parallel < 0:
		return usage("--parallel %d: it must not be negative", o.parallel)
	case w.on && o.broker.URL == "":
		return usage("--worker: name the broker at which the sweeps are with --nats")
	case w.on && o.parallel > 0:
		return usage("--parallel is for the sweep: a worker plays as many runs as it has --processors for")
	case !w.on && (w.name != "" || w.processors != 0):
		return usage("--name and --processors are for --worker, which is not given")
	case w.processors < 0 || w.processors > crew.MaxProcessors:
		return usage("--processors %d: it is not in 1..%d", w.processors, crew.MaxProcessors)
	}
	if w.name != "" {
		if err := messages.CheckToken(w.name); err != nil {
			return usage("--name: %w", err)
		}
	}
	return o.broker.check()
}

// meeting is where sweep and workers meet.
func (o *sweepOptions) meeting(errOut io.Writer) (sweep.Broker, error) {
	log, err := (&logFlags{quiet: o.quiet}).logger(errOut)
	return sweep.Broker{Broker: o.broker.Broker, Log: log}, err
}

// workForSweeps plays runs of other machines' sweeps until ctx ends.
func workForSweeps(ctx context.Context, o sweepOptions, out, errOut io.Writer) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	broker, err := o.meeting(errOut)
	if err != nil {
		return err
	}
	note := func(sentence string) { fmt.Fprintf(out, "%s  %s\n", time.Now().Format(time.TimeOnly), sentence) }
	w := &sweep.Worker{
		Catalog: o.catalog, Dir: cmp.Or(o.out, rundir.Parent), Broker: broker, Name: o.worker.name,
		Processors: cmp.Or(o.worker.processors, min(runtime.GOMAXPROCS(0), crew.MaxProcessors)),
		Command:    func(folder string) *exec.Cmd { return exec.Command(program, "sweep", "run", "--shared", folder) },
		Note:       note,
	}
	w.Begin = func(name string) {
		note(fmt.Sprintf("worker %s offers %s to sweeps", name, plural.Of(w.Processors, "processor")))
	}
	if o.quiet {
		w.Begin, w.Note = nil, func(string) {}
	}
	return w.Run(ctx)
}

func runSweep(ctx context.Context, o sweepOptions, path string, out, errOut io.Writer) error {
	read := sweep.Read
	if o.broker.URL != "" {
		read = sweep.ReadShared
	}
	f, err := read(o.catalog, path)
	if err != nil {
		return usage("%w", err)
	}
	if o.out == "" {
		name := filepath.Base(path)
		o.out = filepath.Join(rundir.Parent, "sweep-"+strings.TrimSuffix(name, filepath.Ext(name)))
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	s := &sweep.Sweep{
		Dir: o.out, File: f, Parallel: o.parallel,
		Command: func(folder string) *exec.Cmd { return exec.Command(program, "sweep", "run", folder) },
	}
	said := &serial{Writer: out}
	if o.quiet {
		said.Writer = io.Discard
	}
	s.Begin = func(over, damaged int) {
		fmt.Fprintf(said, "Sweep %s: %s, %s over already\n", o.out,
			plural.Of(len(f.Candidates()), "candidate"), plural.Of(over, "run is", "runs are"))
		if damaged > 0 {
			fmt.Fprintf(errOut, "croupier: %s: %s; the sweep plays their runs again\n", visible.Text(o.out),
				damagedResults(damaged))
		}
	}
	s.Progress = func(r sweep.Result) { printProgress(said, r) }
	err = o.run(ctx, s, said, errOut)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return errors.New("interrupted: the same call continues it")
	}
	if err != nil {
		return err
	}
	if err := f.Tabulate(s.Results()).Render(out, widthOf(out)); err != nil {
		return err
	}
	fmt.Fprintf(out, "The best settings are in %s:\n  croupier train %s --config %s\n", s.Winner(), f.Game,
		quoted(s.Winner()))
	return nil
}

// run plays the runs here, or has workers play them.
func (o *sweepOptions) run(ctx context.Context, s *sweep.Sweep, out, errOut io.Writer) error {
	if o.broker.URL == "" {
		return s.Run(ctx)
	}
	broker, err := o.meeting(errOut)
	if err != nil {
		return err
	}
	return s.RunAway(ctx, broker, filepath.Base(o.out), func(sentence string) { fmt.Fprintln(out, sentence) })
}

// serial is written to by one goroutine at a time.
type serial struct {
	io.Writer
	mu sync.Mutex
}

func (s *serial) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Writer.Write(p)
}

// printProgress reports how a run has ended.
func printProgress(out io.Writer, r sweep.Result) {
	what := fmt.Sprintf("round %d  seed %d  %s", r.Round+1, r.Seed, r.Name)
	if r.Failed != "" {
		fmt.Fprintf(out, "%s: failed: %s\n", what, r.Failed)
		return
	}
	fmt.Fprintf(out, "%s: %.4g  (%.1f processor seconds, %s)\n", what, r.Value, r.Processor, plural.Of(r.Games, "game"))
}

// sweepShowOptions are the flags of croupier sweep show.
type sweepShowOptions struct {
	program
	json, csv bool
	svg       string
}

func newSweepShowCommand(p program) *cobra.Command {
	o := sweepShowOptions{program: p}
	cmd := &cobra.Command{
		Use:   "show DIR",
		Short: "Print the table of a sweep, even while it runs",
		Long: `Show prints what a sweep has found so far: for each candidate the interquartile mean of its
runs with its 95 % interval, Student's for up to nine seeds and by the stratified bootstrap for
more, and the mean difference to the base settings on the same seeds with Student's interval. As JSON it adds the curves, which --svg draws.`,
		Example: `  croupier sweep show runs/sweep-rates
  croupier sweep show runs/sweep-rates --json
  croupier sweep show runs/sweep-rates --svg curve.svg`,
		Args: cobra.ExactArgs(1),
	}
	cmd.Flags().BoolVar(&o.json, "json", false, "print tables and curves as JSON, as GET /api/sweeps/ID of the page")
	cmd.Flags().BoolVar(&o.csv, "csv", false, "print the tables as CSV")
	cmd.Flags().StringVar(&o.svg, "svg", "", "write the curves over processor time to this file, as a drawing")
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		return showSweep(o, args[0], cmd.OutOrStdout(), cmd.ErrOrStderr())
	})
	return cmd
}

// damagedResults reports how many results of a sweep cannot be used.
func damagedResults(n int) string { return fmt.Sprintf("results or weights that are damaged: %d", n) }

func showSweep(o sweepShowOptions, dir string, out, errOut io.Writer) error {
	if o.json && o.csv {
		return usage("--json and --csv exclude one another")
	}
	f, results, damaged, err := sweep.Load(o.catalog, dir)
	if err != nil {
		return err
	}
	if damaged > 0 {
		fmt.Fprintf(errOut, "croupier: %s: %s; the same sweep, called again, plays their runs again\n", visible.Text(dir),
			damagedResults(damaged))
	}
	if o.svg != "" {
		picture, err := f.Picture(results)
		if err != nil {
			return fmt.Errorf("--svg: %w", err)
		}
		if err := writeOutput(o.svg, nil, picture.WriteSVG); err != nil {
			return err
		}
	}
	switch {
	case o.json:
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(f.Show(results, damaged))
	case o.csv:
		return f.Tabulate(results).WriteCSV(out)
	}
	return f.Tabulate(results).Render(out, widthOf(out))
}

// newSweepRunCommand makes the command of which croupier sweep makes a process for each run.
func newSweepRunCommand(p program) *cobra.Command {
	var shared bool
	cmd := &cobra.Command{
		Use:    "run FOLDER",
		Hidden: true,
		Short:  "Play one run of a sweep",
		Long: `Run plays the run that croupier sweep has put into a folder. It ends without a result when
its standard input is closed.`,
		Example: `  croupier sweep run runs/sweep-rates/runs/0-1-1`,
		Args:    cobra.ExactArgs(1),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			ctx, cancel := context.WithCancel(cmd.Context())
			defer cancel()
			go func() {
				_, _ = io.Copy(io.Discard, cmd.InOrStdin()) // until the process that asked for the run has gone
				cancel()
			}()
			return sweep.Work(ctx, p.catalog, args[0], shared)
		}),
	}
	cmd.Flags().BoolVar(&shared, "shared", false, "refuse agents in files, for sweeps of other users")
	return cmd
}
