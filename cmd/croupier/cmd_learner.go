package main

import (
	"errors"

	"github.com/spf13/cobra"

	"croupier/rundir"
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
	flags.add(cmd.Flags())
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		t := trainOptions{run: o.run, config: flags}
		t.config.seedGiven = cmd.Flags().Changed("seed")
		game := ""
		if len(args) == 1 {
			game = args[0]
		}
		_, err := rundir.ReadInfo(o.run)
		if err != nil && !errors.Is(err, rundir.ErrNoRun) {
			return err
		}
		t.resume = err == nil
		config, err := t.openRun(game)
		if err != nil {
			return err
		}
		lock, err := rundir.Lock(o.run, "learner")
		if err != nil {
			return err
		}
		defer lock.Close()
		s, release, err := o.open(ctx, config, cmd.ErrOrStderr())
		if err != nil {
			return stopped(ctx, err)
		}
		defer release()
		if err := s.save(ctx); err != nil {
			return err
		}
		l, err := s.newLearner(t.resume, nil)
		if err != nil {
			return err
		}
		return l.Run(ctx)
	})
	return cmd
}
