package cli

import (
	"context"
	"fmt"
	"io"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"croupier/bench"
	"croupier/cluster"
)

// benchOptions are the flags of croupier bench.
type benchOptions struct {
	program
	json    bool
	only    []string
	network []string
	runs    int
	length  time.Duration
	quick   bool
	profile string
}

func newBenchCommand(p program) *cobra.Command {
	o := benchOptions{program: p}
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure the speed of every part on this machine",
		Long: `Bench measures random play of every game (engine), products of matrices (gemm),
networks that play (inference) and learn (learner), CFR+ (cfr), and a whole cluster in this
process on BANK! (cluster). It prints medians of several runs with the smallest and the
largest.

The column CPU is the share of the cores, one or all, that the program got. Below
about 95 % anywhere but in the cluster, something else was running: measure again once
it has ended, or go by the largest number, since a single run is short enough to slip
through. The cluster is measured for --for after a warm-up of a sixth of that, once with
each network, and with R128 once more in bf16 where the processor has it; its spread is
over six slices of that time. Its run directory is a temporary one in $TMPDIR.

R128 is a dense layer of 128 and an LSTM of 128; dense2x64 has two dense layers of 64.
Both have 128 inputs and 32 actions, except in the cluster, where the game sets the
sizes, and get noise as input, with every action legal. With --network, inference and
learner are instead measured on the networks that games are trained with, in positions of
random games. "croupier help lab/performance" explains the numbers.`,
		Example: `  croupier bench
  croupier bench --json > before.json
  croupier bench --only cluster --for 5m
  croupier bench --only inference,learner --network tysiac --network tysiac=large.yaml
  croupier bench --only engine,cluster --cpu-profile cpu.pprof`,
		Args: cobra.NoArgs,
	}
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, "print the numbers as JSON")
	f.StringSliceVar(&o.only, "only", bench.Parts, "parts to measure")
	f.StringArrayVar(&o.network, "network", nil,
		"measure the network of GAME, or of GAME=FILE with a file for --config; may be repeated")
	f.IntVar(&o.runs, "runs", 25, "runs of each measurement, 20 ms each; the cluster has one")
	f.DurationVar(&o.length, "for", time.Minute, "length of each cluster measurement")
	f.BoolVar(&o.quick, "quick", false,
		"one very short run of each, to see that everything works; the numbers mean little")
	f.StringVar(&o.profile, "cpu-profile", "", "write a CPU profile to this file, for go tool pprof")
	cmd.MarkFlagsMutuallyExclusive("quick", "runs")
	cmd.MarkFlagsMutuallyExclusive("quick", "for")
	cmd.RunE = action(func(cmd *cobra.Command, _ []string) error {
		return runBench(cmd.Context(), &o, cmd.OutOrStdout(), cmd.ErrOrStderr())
	})
	return cmd
}

// check reports which flag is wrong.
func (o *benchOptions) check() error {
	for _, part := range o.only {
		if !slices.Contains(bench.Parts, part) {
			return usage("--only %s: the parts are %s", part, strings.Join(bench.Parts, ", "))
		}
	}
	if o.runs < 1 {
		return usage("--runs %d: at least one is needed", o.runs)
	}
	if o.length <= 0 {
		return usage("--for %v: it must be positive", o.length)
	}
	return nil
}

func runBench(ctx context.Context, o *benchOptions, out, errOut io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	screen := newConsole(errOut, true)
	progress := func(what string) {
		if screen.live {
			screen.status([]string{what})
		} else {
			fmt.Fprintln(screen, what)
		}
	}
	report, err := o.profiled(func() (*bench.Report, error) { return o.measure(ctx, progress) })
	if screen.live {
		screen.status(nil)
	}
	if err != nil {
		return err
	}
	if o.json {
		return printJSON(out, report)
	}
	return report.Render(out)
}

// profiled measures, and writes a profile if --cpu-profile asks for one.
func (o *benchOptions) profiled(measure func() (*bench.Report, error)) (report *bench.Report, err error) {
	if o.profile == "" {
		return measure()
	}
	err = writeOutput(o.profile, nil, func(w io.Writer) error {
		if err := pprof.StartCPUProfile(w); err != nil {
			return fmt.Errorf("--cpu-profile: %w", err)
		}
		defer pprof.StopCPUProfile()
		report, err = measure()
		return err
	})
	return report, err
}

// measure measures what the flags select.
func (o *benchOptions) measure(ctx context.Context, progress func(string)) (*bench.Report, error) {
	networks := bench.ReferenceNetworks()
	if len(o.network) > 0 {
		var err error
		if networks, err = bench.TrainedNetworks(ctx, o.catalog, o.network); err != nil {
			return nil, usage("%w", err)
		}
	}
	parts := &bench.Options{
		Catalog: o.catalog, Game: o.firstGame(),
		Runs: o.runs, Time: 20 * time.Millisecond, Networks: networks, Progress: progress,
		Cluster: bench.ClusterOptions{Length: o.length, Slices: 6, WarmUp: o.length / 6},
	}
	if o.quick {
		parts.Runs, parts.Time = 1, 5*time.Millisecond
		// A slice ends with an iteration, which with few samples comes soon.
		parts.Cluster = bench.ClusterOptions{Length: time.Second / 5, Slices: 1, Set: []string{"learner.ppo.samples=512"}}
	}
	return parts.Measure(ctx, o.only, cluster.Version())
}
