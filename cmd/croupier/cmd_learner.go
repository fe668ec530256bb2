package main

import "github.com/spf13/cobra"

func newLearnerCommand() *cobra.Command {
	o := &roleFlags{}
	var flags settingsFlags
	cmd := newRoleCommand(o, "learner [GAME]", "Train the agent of a run, as a process of its own",
		`Learner connects to a run's broker, tells every role the run's configuration and trains
on the actors' experience until it is stopped; then it saves a checkpoint. If the run
directory holds a run, it resumes that run; otherwise it begins one with the named game.`)
	cmd.Args = cobra.MaximumNArgs(1)
	cmd.Example = `  croupier learner bank --nats nats://broker:4222 --run runs/evening
  croupier learner --nats nats://broker:4222 --run runs/evening`
	flags.add(cmd.Flags())
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		game := ""
		if len(args) == 1 {
			game = args[0]
		}
		p, err := o.process(cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		return p.ServeLearner(cmd.Context(), game, flags.changes(cmd))
	})
	return cmd
}
