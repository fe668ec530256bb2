package train

import (
	"fmt"
	"maps"
	"math"
	"time"

	"croupier/engine"
	"croupier/internal/strict"
	"croupier/nn"
	"croupier/nn/kernel"
)

// Config holds every hyperparameter of the learner: those that all algorithms share, and a
// section for each algorithm. Values with a start and an end move linearly with the
// progress of the run, 0..1.
type Config struct {
	Algorithm string `yaml:"algorithm"` // ppo or dqn; see [Algorithms]

	Gamma          float64 `yaml:"gamma"`           // discount for each of the seat's decisions
	SequenceLength int     `yaml:"sequence_length"` // decisions through which recurrent networks are differentiated

	LearningRateStart float64 `yaml:"learning_rate_start"` // Adam's step size at the start of the run
	LearningRateEnd   float64 `yaml:"learning_rate_end"`   // Adam's step size at its end
	GradientNorm      float64 `yaml:"gradient_norm"`       // largest global norm of a gradient
	Precision         string  `yaml:"precision"`           // precision of products in the training graph: fp32 or bf16

	// Average is the share of the iterations so far over which the weights are averaged that the league freezes and
	// rates, while the newest ones play training games; 0: no average, they are the same.
	Average float64 `yaml:"average"`

	// Shaping weights the game's reward shaping terms, in units of the largest return.
	Shaping Shaping `yaml:"shaping,flow"`

	// Horizon is the number of samples over which values move from start to end in a run
	// without a fixed end.
	Horizon uint64 `yaml:"horizon"`

	CheckpointInterval Interval `yaml:"checkpoint_interval"` // time (30s) or updates (10000) between checkpoints
	Workers            int      `yaml:"workers"`             // gradients computed in parallel; 0: one for each core

	Group string `yaml:"group"` // what several learners of the agent exchange: gradients or, on slow links, weights
	// GroupIterations is how many iterations the leader of a group makes between two averages of weights; 0: as many
	// as make their exchange a twentieth of the time.
	GroupIterations int `yaml:"group_iterations"`

	Sections `yaml:",inline"`
	// Further are the settings of algorithms that the program does not bring along, by name.
	Further map[string]Settings `yaml:",inline"`
}

// What the learners of an agent exchange.
const (
	GroupGradients = "gradients" // those of each minibatch: the weights are those of one learner
	GroupWeights   = "weights"   // averages, after iterations of their own
)

// MaxGroupIterations is the most iterations between two averages of weights.
const MaxGroupIterations = 64

// DefaultConfig returns settings for games of perfect information; other games have files
// of their own (docs/explain/algorithms/ppo.md explains how the values were found).
func DefaultConfig() Config {
	return Config{
		Algorithm: "ppo",

		Gamma:          1,  // rewards come only at the game's end, and every game ends
		SequenceLength: 32, // most games here have fewer decisions per seat

		LearningRateStart: 1e-3, // networks of 1e4 to 1e5 weights tolerate more than the usual 2.5e-4
		LearningRateEnd:   1e-4, // not 0: a run may be resumed
		GradientNorm:      0.5,  // as in CleanRL
		Precision:         kernel.FP32.String(),

		Average: 0, // of use where self-play circles an equilibrium, as in poker

		Shaping: Shaping{}, // off: it changes which policy is best

		Horizon: 50_000_000, // a few hours on two cores

		CheckpointInterval: Every(30 * time.Second), // the work that a crash may cost
		Workers:            0,

		Group:           GroupGradients, // the weights are those of one learner
		GroupIterations: 0,

		Sections: defaultSections(),
	}
}

// With returns the settings with those of further algorithms, under their names.
func (c Config) With(further ...Settings) Config {
	c.Further = maps.Clone(c.Further)
	for _, s := range further {
		if c.Further == nil {
			c.Further = map[string]Settings{}
		}
		c.Further[s.Algorithm().Name] = s
	}
	return c
}

