package cli

import "github.com/spf13/cobra"

func newLeagueCommand(p program) *cobra.Command {
	o := &roleFlags{program: p}
	cmd := newRoleCommand(o, "league", "Keep population and ladder of a run, as a process of its own",
		`League connects to a run's broker, freezes versions of the learning agent, has them
rated in the arena and decides who plays whom. All its state is on the broker; the run
directory holds a snapshot, the ladder and copies of the frozen versions.`)
	cmd.Args = cobra.NoArgs
	cmd.Example = "  croupier league --nats nats://broker:4222 --run runs/evening"
	cmd.RunE = action(func(cmd *cobra.Command, _ []string) error {
		p, err := o.process(cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		return p.ServeLeague(cmd.Context())
	})
	return cmd
}
