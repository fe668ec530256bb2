package cli

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"croupier/cluster"
	"croupier/internal/plural"
)

func newContributeCommand(p program) *cobra.Command {
	c := cluster.Contributor{Process: cluster.Process{Catalog: p.catalog}}
	c.Metrics.Address = "off"
	var log logFlags
	cmd := &cobra.Command{
		Use:   "contribute URL",
		Short: "Play training games for another person's run",
		Long: `Contribute plays training games for a run whose operator gave you a key. It takes the
run's settings and the weights of its networks, whose SHA-256 it checks, sends the games that it
plays, and keeps nothing on this machine. It plays no arena matches. Ctrl-C ends it at any time
without losing a game. Meanwhile a line shows what was played and how the run's learner judged it.

A key that the broker does not know is tried again for five seconds, since brokers take new keys
over within a second. The run plays a random share of the games again. A machine that invents
games is quarantined; "croupier help explain/trust" lists what a contributor can and cannot do.`,
		Example: "  croupier contribute nats://broker:4222 --key anna.seed --name \"Anna's laptop\" --cores 2",
		Args:    cobra.ExactArgs(1),
	}
	f := cmd.Flags()
	f.StringVar(&c.Broker.Credentials, "key", "", "file with the contributor's key, from the run's operator")
	f.StringVar(&c.Dir, "run", "", "name of the run (default: that of the key)")
	f.StringVar(&c.Name, "name", "", "what the Cluster page calls this machine, next to the name of its key")
	f.IntVar(&c.Workers, "cores", max(1, runtime.GOMAXPROCS(0)-1), "cores that play")
	f.StringVar(&c.Broker.CA, "tls-ca", "", "PEM file with the authority that signed the broker's certificate")
	log.addWithStatus(f)
	must(cmd.MarkFlagRequired("key"))
	cmd.RunE = action(func(cmd *cobra.Command, args []string) (err error) {
		if c.Workers < 1 {
			return usage("--cores %d: at least one is needed", c.Workers)
		}
		c.Broker.URL = args[0]
		screen := newConsole(cmd.OutOrStdout(), !log.quiet && !log.json)
		if c.Log, err = log.logger(screen.logs(cmd.ErrOrStderr())); err != nil {
			return err
		}
		if !log.quiet {
			c.Watch = contributionStatus{screen, log, c.Log}.watch
		}
		return c.Serve(cmd.Context())
	})
	return cmd
}

// contributionStatus shows how a contribution is doing, where and as [status] does of a run.
type contributionStatus struct {
	console *console
	flags   logFlags
	log     *slog.Logger
}

// watch shows the status until ctx ends, first at once.
func (s contributionStatus) watch(ctx context.Context, state func(context.Context) cluster.Contributing) {
	every := plainEvery
	if s.console.live {
		every = liveEvery
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		s.print(state(ctx))
		select {
		case <-ctx.Done():
			if s.console.live {
				s.console.status(nil)
			}
			return
		case <-ticker.C:
		}
	}
}

func (s contributionStatus) print(c cluster.Contributing) {
	switch {
	case s.flags.json:
		s.log.Info("status", "words", c.Words, "seconds", c.Elapsed.Seconds(), "games", c.Games, "games_per_second",
			c.GamesPerSecond,
			"learnt", c.Account.Consumed, "stale", c.Account.Stale, "refused", c.Account.Refused, "lost", c.Account.Lost,
			"version", c.Version)
	case s.console.live:
		s.console.status(contributionParts(c))
	default:
		fmt.Fprintln(s.console, strings.Join(contributionParts(c), separator))
	}
}

// contributionParts puts how a contribution is doing into words.
func contributionParts(c cluster.Contributing) []string {
	return []string{
		fmt.Sprintf("%s %s", c.Words, c.Elapsed.Round(time.Second)),
		plural.Of(c.Games, "game"),
		fmt.Sprintf("%s games/s", quantity(c.GamesPerSecond)),
		fmt.Sprintf("%d learnt from", c.Account.Consumed),
		fmt.Sprintf("%d too old", c.Account.Stale),
		fmt.Sprintf("%d refused", c.Account.Refused),
		fmt.Sprintf("%d lost", c.Account.Lost),
		fmt.Sprintf("version %d", c.Version),
	}
}