// Validate reports which settings are out of range.
func (c *Config) Validate() error {
	s := &Checks{}
	if _, err := c.Choose(); err != nil {
		s.wrong = append(s.wrong, err)
	}
	s.Check(c.Gamma > 0 && c.Gamma <= 1, "gamma", c.Gamma, "above 0 and at most 1")
	s.Whole("sequence_length", c.SequenceLength, 1, 4096)
	s.Positive("learning_rate_start", c.LearningRateStart)
	s.NotNegative("learning_rate_end", c.LearningRateEnd)
	s.Positive("gradient_norm", c.GradientNorm)
	s.Check(c.precision().String() == c.Precision, "precision", c.Precision, "fp32 or bf16")
	s.Share("average", c.Average)
	s.Check(c.Horizon > 0, "horizon", c.Horizon, "a positive number")
	s.Check(c.CheckpointInterval.valid(), "checkpoint_interval", c.CheckpointInterval,
		"a positive duration like 30s or a number of updates like 10000")
	s.Whole("workers", c.Workers, 0, 1024)
	s.Check(c.Group == GroupGradients || c.Group == GroupWeights, "group", c.Group, "gradients or weights")
	s.Whole("group_iterations", c.GroupIterations, 0, MaxGroupIterations)
	for _, a := range c.Algorithms() {
		s.of(a)
	}
	return s.err()
}

// precision is that of products in the training graph.
func (c Config) precision() kernel.Precision {
	if c.Precision == kernel.BF16.String() {
		return kernel.BF16
	}
	return kernel.FP32
}

// Check reports settings that do not fit a game or the network that learns it.
func (c *Config) Check(game engine.Game, network nn.Description) error {
	if err := c.Shaping.Check(game); err != nil {
		return err
	}
	if c.Algorithm == c.PPO.Algorithm().Name && c.PPO.ChanceCorrection && len(network.LSTM) > 0 {
		return strict.Errorf("ppo.chance_correction", "what chance might have brought cannot be judged by a network with "+
			"memory, one with lstm layers")
	}
	return nil
}

// Checks collects what is wrong with the settings of a section. Each method reports a key, without the section's name,
// and its value if that is out of range.
type Checks struct {
	section string // prefix of each key
	wrong   []error
}

// of checks the settings of an algorithm.
func (s *Checks) of(a Algorithm) {
	s.section = a.Name + "."
	a.Check(s)
}

func (s *Checks) err() error { return strict.Join(s.wrong...) }

// Check reports the value unless ok; want says what it must be: "in 1..8".
func (s *Checks) Check(ok bool, key string, value any, want string) {
	if !ok {
		s.wrong = append(s.wrong, strict.Errorf(s.section+key, "%v is not %s", value, want))
	}
}

// Whole wants a number in low..high.
func (s *Checks) Whole(key string, value, low, high int) {
	s.Check(value >= low && value <= high, key, value, fmt.Sprintf("in %d..%d", low, high))
}

// Positive wants a finite number above 0.
func (s *Checks) Positive(key string, value float64) {
	s.Check(value > 0 && !math.IsInf(value, 0), key, value, "a positive number")
}

// NotNegative wants a finite number of at least 0.
func (s *Checks) NotNegative(key string, value float64) {
	s.Check(value >= 0 && !math.IsInf(value, 0), key, value, "0 or a positive number")
}

// Share wants a number in 0..1.
func (s *Checks) Share(key string, value float64) {
	s.Check(value >= 0 && value <= 1, key, value, "in 0..1")
}

// LearningRate returns Adam's step size at the given part of the run, 0..1.
func (c Config) LearningRate(progress float64) float64 {
	return Linear(c.LearningRateStart, c.LearningRateEnd, progress)
}

// Linear interpolates between start and end by progress, 0..1.
func Linear(start, end, progress float64) float64 { return start + (end-start)*progress }
