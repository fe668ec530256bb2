package main

import (
	"github.com/spf13/cobra"

	"croupier/internal/rundir"
)

func newLeagueCommand() *cobra.Command {
	o := &roleOptions{role: "league"}
	cmd := newRoleCommand(o, "league", "Keep the population and the ladder of a run, as a process of its own",
		`League connects to a run's broker, freezes versions of the learning agent, has them
rated in the arena and says who plays whom. All its state is on the broker; the run
directory holds a snapshot, the ladder and copies of the frozen versions.`)
	cmd.Args = cobra.NoArgs
	cmd.Example = "  croupier league --nats nats://broker:4222 --run runs/evening"
	cmd.RunE = action(func(cmd *cobra.Command, _ []string) error {
		s, release, err := o.open(cmd.Context(), nil, cmd.ErrOrStderr())
		if err != nil {
			return stopped(cmd.Context(), err)
		}
		defer release()
		lock, err := rundir.Lock(s.dir, "league")
		if err != nil {
			return err
		}
		defer lock.Close()
		l, err := s.newLeague()
		if err != nil {
			return err
		}
		return l.Run(cmd.Context())
	})
	return cmd
}
