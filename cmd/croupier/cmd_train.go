package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"croupier/durable"
	"croupier/league"
	"croupier/messages/bus"
	"croupier/messages/bus/broker"
	"croupier/rundir"
	"croupier/web"
)

// trainOptions are the flags of croupier train.
type trainOptions struct {
	run         string
	resume      bool
	length      time.Duration
	games       uint64
	actors      int
	listen      string
	listenAsked bool
	hosts       []string
	config      configFlags
	nats        natsFlags
	log         logFlags
}

func newTrainCommand() *cobra.Command {
	var o trainOptions
	cmd := &cobra.Command{
		Use:   "train GAME",
		Short: "Train an agent by self-play: a whole cluster in one process",
		Long: `Train starts a broker, actors, a learner, a league and a web page in this process
and trains an agent of the game until Ctrl-C, which saves everything and exits
with status 0, or until the end given by --for or --games. At such an end the
newest version plays its last arena matches and the ladder is printed.

All state is in the run directory. --resume goes on with it.`,
		Example: `  croupier train bank
  croupier train bank --for 10m --run runs/evening
  croupier train bank --resume --run runs/evening
  croupier train kuhn --for 2m --set learner.learning_rate=0.001`,
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
	o.log.add(f, "warn")
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

// train runs the whole cluster in this process.
func train(ctx context.Context, game string, o *trainOptions, out, errOut io.Writer) error {
	if o.actors < 1 {
		return usage("--actors %d: at least one is needed", o.actors)
	}
	config, err := o.openRun(game)
	if err != nil {
		return err
	}
	built, err := config.build()
	if err != nil {
		return err
	}
	for _, role := range []string{"learner", "league"} {
		lock, err := rundir.Lock(o.run, role)
		if err != nil {
			return err
		}
		defer lock.Close()
	}
	var listener net.Listener
	if o.listen != "off" {
		var moved bool
		if listener, moved, err = listenWeb(o.listen, o.listenAsked); err != nil {
			return err
		}
		defer listener.Close()
		if moved {
			fmt.Fprintf(errOut, "The port of %s is taken; using another.\n", o.listen)
		}
	}
	screen := newConsole(out)
	// Where both are the same terminal, log lines must not tear the status line.
	if screen.live {
		errOut = screen
	}
	log, err := o.log.logger(errOut)
	if err != nil {
		return err
	}
	s := &site{game: built, config: config, dir: o.run, registry: newRegistry(), log: log}
	stopBroker, err := s.connect(ctx, o)
	if err != nil {
		return err
	}
	defer stopBroker()
	if err := s.save(ctx); err != nil {
		return err
	}
	fmt.Fprintf(out, "Run directory  %s\n", o.run)
	if listener != nil {
		s.metricsAddress = listener.Addr().String()
		fmt.Fprintf(out, "Web page       http://%s\n", listener.Addr())
	}
	return s.train(ctx, o, listener, screen)
}

// openRun finds or makes the run directory and the configuration of the run.
func (o *trainOptions) openRun(game string) (*runConfig, error) {
	if o.resume {
		return o.reopenRun(game)
	}
	if game == "" {
		return nil, usage("which game? For example: croupier train bank")
	}
	config, err := defaultConfig(game)
	if err != nil {
		return nil, err
	}
	if err := o.config.apply(config); err != nil {
		return nil, err
	}
	if _, err := config.build(); err != nil {
		return nil, usage("%v", err)
	}
	now := time.Now()
	if o.run == "" {
		o.run = filepath.Join("runs", game+"-"+now.Format("20060102-150405"))
	}
	if config.Run, err = rundir.ID(o.run); err != nil {
		return nil, usage("%v", err)
	}
	info := rundir.Info{ID: config.Run, Game: game, Seed: config.Seed, Created: now.UTC(), Version: version()}
	return config, rundir.Create(o.run, info)
}

// reopenRun reads the configuration of the run that is to be resumed.
func (o *trainOptions) reopenRun(game string) (*runConfig, error) {
	if o.run == "" {
		newest, err := rundir.Newest("runs")
		if err != nil {
			return nil, err
		}
		o.run = newest
	}
	info, err := rundir.ReadInfo(o.run)
	if err != nil {
		return nil, fmt.Errorf("--resume: %w", err)
	}
	if game != "" && game != info.Game {
		return nil, fmt.Errorf("--resume: run directory %s is a run of %s, not of %s", o.run, info.Game, game)
	}
	config, err := readConfig(o.run)
	if err != nil {
		return nil, fmt.Errorf("--resume: %w", err)
	}
	if o.config.seedGiven && o.config.seed != config.Seed {
		return nil, usage("--seed: the run has the seed %d, which cannot be changed", config.Seed)
	}
	return config, o.config.apply(config)
}

// connect starts the embedded broker, or connects to the one of --nats. The
// returned function releases both.
func (s *site) connect(ctx context.Context, o *trainOptions) (func(), error) {
	opts := o.nats.options("train", s.config.Run, s.registry, s.log)
	var embedded *broker.Broker
	if o.nats.url == "" {
		var err error
		embedded, err = broker.Start(broker.Options{Dir: filepath.Join(o.run, "nats"), SyncAlways: true, Log: s.log})
		if err != nil {
			return nil, fmt.Errorf("embedded broker: %w", err)
		}
		s.registry.MustRegister(broker.NewCollector(embedded))
		opts.InProcess = embedded
	}
	connected, err := bus.Connect(ctx, opts)
	if err != nil {
		if embedded != nil {
			embedded.Shutdown()
		}
		return nil, err
	}
	s.bus = connected
	return func() {
		connected.Close()
		if embedded != nil {
			embedded.Shutdown()
		}
	}, nil
}

// save writes the effective configuration into the run directory and tells it to
// every role.
func (s *site) save(ctx context.Context) error {
	doc, err := s.config.encode()
	if err != nil {
		return err
	}
	if err := durable.WriteFile(filepath.Join(s.dir, "config.yaml"), doc); err != nil {
		return err
	}
	return publishConfig(ctx, s.bus, s.config)
}

// train runs the roles until ctx or the run ends.
func (s *site) train(ctx context.Context, o *trainOptions, listener net.Listener, screen *console) error {
	clock := &schedule{began: time.Now(), length: o.length, games: o.games}
	learns, err := s.newLearner(o.resume, clock.progress)
	if err != nil {
		return err
	}
	_, clock.before = learns.Totals()
	clock.played = func() uint64 { games, _ := learns.Totals(); return games }
	rates, err := s.newLeague()
	if err != nil {
		return err
	}
	plays, err := s.newActor(o.actors)
	if err != nil {
		return err
	}
	feed, handler := s.newWeb(o.hosts)

	// Training ends first; the others go on until the last matches are rated.
	all, stopAll := context.WithCancel(context.WithoutCancel(ctx))
	defer stopAll()
	group, all := errgroup.WithContext(all)
	training, stopTraining := context.WithCancel(all)
	defer stopTraining()
	stopped := make(chan struct{})
	group.Go(func() error {
		defer close(stopped)
		return learns.Run(training)
	})
	group.Go(func() error { return rates.Run(all) })
	group.Go(func() error { return plays.Run(all) })
	group.Go(func() error { return feed.Run(all) })
	if listener != nil {
		group.Go(func() error { return web.Serve(all, listener, handler, s.log) })
	}
	status := &status{feed: feed, console: screen, clock: clock, flags: o.log, log: s.log, phase: make(chan string, 1)}
	group.Go(func() error { return status.run(all) })
	group.Go(func() error {
		defer stopAll()
		finished := o.await(ctx, all, clock)
		stopTraining()
		<-stopped
		if !finished {
			return nil
		}
		status.say("rating the newest version")
		finishing, cancel := context.WithCancel(all)
		defer cancel()
		defer context.AfterFunc(ctx, cancel)()
		return rates.Finish(finishing)
	})
	err = group.Wait()
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	if err == nil {
		err = printLadder(screen, s.dir)
	}
	return err
}

// await waits for the end of training. It says whether the run came to its own end.
func (o *trainOptions) await(ctx, all context.Context, clock *schedule) (finished bool) {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-all.Done():
			return false
		case <-ticker.C:
			if clock.bounded() && clock.progress() >= 1 {
				return true
			}
		}
	}
}

// printLadder prints the run's ladder, if it has one yet.
func printLadder(out io.Writer, dir string) error {
	ladder, err := league.ReadLadder(dir)
	if errors.Is(err, league.ErrNoLadder) {
		return nil
	}
	if err != nil {
		return err
	}
	return ladder.Render(out)
}
