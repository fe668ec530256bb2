package actor

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// lane is what the training games of a learning agent need.
type lane struct {
	agent  string
	lobby  *lobby
	paused atomic.Bool // the learner is behind
	yields atomic.Bool // it is at work on what it has: the cores are for it
}

// deal makes the lanes.
func (a *Actor) deal() {
	o := a.opts
	lanes := map[int]*lane{}
	for _, i := range deal(o.Agents, o.Workers, o.ID, o.Every) {
		if lanes[i] == nil {
			agent := o.Agents[i].Name
			lanes[i] = &lane{agent: agent, lobby: newLobby(o.Bus, o.Resolver, agent, len(o.Stages), o.Log, a.metrics)}
			a.lanes = append(a.lanes, lanes[i])
			for _, gauge := range []*prometheus.GaugeVec{a.metrics.paused, a.metrics.backlog, a.metrics.version} {
				gauge.WithLabelValues(agent)
			}
		}
		a.dealt = append(a.dealt, lanes[i])
	}
}

// arena is the lobby that finds the players of matches.
func (a *Actor) arena() *lobby { return a.lanes[0].lobby }
