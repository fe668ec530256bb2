package cluster

import (
	"croupier/actor"
	"croupier/learner/train"
)

// lockStepActor is the actor's ID in deterministic runs: the seeds of training games depend on it.
const lockStepActor = "lockstep"

// checkDeterministic refuses what a deterministic run cannot have, and turns off what would get into its training from
// outside.
func (c *Cluster) checkDeterministic() error {
	league := &c.config.League
	switch {
	case !c.o.Deterministic:
		return nil
	case c.plan.resume:
		return invalid("--deterministic is for new runs: the games that were being played are not kept, so one that is " +
			"resumed is another one")
	case c.o.Length > 0 || c.o.Processor > 0:
		return invalid("--deterministic: the schedules must not depend on time; give the length as --games")
	case len(league.Learning()) > 1 || len(league.Opponents) > 0:
		return invalid("--deterministic: one agent learns, by playing against itself alone; league.agents and league.opponents " +
			"name others")
	case c.o.Learners > 1 && c.config.Learner.Group == train.GroupWeights:
		return invalid("--deterministic: with learner.group: weights the weights depend on who is faster; take one learner, or " +
			"learner.group: gradients")
	case c.o.Broker.URL != "" || c.o.Embedded.Listen != "":
		return invalid("--deterministic: all is played in this process, without --nats and --nats-listen")
	}
	league.SelfPlay, league.SetbackLoss = 1, 0
	return nil
}

// newActor makes the actor of this process.
func (c *Cluster) newActor() (*actor.Actor, error) {
	o, err := c.actorOptions(c.o.Workers)
	if err != nil {
		return nil, err
	}
	if c.o.Deterministic {
		o.LockStep = &actor.LockStep{}
		if o.LockStep.Samples, o.LockStep.MaxLag, err = c.config.Learner.Iteration(); err != nil {
			return nil, err
		}
		o.Start, o.Workers = "0", max(2, o.Workers)
	}
	return actor.New(o)
}
