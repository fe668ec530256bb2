package learner

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"croupier/engine"
	"croupier/messages"
	"croupier/nn"
)

// Algorithm is a learning algorithm with its settings: all that the rest of the package
// knows of it.
type Algorithm struct {
	Name    string            // the key of its settings too
	Outputs nn.Outputs        // what the networks that it trains give
	Series  []messages.Series // the curves of its own; see [Series] for those of all runs

	samples int    // new decisions that an iteration waits for
	maxLag  uint64 // versions by which the weights that played a game may be behind
	second  string // what it keeps a second list of weights for, in checkpoints; "" for none
	check   func(*settings)
	// newTrainer makes what learns. Its intakes are the trainer's own.
	newTrainer func(setup) (trainer, error)
}

// Sections are the algorithms there are: their settings, each under the algorithm's name.
// A new algorithm is a file and a line here.
type Sections struct {
	PPO PPOConfig `yaml:"ppo"`
	DQN DQNConfig `yaml:"dqn"`
}

// section is the settings of one algorithm.
type section interface {
	reset()               // to the defaults
	algorithm() Algorithm // that learns by these settings
}

// all returns the settings of all algorithms.
func (s *Sections) all() (list []section) {
	for _, field := range reflect.ValueOf(s).Elem().Fields() {
		list = append(list, field.Addr().Interface().(section))
	}
	return list
}

// Algorithms returns the algorithms with their default settings.
func Algorithms() (list []Algorithm) {
	c := DefaultConfig()
	for _, s := range c.all() {
		list = append(list, s.algorithm())
	}
	return list
}

// AlgorithmNames is how people are told which algorithms there are: "ppo or dqn".
func AlgorithmNames() string {
	var names []string
	for _, a := range Algorithms() {
		names = append(names, a.Name)
	}
	return strings.Join(names, " or ")
}

// setup is what a trainer begins with.
type setup struct {
	config  Config        // what the algorithms share
	games   []engine.Game // of the curriculum, by the number of the stage
	network *nn.Network
	seed    uint64
	workers int
}

// trainer is a learning algorithm at work on one network. It belongs to one goroutine.
type trainer interface {
	// newIntake makes an intake from which this trainer learns. All intakes are made
	// before the first is learnt from.
	newIntake() intake
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

// intake gathers the verified games from which its trainer learns in one iteration.
// Ingestion fills it game by game: begin, visit for each decision, keep. A game that is
// not kept leaves no trace. It is handed from the goroutine of ingestion to that of the
// trainer and back.
type intake interface {
	reset()             // empties it and keeps its memory
	begin(stage uint32) // of the curriculum
	// visit is told of a decision before it is made; own says that it is the agent's.
	visit(s engine.State, seat, action int, legal []int, logProb float32, own bool)
	keep(g played)
	volume() *volume
	// learn improves the trainer's network, at the given part of the run, 0..1. Afterwards
	// the trainer publishes the new network, which is sound. An error that wraps errUnsound
	// means that it was not and that all is as before. When ctx ends the iteration does so
	// after the minibatch at hand.
	learn(ctx context.Context, progress float64) (report, error)
}

// played is a verified game. Its slices are the taker's.
type played struct {
	stage    uint32 // of the curriculum
	history  []byte
	results  []float32 // by seat, in units of its game's Spec.MaxReturn
	versions []uint64  // by seat: of the weights that decided; 0 where the agent did not sit
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
	readings     []reading // of all series of the algorithm
}

// reading is a value of a learning curve.
type reading struct {
	series string
	value  float64
}

// choose returns the algorithm that the configuration names.
func (c *Config) choose() (Algorithm, error) {
	for _, s := range c.all() {
		if a := s.algorithm(); a.Name == c.Algorithm {
			return a, nil
		}
	}
	return Algorithm{}, fmt.Errorf("algorithm: %s is not %s", c.Algorithm, AlgorithmNames())
}

// Network returns the description with the outputs that the configured algorithm trains:
// action values, where nothing is said of them, are those of a dueling network. The error
// is of an algorithm that there is not or of a description that asks for other outputs.
func (c *Config) Network(d nn.Description) (nn.Description, error) {
	a, err := c.choose()
	if err != nil {
		return d, fmt.Errorf("learner: %w", err)
	}
	if a.Outputs == nn.ActionValueOutputs && d.Outputs == "" {
		d.Dueling = true
	}
	if err := a.fits(d); err != nil {
		return d, fmt.Errorf("network: %w", err)
	}
	if d.Dueling || d.Outputs == nn.PolicyOutputs {
		d.Outputs = "" // what it is anyway: one network, one description
	}
	return d, nil
}

// fits says which field of a description asks for outputs that the algorithm does not
// train.
func (a *Algorithm) fits(d nn.Description) error {
	if d.ActionValues() == (a.Outputs == nn.ActionValueOutputs) {
		return nil
	}
	field, trained, wanted := "outputs", "a policy", "action values"
	if a.Outputs == nn.ActionValueOutputs {
		trained, wanted = wanted, trained
	}
	if d.Dueling && d.Outputs == "" {
		field = "dueling"
	}
	return fmt.Errorf("%s: %s trains %s, not %s", field, a.Name, trained, wanted)
}
