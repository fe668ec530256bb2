package train

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"croupier/engine"
	"croupier/internal/strict"
	"croupier/messages"
	"croupier/nn"
)

// Series describes a learning curve.
type Series = messages.Series

// Where curves are shown: with what is learnt, or with how fast.
const (
	SeriesOfLearning   = messages.SeriesOfLearning
	SeriesOfThroughput = messages.SeriesOfThroughput
)

// Algorithm is a learning algorithm with its settings: everything that others
// know of it.
type Algorithm struct {
	Name    string     // also the key of its settings
	Outputs nn.Outputs // what the networks it trains compute
	Series  []Series   // its own curves, next to those of every run

	Samples int    // new ones that an iteration waits for
	MaxLag  uint64 // most versions by which a game's weights may lag behind
	// Grouped: learners of a group can learn together, see [Exchange]. The algorithm keeps nothing but what is in its
	// State, and what it draws comes from the Descent's random stream.
	Grouped    bool
	Second     string                       // name of its second list of weights in checkpoints; "" for none
	Check      func(*Checks)                // reports which of its settings are out of range
	NewTrainer func(Setup) (Trainer, error) // makes a trainer with these settings
}

// Sections holds the settings of the algorithms that the program brings along, each under the algorithm's name.
type Sections struct {
	PPO PPOConfig `yaml:"ppo"` // proximal policy optimisation
	DQN DQNConfig `yaml:"dqn"` // deep Q-networks
}

// defaultSections returns their defaults.
func defaultSections() Sections {
	return Sections{PPO: defaultPPO(), DQN: defaultDQN()}
}

// Settings are the settings of one algorithm: a pointer to a struct whose fields have yaml tags.
type Settings interface {
	// Algorithm returns the algorithm with these settings.
	Algorithm() Algorithm
}

// Algorithms returns the algorithms, each with its settings.
func (c *Config) Algorithms() (list []Algorithm) {
	for _, field := range reflect.ValueOf(&c.Sections).Elem().Fields() {
		list = append(list, field.Addr().Interface().(Settings).Algorithm())
	}
	for _, name := range slices.Sorted(maps.Keys(c.Further)) {
		list = append(list, c.Further[name].Algorithm())
	}
	return list
}

// Algorithms returns those that the program brings along, with their default settings.
func Algorithms() []Algorithm {
	c := DefaultConfig()
	return c.Algorithms()
}

