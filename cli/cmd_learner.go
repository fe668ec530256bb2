package cli

import (
	"github.com/spf13/cobra"

	"croupier/messages"
)

func newLearnerCommand(p program) *cobra.Command {
	o := &roleFlags{program: p}
	var flags settingsFlags
	var agent string
	var join bool
	cmd := newRoleCommand(o, "learner [GAME]", "Train an agent of a run, as a process of its own",
		`Learner connects to a run's broker, tells every role the run's configuration and trains
on the actors' experience until it is stopped; then it saves a checkpoint. If the run
directory holds a run, it resumes that run; otherwise it begins one with the named game.

With --join, or where a learner of the agent is at work already, this one joins it: both compute
a share of each minibatch, and the weights are those of one learner to the last bit. It needs no
run directory, takes game and settings from the run, and joins and leaves at any time. The run is
named by the last element of --run. It computes on all cores, or on as many as the environment
variable GOMAXPROCS says.

With --agent NAME it trains another of the learning agents that the run's settings declare
(league.agents). It takes the settings from the run, and joins and leaves it at any time: the
agent continues from its checkpoint in the run directory, which may be on another machine.`)
	cmd.Args = cobra.MaximumNArgs(1)
	cmd.Example = `  croupier learner bank --nats nats://broker:4222 --run runs/evening
  croupier learner --nats nats://broker:4222 --run runs/evening
  croupier learner bank --nats nats://broker:4222 --run runs/evening --league league.yaml
  croupier learner --nats nats://broker:4222 --run evening --join
  croupier learner --nats nats://broker:4222 --run runs/evening --agent exploiter`
	cmd.Flags().StringVar(&agent, "agent", messages.LearningAgent, "the learning agent")
	cmd.Flags().BoolVar(&join, "join", false, "share the work of the learner that is, or will be, at work")
	flags.add(cmd.Flags(), p.catalog)
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		game := ""
		if len(args) == 1 {
			game = args[0]
		}
		changes := flags.changes(cmd)
		if join && (game != "" || !changes.Empty()) {
			return usage("--join: game and settings are those of the run, which its learner has")
		}
		if agent != messages.LearningAgent && (game != "" || !changes.Empty()) {
			return usage("--agent %s: game and settings are those of the run, which its learner of %s has", agent,
				messages.LearningAgent)
		}
		if err := messages.CheckToken(agent); err != nil {
			return usage("--agent: %w", err)
		}
		p, err := o.process(cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		if join {
			return p.ServePeer(cmd.Context(), agent)
		}
		if agent != messages.LearningAgent {
			return p.ServeAgent(cmd.Context(), agent)
		}
		return p.ServeLearner(cmd.Context(), game, changes)
	})
	return cmd
}
