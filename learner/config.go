package learner

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Kinds of magnet: the policy towards which the magnet term pulls.
const (
	MagnetNone     = "none"
	MagnetPrevious = "previous" // the policy at the start of the iteration
	MagnetAverage  = "average"  // the network with an exponential average of past weights
	MagnetUniform  = "uniform"  // every legal action with the same probability
)

// Config holds every hyperparameter of the learner. Values that have a start and
// an end move linearly with the progress of the run (see [Options.Progress]).
type Config struct {
	Samples        int `yaml:"samples"`         // decisions gathered for one iteration
	Epochs         int `yaml:"epochs"`          // passes over them
	Minibatch      int `yaml:"minibatch"`       // decisions in one update, at most
	SequenceLength int `yaml:"sequence_length"` // decisions through which recurrent networks are differentiated

	LearningRateStart float64 `yaml:"learning_rate_start"` // Adam's step size
	LearningRateEnd   float64 `yaml:"learning_rate_end"`
	ClipStart         float64 `yaml:"clip_start"` // how far the probability ratio may leave 1 before its gradient is cut
	ClipEnd           float64 `yaml:"clip_end"`
	ValueClip         float64 `yaml:"value_clip"`        // the same for the value, in units of the largest return; 0: no clipping
	ValueCoefficient  float64 `yaml:"value_coefficient"` // weight of the value loss
	EntropyStart      float64 `yaml:"entropy_start"`     // weight of the entropy bonus
	EntropyEnd        float64 `yaml:"entropy_end"`
	Magnet            string  `yaml:"magnet"`             // none, previous, average or uniform
	MagnetCoefficient float64 `yaml:"magnet_coefficient"` // weight of KL(policy ‖ magnet)
	MagnetRate        float64 `yaml:"magnet_rate"`        // how far an average magnet follows in an iteration, 0..1

	Gamma               float64 `yaml:"gamma"`                // discount per own decision
	GAELambda           float64 `yaml:"gae_lambda"`           // 1: the game's result, 0: the next value
	NormaliseAdvantages bool    `yaml:"normalise_advantages"` // to mean 0 and deviation 1 in each iteration

	GradientNorm float64 `yaml:"gradient_norm"` // largest global norm of a gradient
	AdamBeta1    float64 `yaml:"adam_beta1"`    // decay of the mean gradient
	AdamBeta2    float64 `yaml:"adam_beta2"`    // decay of the mean squared gradient
	AdamEpsilon  float64 `yaml:"adam_epsilon"`  // added to the root of the mean square

	KLStop float64 `yaml:"kl_stop"` // nats by which an iteration may move the policy before it ends; 0: no limit
	MaxLag uint64  `yaml:"max_lag"` // versions by which a game's policy may be behind

	Horizon uint64 `yaml:"horizon"` // samples over which values move from start to end in a run without end

	CheckpointInterval time.Duration `yaml:"checkpoint_interval"` // time between checkpoints
	CheckpointsKept    int           `yaml:"checkpoints_kept"`    // newest checkpoints kept
	Workers            int           `yaml:"workers"`             // gradients computed in parallel; 0: one for each core
}

// DefaultConfig returns settings for games of perfect information; those of the other
// games are in their files (docs/algorithms/ppo.md says how they were found).
func DefaultConfig() Config {
	return Config{
		Samples:        16384, // a new version about every second on two cores
		Epochs:         4,     // within 4 to 8 of Rudolph et al. 2026
		Minibatch:      2048,  // their largest; small networks need large matrices
		SequenceLength: 32,    // most games here have fewer decisions a seat

		LearningRateStart: 1e-3, // networks of 1e4 to 1e5 weights bear more than the usual 2.5e-4
		LearningRateEnd:   1e-4, // not 0: a run may be resumed
		ClipStart:         0.2,  // Schulman et al. 2017
		ClipEnd:           0.1,  // smaller towards the end, as is usual
		ValueClip:         0,    // no gain in Andrychowicz et al. 2021 (3.2)
		ValueCoefficient:  0.5,  // as in CleanRL
		EntropyStart:      0.01, // enough where the dice explore; poker wants a magnet (docs/algorithms/ppo.md)
		EntropyEnd:        0,
		Magnet:            MagnetNone,
		MagnetCoefficient: 0.5,  // used when a magnet is chosen; measured on Kuhn poker
		MagnetRate:        0.05, // the average reaches back some 20 iterations

		Gamma:               1,    // only the game's end pays, and every game ends
		GAELambda:           0.95, // Schulman et al. 2016
		NormaliseAdvantages: true,

		GradientNorm: 0.5, // as in CleanRL
		AdamBeta1:    0.9, // Kingma and Ba 2015
		AdamBeta2:    0.999,
		AdamEpsilon:  1e-5, // as in CleanRL; the published 1e-8 makes steps of rare features large

		KLStop: 0.03, // about twice what a good update moves
		MaxLag: 16,   // some seconds; the ratio corrects what is left

		Horizon: 50_000_000, // some hours on two cores

		CheckpointInterval: 30 * time.Second, // what a crash may cost
		CheckpointsKept:    3,                // two to fall back on
		Workers:            0,
	}
}

