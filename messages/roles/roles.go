// Package roles holds what the roles of a run have in common when they are made.
package roles

import (
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"croupier/engine"
	"croupier/messages/bus"
	"croupier/messages/conduct"
	"croupier/messages/presence"
)

// Common is what every role of a run in one process is given. The options of each role embed it.
type Common struct {
	Bus     bus.Bus
	Game    engine.Game
	Stages  []engine.Game // of the curriculum that comes before Game
	Run     string        // ID of the run
	RunSeed uint64
	// Dir is the role's part of the run directory; "": nothing is kept.
	Dir string
	// Conduct says when an actor is quarantined, and which share of a core audits take.
	Conduct    conduct.Config
	Registerer prometheus.Registerer
	// MetricsAddress is where /metrics is served, for the heartbeat; "": nowhere.
	MetricsAddress string
	Log            *slog.Logger
}

// Process is the process of a role in its heartbeats, which starts now.
func (c *Common) Process(role, id string) presence.Process {
	return presence.NewProcess(c.Bus.Roles(), role, id, c.MetricsAddress)
}
