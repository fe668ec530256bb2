package actor

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"croupier/engine/family"
)

// learnerLink is what the training games of a learning agent need.
type learnerLink struct {
	agent  string
	pool   *policyPool
	paused atomic.Bool  // the learner is behind
	yields atomic.Bool  // it is at work on what it has: the cores are for it
	unseen atomic.Int64 // batches that were sent since the learner's backlog was last asked for
}

// maxUnread is how many of an actor's batches may wait for the learner, and how many more go out in a link, besides one
// of each worker, before that is known again: on a busy machine the answer takes long. Of an actor of sixteen workers
// these are as many as the broker keeps (bus.Options.ActorBatches).
const maxUnread = 56

// waits says whether no training games begin, and batches wait for more games, until the learner has caught up. In
// the stream they would wait as well, but there their number is bounded.
func (l *learnerLink) waits() bool { return l.paused.Load() || l.unseen.Load() >= maxUnread }

// deal makes the links.
func (a *Actor) deal() {
	o := a.opts
	for _, agent := range o.Agents {
		lobby := newPolicyPool(o.Bus, o.Resolver, agent.Name, len(o.Stages), o.Log, a.metrics)
		lobby.family, _ = o.Training.(*family.Game)
		a.links = append(a.links, &learnerLink{agent: agent.Name, pool: lobby})
		for _, gauge := range []*prometheus.GaugeVec{a.metrics.paused, a.metrics.backlog, a.metrics.version} {
			gauge.WithLabelValues(agent.Name)
		}
	}
	a.dealt = deal(o.Agents, o.Workers)
}

// arena is the policy pool that finds the players of matches.
func (a *Actor) arena() *policyPool { return a.links[0].pool }
