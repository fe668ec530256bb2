package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"croupier/internal/rundir"
)

func newLearnerCommand() *cobra.Command {
	o := &roleOptions{role: "learner"}
	var flags configFlags
	cmd := newRoleCommand(o, "learner [GAME]", "Train the agent of a run, as a process of its own",
		`Learner connects to a run's broker, tells every role the run's configuration and
trains on the experience of the actors until it is stopped, which saves a checkpoint.
With a run directory that holds a run it goes on with that run; otherwise it begins
one of the named game.`)
	cmd.Args = cobra.MaximumNArgs(1)
	cmd.Example = `  croupier learner bank --nats nats://broker:4222 --run runs/evening
  croupier learner --nats nats://broker:4222 --run runs/evening`
	flags.add(cmd.Flags())
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		game := ""
		if len(args) == 1 {
			game = args[0]
		}
		flags.seedGiven = cmd.Flags().Changed("seed")
		_, err := rundir.ReadInfo(o.run)
		if err != nil && !errors.Is(err, rundir.ErrNoRun) {
			return err
		}
		which := &runOptions{run: o.run, resume: err == nil, config: flags}
		return o.learn(cmd.Context(), which, game, cmd.ErrOrStderr())
	})
	return cmd
}

// learn runs the learner. A call that fails before it begins leaves no new run
// directory behind.
func (o *roleOptions) learn(ctx context.Context, which *runOptions, game string, errOut io.Writer) error {
	config, _, err := which.plan(game)
	if err != nil {
		return err
	}
	s, disconnect, err := o.open(ctx, config, errOut)
	if err != nil {
		return stopped(ctx, err)
	}
	defer disconnect()
	began := false
	release, err := which.claim(config, "learner")
	if err != nil {
		return err
	}
	defer func() { release(began) }()
	if !which.resume {
		if err := s.checkUnknown(ctx); err != nil {
			return stopped(ctx, err)
		}
	}
	l, err := s.newLearner(which.resume, nil)
	if err != nil {
		return err
	}
	if err := s.save(ctx); err != nil {
		return stopped(ctx, err)
	}
	began = true
	return l.Run(ctx)
}
