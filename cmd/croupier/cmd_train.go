package main

import (
	"context"
	"io"
	"runtime"
	"time"

	"github.com/spf13/cobra"
)

// trainOptions are the flags of croupier train.
type trainOptions struct {
	runOptions
	length      time.Duration
	games       uint64
	actors      int
	listen      string
	listenAsked bool
	hosts       []string
	nats        natsFlags
	log         logFlags
}

func newTrainCommand() *cobra.Command {
	var o trainOptions
	cmd := &cobra.Command{
		Use:   "train [GAME]",
		Short: "Train an agent by self-play: a whole cluster in one process",
		Long: `Train starts a broker, actors, a learner, a league and a web page in this process
and trains an agent of the game until Ctrl-C, which saves everything and exits
with status 0, or until the end given by --for or --games. At such an end the
newest version plays its last arena matches. At any end the ladder is printed.

All state is in the run directory. --resume goes on with it. --set and --config change
settings, --algo dqn trains action values instead of a policy.

On standard output are the run directory, the page's address, the status (live on a
terminal, else a line every ten seconds) and at the end the ladder; log
lines are on standard error. With --quiet there is no status, and the log has errors
only. With --json-logs all but the ladder is in the log, one JSON object a line, and
the ladder is one JSON object.`,
		Example: `  croupier train bank
  croupier train bank --for 10m --run runs/evening
  croupier train --resume --run runs/evening
  croupier train pig --algo dqn --for 5m
  croupier train kuhn --for 2m --set learner.learning_rate_start=0.002`,
		Args: cobra.MaximumNArgs(1),
	}
	f := cmd.Flags()
	f.StringVar(&o.run, "run", "", "run directory (default runs/GAME-<start time>; with --resume the newest)")
	f.BoolVar(&o.resume, "resume", false, "go on with the run in the run directory")
	f.DurationVar(&o.length, "for", 0, "train for this long, then rate and stop (default: until Ctrl-C)")
	f.Uint64Var(&o.games, "games", 0, "stop after this many training games in all")
	f.IntVar(&o.actors, "actors", runtime.NumCPU(), "workers that play, each on its own core")
	f.StringVar(&o.listen, "listen", "127.0.0.1:8080", "address of the web page; \"off\" for none")
	f.StringSliceVar(&o.hosts, "allow-host", nil, "further host names under which the page may be opened")
	o.config.add(f)
	o.nats.add(f)
	o.log.addWithStatus(f)
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		o.listenAsked = cmd.Flags().Changed("listen")
		o.config.seedGiven = cmd.Flags().Changed("seed")
		game := ""
		if len(args) == 1 {
			game = args[0]
		}
		return train(cmd.Context(), game, &o, cmd.OutOrStdout(), cmd.ErrOrStderr())
	})
	return cmd
}

// train runs the whole cluster in this process. A call that fails before training
// begins leaves no new run directory behind.
func train(ctx context.Context, game string, o *trainOptions, out, errOut io.Writer) error {
	if o.actors < 1 {
		return usage("--actors %d: at least one is needed", o.actors)
	}
	if o.length < 0 {
		return usage("--for %v: it is negative", o.length)
	}
	if err := o.nats.check(); err != nil {
		return err
	}
	screen := newConsole(out, !o.log.quiet && !o.log.json)
	log, err := o.log.logger(screen.logs(errOut))
	if err != nil {
		return err
	}
	t := &training{o: o, screen: screen, site: &site{registry: newRegistry(), log: log}}
	if t.config, t.game, err = o.plan(game); err != nil {
		return err
	}
	t.dir = o.run
	if o.listen != "off" {
		if t.listener, t.moved, err = listenWeb(o.listen, o.listenAsked); err != nil {
			return err
		}
		defer t.listener.Close()
		t.metricsAddress = t.listener.Addr().String()
	}
	closeAll, err := t.open(ctx)
	if err != nil {
		return stopped(ctx, err)
	}
	defer closeAll()
	t.announce()
	return t.run(ctx)
}
