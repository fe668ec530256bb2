package learner

import "slices"

// Kinds of magnet: the policy towards which the magnet term pulls.
const (
	MagnetNone     = "none"
	MagnetPrevious = "previous" // the policy at the start of the iteration
	MagnetAverage  = "average"  // the network with an exponential average of past weights
	MagnetUniform  = "uniform"  // every legal action with the same probability
)

// PPOConfig holds the hyperparameters of PPO alone. Values that have a start and an
// end move linearly with the progress of the run.
type PPOConfig struct {
	Samples   int `yaml:"samples"`   // decisions gathered for one iteration
	Epochs    int `yaml:"epochs"`    // passes over them
	Minibatch int `yaml:"minibatch"` // decisions in one update, at most

	ClipStart         float64 `yaml:"clip_start"` // how far the probability ratio may leave 1 before its gradient is cut
	ClipEnd           float64 `yaml:"clip_end"`
	ValueClip         float64 `yaml:"value_clip"`        // the same for the value, in units of the largest return; 0: no clipping
	ValueCoefficient  float64 `yaml:"value_coefficient"` // weight of the value loss
	EntropyStart      float64 `yaml:"entropy_start"`     // weight of the entropy bonus
	EntropyEnd        float64 `yaml:"entropy_end"`
	Magnet            string  `yaml:"magnet"`             // none, previous, average or uniform
	MagnetCoefficient float64 `yaml:"magnet_coefficient"` // weight of KL(policy ‖ magnet)
	MagnetRate        float64 `yaml:"magnet_rate"`        // how far an average magnet follows in an iteration, 0..1

	GAELambda           float64 `yaml:"gae_lambda"`           // 1: the game's result, 0: the next value
	NormaliseAdvantages bool    `yaml:"normalise_advantages"` // to mean 0 and deviation 1 in each iteration

	KLStop float64 `yaml:"kl_stop"` // nats by which an iteration may move the policy before it ends; 0: no limit
	MaxLag uint64  `yaml:"max_lag"` // versions by which a game's policy may be behind
}

func defaultPPO() PPOConfig {
	return PPOConfig{
		Samples:   16384, // a new version about every second on two cores
		Epochs:    4,     // within 4 to 8 of Rudolph et al. 2026
		Minibatch: 2048,  // their largest; small networks need large matrices

		ClipStart:         0.2,  // Schulman et al. 2017
		ClipEnd:           0.1,  // smaller towards the end, as is usual
		ValueClip:         0,    // no gain in Andrychowicz et al. 2021 (3.2)
		ValueCoefficient:  0.5,  // as in CleanRL
		EntropyStart:      0.01, // enough where the dice explore; poker wants a magnet (docs/algorithms/ppo.md)
		EntropyEnd:        0,
		Magnet:            MagnetNone,
		MagnetCoefficient: 0.5,  // used when a magnet is chosen; measured on Kuhn poker
		MagnetRate:        0.05, // the average reaches back some 20 iterations

		GAELambda:           0.95, // Schulman et al. 2016
		NormaliseAdvantages: true,

		KLStop: 0.03, // about twice what a good update moves
		MaxLag: 16,   // some seconds; the ratio corrects what is left
	}
}

func (c *PPOConfig) check(s *settings) {
	s.whole("samples", c.Samples, 1, 1<<24)
	s.whole("epochs", c.Epochs, 1, 1000)
	s.whole("minibatch", c.Minibatch, 1, 1<<20)
	s.positive("clip_start", c.ClipStart)
	s.positive("clip_end", c.ClipEnd)
	s.notNegative("value_clip", c.ValueClip)
	s.notNegative("value_coefficient", c.ValueCoefficient)
	s.notNegative("entropy_start", c.EntropyStart)
	s.notNegative("entropy_end", c.EntropyEnd)
	s.check(slices.Contains([]string{MagnetNone, MagnetPrevious, MagnetAverage, MagnetUniform}, c.Magnet),
		"magnet", c.Magnet, "none, previous, average or uniform")
	s.notNegative("magnet_coefficient", c.MagnetCoefficient)
	s.share("magnet_rate", c.MagnetRate)
	s.share("gae_lambda", c.GAELambda)
	s.notNegative("kl_stop", c.KLStop)
}