// Validate says which settings are outside their range.
func (c Config) Validate() error {
	var wrong []string
	check := func(ok bool, key string, value any, want string) {
		if !ok {
			wrong = append(wrong, fmt.Sprintf("%s: %v is not %s", key, value, want))
		}
	}
	for _, f := range []struct {
		key       string
		value     int
		low, high int
	}{
		{"samples", c.Samples, 1, 1 << 24},
		{"epochs", c.Epochs, 1, 1000},
		{"minibatch", c.Minibatch, 1, 1 << 20},
		{"sequence_length", c.SequenceLength, 1, 4096},
		{"checkpoints_kept", c.CheckpointsKept, 1, 1000},
		{"workers", c.Workers, 0, 1024},
	} {
		check(f.value >= f.low && f.value <= f.high, f.key, f.value, fmt.Sprintf("in %d..%d", f.low, f.high))
	}
	for _, f := range []struct {
		key   string
		value float64
	}{
		{"learning_rate_start", c.LearningRateStart},
		{"clip_start", c.ClipStart},
		{"clip_end", c.ClipEnd},
		{"gradient_norm", c.GradientNorm},
		{"adam_epsilon", c.AdamEpsilon},
	} {
		check(f.value > 0 && !math.IsInf(f.value, 0), f.key, f.value, "a positive number")
	}
	for _, f := range []struct {
		key   string
		value float64
	}{
		{"learning_rate_end", c.LearningRateEnd},
		{"value_clip", c.ValueClip},
		{"value_coefficient", c.ValueCoefficient},
		{"entropy_start", c.EntropyStart},
		{"entropy_end", c.EntropyEnd},
		{"magnet_coefficient", c.MagnetCoefficient},
		{"kl_stop", c.KLStop},
	} {
		check(f.value >= 0 && !math.IsInf(f.value, 0), f.key, f.value, "0 or a positive number")
	}
	check(c.Gamma > 0 && c.Gamma <= 1, "gamma", c.Gamma, "above 0 and at most 1")
	check(c.GAELambda >= 0 && c.GAELambda <= 1, "gae_lambda", c.GAELambda, "in 0..1")
	check(c.AdamBeta1 >= 0 && c.AdamBeta1 < 1, "adam_beta1", c.AdamBeta1, "at least 0 and below 1")
	check(c.AdamBeta2 >= 0 && c.AdamBeta2 < 1, "adam_beta2", c.AdamBeta2, "at least 0 and below 1")
	check(c.MagnetRate >= 0 && c.MagnetRate <= 1, "magnet_rate", c.MagnetRate, "in 0..1")
	check(slices.Contains([]string{MagnetNone, MagnetPrevious, MagnetAverage, MagnetUniform}, c.Magnet),
		"magnet", c.Magnet, "none, previous, average or uniform")
	check(c.Horizon > 0, "horizon", c.Horizon, "a positive number")
	check(c.CheckpointInterval > 0, "checkpoint_interval", c.CheckpointInterval, "a positive duration")
	if len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "; "))
	}
	return nil
}

// schedule is what the settings that move are at one point of the run.
type schedule struct {
	learningRate, clip, entropy float64
}

// at returns the schedule after the given part of the run, 0..1.
func (c Config) at(progress float64) schedule {
	linear := func(start, end float64) float64 { return start + (end-start)*progress }
	return schedule{
		learningRate: linear(c.LearningRateStart, c.LearningRateEnd),
		clip:         linear(c.ClipStart, c.ClipEnd),
		entropy:      linear(c.EntropyStart, c.EntropyEnd),
	}
}
