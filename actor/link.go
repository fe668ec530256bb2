package actor

import (
	"math"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"croupier/engine/family"
)

// learnerLink is what the training games of a learning agent need.
type learnerLink struct {
	agent  string
	pool   *policyPool
	paused atomic.Bool   // the learner is behind
	yields atomic.Bool   // it is at work on what it has: the cores are for it
	room   atomic.Int64  // batches that may be sent until the learner reports more; any number before
	unseen atomic.Int64  // batches that were sent since the broker was last asked how many of them wait
	flying atomic.Int64  // those of them that the broker may not have yet
	asks   chan struct{} // has room for one: many batches are unseen
}

// maxUnread is how many of an actor's batches may wait for the learner, and how many more go out in a link, besides one
// of each worker, before that is known again: on a busy machine the answer takes long. Of an actor of sixteen workers
// these are as many as the broker keeps (bus.Options.ActorBatches). After half of them the broker is asked.
const (
	maxUnread = 56
	askUnseen = maxUnread / 2
)

// waits reports whether no training games begin, and batches wait for more games, until the learner has caught up. In
// the stream they would wait as well, but there their number is bounded.
func (l *learnerLink) waits() bool {
	return l.paused.Load() || l.room.Load() <= 0 || l.unseen.Load() >= maxUnread
}

// sends notes a batch that is sent, until arrives is called.
func (l *learnerLink) sends() {
	l.room.Add(-1)
	l.flying.Add(1)
	if l.unseen.Add(1) >= askUnseen {
		select {
		case l.asks <- struct{}{}:
		default: // it is asked already
		}
	}
}

// arrives notes that the broker has a batch, or will never have it.
func (l *learnerLink) arrives() { l.flying.Add(-1) }

// seen returns how many of the unseen batches the answer to a question counts that is asked now.
func (l *learnerLink) seen() int64 {
	sent := l.unseen.Load() // before the flying ones: what is sent between the two is not counted
	return max(0, sent-l.flying.Load())
}

// deal makes the links.
func (a *Actor) deal() {
	o := a.opts
	for _, agent := range o.Agents {
		lobby := newPolicyPool(o.Bus, o.Resolver, agent.Name, len(o.Stages), o.Log, a.metrics)
		lobby.family, _ = o.Training.(*family.Game)
		l := &learnerLink{agent: agent.Name, pool: lobby, asks: make(chan struct{}, 1)}
		l.room.Store(math.MaxInt64)
		a.links = append(a.links, l)
		for _, gauge := range []*prometheus.GaugeVec{a.metrics.paused, a.metrics.backlog, a.metrics.version} {
			gauge.WithLabelValues(agent.Name)
		}
	}
	a.dealt = deal(o.Agents, o.Workers)
}

// arena is the policy pool that finds the players of matches.
func (a *Actor) arena() *policyPool { return a.links[0].pool }
