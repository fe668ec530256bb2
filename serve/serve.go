// Package serve answers questions about positions over HTTP with the decisions of one agent.
//
// Two kinds of questions get answers: a position as engine.PositionOf reads it, and the messages of
// docs/guide/add-an-agent.md, so that a program that plays with agents of other people plays with this one. Either way
// the agent learns what the seat to move knows, and nothing else. Decisions of a network are made in batches of
// whatever questions are waiting; docs/guide/serve.md describes the API.
package serve

import (
	"context"
	"fmt"
	"time"

	"croupier/engine"
	"croupier/player"
)

// Server answers for one agent of one game. Goroutines may share it.
type Server struct {
	game    engine.Game
	agent   string
	mind    mind
	memory  bool // the agent is a network that remembers what happened
	limits  *limiter
	metrics *metrics
}

// mind makes decisions. Goroutines may share it.
type mind interface {
	// decide fills the decision.
	decide(ctx context.Context, d *decision) error
	// unit is that of what actions are worth; "" if the agent does not know.
	unit() string
}

// decision is a question to an agent, and its answer.
type decision struct {
	state engine.State
	legal []int // of the seat to move, ascending
	past  []int // history that leads to state; nil: unknown, or not needed
	seed  uint64

	action  int       // taken
	chances []float64 // of the legal actions; nil: the agent does not give them
	values  []float64 // what the legal actions are worth, in the mind's unit; nil: the agent does not know
	value   *float64  // what the position is worth to the seat, in the game's unit; nil: likewise
}

// New returns a server for a player of the game, whose work ends with ctx. More questions a second from one address
// than rate are refused; 0: no limit.
func New(ctx context.Context, game engine.Game, player *player.Player, rate float64) *Server {
	s := &Server{game: game, agent: player.Name, limits: newLimiter(rate), metrics: newMetrics()}
	if player.Network != nil {
		s.memory = player.Network.Layout.StateSize > 0
		s.mind = newNetwork(ctx, game, player, s.metrics.batch)
	} else {
		s.mind = newPolicies(player)
	}
	return s
}

// ask reads a position and has the agent decide there. Notes say what was assumed.
func (s *Server) ask(ctx context.Context, position []byte, seed uint64) (d *decision, notes []string, err error) {
	began := time.Now()
	state, past, notes, err := engine.PositionOf(s.game, position, engine.NewRNG(seed, 0))
	if err != nil {
		return nil, nil, &refusal{err}
	}
	d = &decision{state: state, legal: state.LegalActions(nil), seed: seed}
	if s.memory {
		if d.past = past; past == nil {
			notes = append(notes, fmt.Sprintf("%s has a memory, and positions of %s hold only the present: "+
				"it decides as if the game had begun there", s.agent, s.game.Spec().Name))
		}
	}
	if err := s.mind.decide(ctx, d); err != nil {
		return nil, nil, err
	}
	s.metrics.decisions.Observe(time.Since(began).Seconds())
	return d, notes, nil
}

// refusal is an error of the client.
type refusal struct{ error }
