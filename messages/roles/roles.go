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
	Bus  bus.Bus
	Game engine.Game // of matches
	// Training is the game of training games where that is another one: a family of tables; nil: Game.
	Training engine.Game
	Stages   []engine.Game // of the curriculum that comes before Training
	Run      string        // ID of the run
	RunSeed  uint64
	// Dir is the role's part of the run directory; "": nothing is kept.
	Dir string
	// Conduct reports when an actor is quarantined, and which share of a core audits take.
	Conduct    conduct.Config
	Registerer prometheus.Registerer
	// MetricsAddress is where /metrics is served, for the heartbeat; "": nowhere.
	MetricsAddress string
	Log            *slog.Logger
}

// TrainingGames returns the games of training games by stage of the curriculum; 0 is the run's own.
func (c *Common) TrainingGames() []engine.Game {
	own := c.Training
	if own == nil {
		own = c.Game
	}
	return append([]engine.Game{own}, c.Stages...)
}

// Process is the process of a role in its heartbeats, which starts now.
func (c *Common) Process(role, id string) presence.Process {
	return presence.NewProcess(c.Bus.Roles(), role, id, c.MetricsAddress)
}
