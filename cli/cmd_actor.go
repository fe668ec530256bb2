package cli

import (
	"runtime"

	"github.com/spf13/cobra"
)

func newActorCommand(p program) *cobra.Command {
	o := &roleFlags{program: p}
	var workers int
	var id string
	cmd := newRoleCommand(o, "actor", "Play games for a run, as a process of its own",
		`Actor connects to a run's broker, waits for the learner to publish the run's
configuration, and plays training games and arena matches until it is stopped. Any
number of actors can join and leave a run at any time. The run directory holds only
this machine's journals of what was produced.`)
	cmd.Args = cobra.NoArgs
	cmd.Example = `  croupier actor --nats nats://broker:4222 --run runs/evening --actors 8
  croupier actor --nats nats://broker:4222 --run runs/evening --creds actor-3.seed`
	cmd.Flags().IntVar(&workers, "actors", runtime.GOMAXPROCS(0), "workers that play, each on its own core")
	cmd.Flags().StringVar(&id, "id", "", "name of this actor in the run (default the one of its credential, or a new one)")
	cmd.RunE = action(func(cmd *cobra.Command, _ []string) error {
		if workers < 1 {
			return usage("--actors %d: at least one is needed", workers)
		}
		p, err := o.process(cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		return p.ServeActor(cmd.Context(), workers, id)
	})
	return cmd
}
