package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"croupier/internal/rundir"
	"croupier/messages/bus"
)

// roleOptions are the flags that every separate role has.
type roleOptions struct {
	role    string
	run     string
	metrics string
	nats    natsFlags
	log     logFlags
}

// newRoleCommand returns a command for one role in a process of its own.
func newRoleCommand(o *roleOptions, use, short, long string) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Long: long}
	f := cmd.Flags()
	f.StringVar(&o.run, "run", "", "run directory; its last element names the run on the broker")
	f.StringVar(&o.metrics, "metrics", "127.0.0.1:0", "address for /metrics and /healthz; \"off\" for none")
	o.nats.add(f)
	o.log.add(f)
	must(cmd.MarkFlagRequired("run"))
	must(cmd.MarkFlagRequired("nats"))
	return cmd
}

// must stops the program for a mistake in the program itself.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// open connects the role to its run. config is nil for roles that take the run's
// configuration from the broker; they wait until it is there. The returned
// function releases everything.
func (o *roleOptions) open(ctx context.Context, config *runConfig, errOut io.Writer) (*site, func(), error) {
	run, err := rundir.ID(o.run)
	if err != nil {
		return nil, nil, usage("--run: %v", err)
	}
	log, err := o.log.logger(errOut)
	if err != nil {
		return nil, nil, err
	}
	s := &site{config: config, dir: o.run, registry: newRegistry(), log: log}
	release := func() {}
	fail := func(err error) (*site, func(), error) {
		release()
		return nil, nil, err
	}
	if o.metrics != "off" {
		if s.metricsAddress, err = serveMetrics(ctx, o.metrics, s.registry, alive, log); err != nil {
			return fail(err)
		}
		log.Info("metrics", "url", "http://"+s.metricsAddress+"/metrics")
	}
	if s.bus, err = bus.Connect(ctx, o.nats.options(o.role, run, s.registry, log)); err != nil {
		return fail(err)
	}
	release = func() { s.bus.Close() }
	if config == nil {
		if s.config, err = awaitConfig(ctx, s.bus, log); err != nil {
			return fail(err)
		}
	}
	if s.game, err = s.config.build(); err != nil {
		return fail(err)
	}
	return s, release, nil
}

// stopped turns the error of a role that was told to stop while it was still
// waiting for something into an orderly end.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
