package learner

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"time"

	"croupier/engine"
	"croupier/internal/strict"
	"croupier/messages"
	"croupier/nn"
)

// Algorithm is a learning algorithm with its settings: everything the rest of the package
// knows of it.
type Algorithm struct {
	Name    string            // also the key of its settings
	Outputs nn.Outputs        // what the networks it trains compute
	Series  []messages.Series // its own curves; see [Series] for those of all runs

	samples int    // new ones that an iteration waits for
	maxLag  uint64 // most versions by which a game's weights may lag behind
	second  string // name of its second list of weights in checkpoints; "" for none
	check   func(*settings)
	// newTrainer makes the trainer, which in turn makes its intakes.
	newTrainer func(setup) (trainer, error)
}

// Sections holds the settings of every algorithm, each under the algorithm's name. A new
// algorithm is a file and a line here (docs/add-an-algorithm.md).
type Sections struct {
	PPO PPOConfig `yaml:"ppo"`
	DQN DQNConfig `yaml:"dqn"`
}

// section holds the settings of one algorithm.
type section interface {
	reset()               // restores the defaults
	algorithm() Algorithm // with these settings
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

// AlgorithmNames lists the algorithms for people: "ppo or dqn".
func AlgorithmNames() string {
	var names []string
	for _, a := range Algorithms() {
		names = append(names, a.Name)
	}
	return anyOf(names)
}

// anyOf returns "a, b or c".
func anyOf(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// setup is what a trainer begins with.
type setup struct {
	config  Config        // what the algorithms share
	games   []engine.Game // of the curriculum, by stage number
	network *nn.Network
	seed    uint64
	workers int
	teacher Teacher // nil: teachers are bots of the game
}

// trainer is a learning algorithm at work on one network. It belongs to one goroutine.
type trainer interface {
	// newIntake makes an intake for this trainer to learn from. All intakes are made before
	// the first one is used.
	newIntake() intake
	// progress counts steps of work within iterations, such as minibatches; any goroutine may ask. While it stands still,
	// nothing is learnt.
	progress() uint64
	// published returns the network that actors should play with. It never changes, since it is
	// published while the trainer goes on.
	published() *nn.Network
	// exploration returns the probability for nn.Evaluator.SetExploration in training
	// games.
	exploration(progress float64) float64
	// snapshot returns the trainer's state, sharing the trainer's memory.
	snapshot() (*snapshot, error)
	// restore returns to a snapshot, whose weights the trainer was made with.
	restore(s *snapshot) error
	// adopt makes another network the one from which training goes on, with smaller steps than before or with
	// those of a new one.
	adopt(n *nn.Network, smaller bool)
}

// intake gathers the verified games from which its trainer learns in one iteration.
// Ingestion fills it game by game: begin, visit for each decision, keep. A game that is not
// kept leaves no trace. The intake passes from the ingestion goroutine to the trainer's and
// back.
type intake interface {
	reset()                          // empties it but keeps its memory
	begin(stage uint32, seed uint64) // stage of the curriculum, seed of the game
	// visit is called before each decision is applied, own says whether the agent made it; and before
	// what chance brings (seat engine.Chance).
	visit(s engine.State, seat, action int, legal []int, logProb float32, own bool)
	keep(g played)
	volume() *volume
	// learn improves the trainer's network at the given part of the run, 0..1. Afterwards
	// the trainer publishes the new network, which is sound. An error that wraps errUnsound
	// means that it was not sound and that everything is as before. When ctx ends, the
	// iteration ends after the current minibatch.
	learn(ctx context.Context, progress float64) (report, error)
}

// played is a verified game. Its slices belong to the receiver.
type played struct {
	stage    uint32 // of the curriculum
	history  []byte
	results  []float32 // by seat, in units of its game's Spec.MaxReturn
	versions []uint64  // of the deciding weights, by seat; 0 where the agent did not sit
}

// errUnsound is wrapped by the error of an iteration that was rolled back.
var errUnsound = errors.New("unsound update")

// report describes an iteration.
type report struct {
	updates      int
	updateTime   time.Duration // of all updates
	learningRate float64
	caution      float64 // the factor in it that iterations undone have left; see caution
	gradientNorm float64 // mean over the updates, before clipping
	klStopped    bool
	readings     []reading // of all series of the algorithm
}

// reading is a value of a learning curve.
type reading struct {
	series string
	value  float64
}

// Iteration returns with how many samples an iteration of the configured algorithm begins, and by how many versions a
// game may be behind.
func (c *Config) Iteration() (samples int, maxLag uint64, err error) {
	a, err := c.choose()
	return a.samples, a.maxLag, err
}

// choose returns the algorithm named by the configuration.
func (c *Config) choose() (Algorithm, error) {
	for _, s := range c.all() {
		if a := s.algorithm(); a.Name == c.Algorithm {
			return a, nil
		}
	}
	return Algorithm{}, strict.Errorf("algorithm", "%s is not %s", c.Algorithm, AlgorithmNames())
}

// Network returns the description with the outputs that the configured algorithm trains.
// Where the description leaves the outputs open, action values are those of a dueling
// network. It fails for an unknown algorithm and for a description that asks for other
// outputs.
func (c *Config) Network(d nn.Description) (nn.Description, error) {
	a, err := c.choose()
	if err != nil {
		return d, strict.Under("learner", err)
	}
	if a.Outputs == nn.ActionValueOutputs && d.Outputs == "" {
		d.Dueling = true
	}
	if err := a.fits(d); err != nil {
		return d, err
	}
	if d.Dueling || d.Outputs == nn.PolicyOutputs {
		d.Outputs = "" // implied anyway: one network has one description
	}
	return d, nil
}

// fits reports which field of a description asks for outputs that the algorithm does not
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
	return strict.Between("network."+field, "learner.algorithm", "%s trains %s, not %s", a.Name, trained, wanted)
}
