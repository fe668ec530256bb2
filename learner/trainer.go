package learner

import (
	"context"
	"errors"
	"time"

	"croupier/engine"
	"croupier/nn"
)

// trainer is a learning algorithm at work on one network. It belongs to one goroutine.
type trainer interface {
	// iterate learns from the games of an intake, at the given part of the run, 0..1.
	// Afterwards published returns the new network, which is sound. An error that wraps
	// errUnsound means that it was not and that all is as before. When ctx ends the
	// iteration does so after the minibatch at hand.
	iterate(ctx context.Context, in intake, progress float64) (report, error)
	// published returns the network that actors are to play with.
	published() *nn.Network
	// exploration is that of nn.Evaluator.SetExploration in training games.
	exploration(progress float64) float64
	// snapshot returns the trainer's state, in the memory of the trainer.
	snapshot() (*snapshot, error)
	// restore goes back to a snapshot, whose weights the trainer was made with.
	restore(s *snapshot) error
	close() error
}

// errUnsound is wrapped by the error of an iteration that was rolled back.
var errUnsound = errors.New("unsound update")

// report is what an iteration was like.
type report struct {
	updates      int
	updateTime   time.Duration // of all updates
	learningRate float64
	gradientNorm float64 // mean over the updates, before clipping
	klStopped    bool
	readings     []reading // of the algorithm's own curves
}

// reading is a value of a learning curve.
type reading struct {
	series string
	value  float64
}

// intake gathers the verified games from which a trainer learns in one iteration.
// Ingestion fills it game by game: begin, visit for each decision, keep. A game that is
// not kept leaves no trace.
type intake interface {
	reset()             // empties it and keeps its memory
	begin(stage uint32) // of the curriculum
	// visit is told of a decision before it is made; own says that it is the agent's.
	visit(s engine.State, seat, action int, legal []int, logProb float32, own bool)
	keep(g played)
	volume() *volume
}

// played is a verified game. Its slices are the taker's.
type played struct {
	stage    uint32 // of the curriculum
	history  []byte
	results  []float32 // by seat, in units of its game's Spec.MaxReturn
	versions []uint64  // by seat: of the weights that decided; 0 where the agent did not sit
}

// newTrainer makes the trainer of the configured algorithm for a network. games are
// those of the curriculum, by the number of the stage.
func newTrainer(c Config, games []engine.Game, n *nn.Network, seed uint64, workers int) (trainer, error) {
	if c.Algorithm == DQN {
		return newDQN(c, games, n, seed, workers)
	}
	return newPPO(c, n, seed, workers)
}

// newIntake makes what the configured algorithm learns from.
func newIntake(c Config, games []engine.Game) intake {
	if c.Algorithm == DQN {
		return newArrivals(games[0].Spec())
	}
	return &recording{newRollout(games[0].Spec()), newRecorder(c, games)}
}
