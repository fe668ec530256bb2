// Package player describes agents that play: their fixed weights, the way they play them, and how they are found by
// name.
package player

import (
	"context"

	"croupier/nn"
	"croupier/policy"
)

// Player is an agent with fixed weights, as it sits at tables. It is immutable
// and shared by goroutines.
type Player struct {
	Name     string
	Version  uint64 // of a learning agent's published weights
	Stage    int    // of the curriculum in which they train; 0: the run's own game
	Learning bool   // its decisions are recorded with their log-probability
	// Exploration is the probability, 0..1, with which a network of action values tries
	// any action (nn.Evaluator.SetExploration); 0 everywhere but in training.
	Exploration float64
	SHA256      []byte // of the file with its weights; nil where there is none
	// Exactly one of the two is set.
	Network   *nn.Network
	NewPolicy func() policy.Policy
	// Temperature is how the network plays where it does not learn; learning players always
	// draw from its distribution.
	Temperature policy.Temperature
}

// Policy returns a policy that plays one seat as the player does, for callers who need no
// room. It belongs to one goroutine.
func (p *Player) Policy() policy.Policy {
	if p.Network != nil {
		return nn.NewPolicy(p.Network, p.Temperature)
	}
	return p.NewPolicy()
}

// Resolver finds players.
type Resolver interface {
	// Player returns the agent of that name: a bot, a solver, a frozen version. It may
	// take minutes, is called by several goroutines, and returns soon after ctx ends.
	Player(ctx context.Context, name string) (*Player, error)
	// Network decodes published weights, whose SHA-256 must be the given one.
	Network(data, sha256 []byte) (*nn.Network, error)
}