// AlgorithmNames lists algorithms for people: "ppo or dqn".
func AlgorithmNames(list []Algorithm) string {
	var names []string
	for _, a := range list {
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

// Setup is what a trainer begins with.
type Setup struct {
	Config  Config        // what the algorithms share
	Games   []engine.Game // of the curriculum, by stage number
	Network *nn.Network   // with the weights that training begins with
	Seed    uint64        // of the order of samples, and of all else that is drawn
	Workers int           // gradients computed in parallel, at least 1
	Teacher Teacher       // nil: teachers are bots of the game
	// CutFor is for how many workers minibatches are cut; 0: for Workers. It is the same in all learners of a group.
	CutFor   int
	Exchange Exchange // with the other learners of a group; nil: there are none
}

// Trainer is a learning algorithm at work on one network. It belongs to one goroutine.
type Trainer interface {
	// NewRecorder makes what turns games into the rows that the algorithm learns from.
	NewRecorder() *Recorder
	// Learn improves the network by a rollout at the given part of the run, 0..1. Afterwards
	// the network is published, which is sound. An error that wraps ErrUnsound
	// means that it was not sound and that everything is as before. When ctx ends, the
	// iteration ends after the current minibatch.
	Learn(ctx context.Context, r *Rollout, progress float64) (Report, error)
	// Progress counts steps of work within iterations, such as minibatches; any goroutine may ask. While it stands still,
	// nothing is learnt.
	Progress() uint64
	// Published returns the network that actors should play with. It never changes, since it is
	// published while the trainer works.
	Published() *nn.Network
	// Exploration returns the probability, 0..1, for nn.Evaluator.SetExploration in training
	// games at the given part of the run, 0..1.
	Exploration(progress float64) float64
	// Snapshot returns the trainer's state, sharing the trainer's memory.
	Snapshot() (*State, error)
	// Restore returns to a state, whose weights the trainer was made with.
	Restore(s *State) error
	// Adopt makes another network the one from which training continues, with smaller steps than before or with
	// those of a new one.
	Adopt(n *nn.Network, smaller bool)
	// Continue makes other weights the network, as a group of learners has averaged them, and keeps what led to the
	// present ones. With a rollout that was learnt from last, weights that are not sound on it change nothing, and the
	// error wraps ErrUnsound; with nil they are not tried.
	Continue(weights []float32, r *Rollout) error
}

// State is what a trainer continues from. Lists of weights and moments are flat, with Layout.Size values.
type State struct {
	Weights []float32 // of the network
	Second  []float32 // second list of weights; see Algorithm.Second
	M, V    []float32 // moments of Adam, in the paper's letters: m and v
	Steps   uint64    // of Adam
	RNG     []byte    // state of the shuffling stream
	Caution Caution   // the zero value: not known
}

// ErrUnsound is wrapped by the error of an iteration that was rolled back.
var ErrUnsound = errors.New("unsound update")

// Report describes an iteration.
type Report struct {
	Updates      int           // steps of the optimiser
	UpdateTime   time.Duration // of all updates
	LearningRate float64       // Adam's step size, Caution included
	Caution      float64       // the factor in it that iterations undone have left; see [Caution]
	GradientNorm float64       // mean over the updates, before clipping
	KLStopped    bool          // it ended early because the policy had moved as far as it may
	Readings     []Reading     // of all series of the algorithm
}

// Reading is a value of a learning curve.
type Reading struct {
	Series string  // its name
	Value  float64 // in the unit of the series
}

// Validate reports which of its settings are out of range.
func (a Algorithm) Validate() error {
	s := &Checks{}
	s.of(a)
	return s.err()
}

// Iteration returns with how many samples an iteration of the configured algorithm begins, and by how many versions a
// game may be behind.
func (c *Config) Iteration() (samples int, maxLag uint64, err error) {
	a, err := c.Choose()
	return a.Samples, a.MaxLag, err
}

// Choose returns the algorithm named by the configuration.
func (c *Config) Choose() (Algorithm, error) {
	list := c.Algorithms()
	for _, a := range list {
		if a.Name == c.Algorithm {
			return a, nil
		}
	}
	return Algorithm{}, strict.Errorf("algorithm", "%s is not %s", c.Algorithm, AlgorithmNames(list))
}

// Network returns the description with the outputs that the configured algorithm trains.
// Where the description leaves the outputs open, action values are those of a dueling
// network. It fails for an unknown algorithm and for a description that asks for other
// outputs.
func (c *Config) Network(d nn.Description) (nn.Description, error) {
	a, err := c.Choose()
	if err != nil {
		return d, strict.Under("learner", err)
	}
	if a.Outputs == nn.ActionValueOutputs && d.Outputs == "" {
		d.Dueling = true
	}
	if err := a.Fits(d); err != nil {
		return d, err
	}
	if d.Dueling || d.Outputs == nn.PolicyOutputs {
		d.Outputs = "" // implied anyway: one network has one description
	}
	return d, nil
}

// Fits reports which field of a description asks for outputs that the algorithm does not
// train.
func (a *Algorithm) Fits(d nn.Description) error {
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

// ExplainedVariance is a curve of every algorithm that has values of decisions; see
// [Rollout.ExplainedVariance].
var ExplainedVariance = Series{
	Name: "explained_variance", Title: "Explained variance", Unit: "share", Metric: "explained_variance_ratio",
	Help: "Share of the variance of results that the value explains.", Section: SeriesOfLearning, Awaited: true,
}
