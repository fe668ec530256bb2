package train

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"croupier/internal/strict"
)

func TestDefaultsAreValid(t *testing.T) {
	c := DefaultConfig()
	require.NoError(t, c.Validate())
}

func TestConfigRoundTrip(t *testing.T) {
	doc, err := yaml.Marshal(DefaultConfig())
	require.NoError(t, err)
	var c Config
	require.NoError(t, strict.YAML(doc).Decode(&c))
	require.Equal(t, DefaultConfig(), c)
}

func TestAllThatIsWrongIsSaid(t *testing.T) {
	c := DefaultConfig()
	c.PPO.Epochs, c.Gamma = 0, 2
	require.EqualError(t, c.Validate(), "gamma: 2 is not above 0 and at most 1; ppo.epochs: 0 is not in 1..1000")
}

func TestBadConfig(t *testing.T) {
	for doc, want := range map[string]string{
		"ppo: {epoch: 3}":                "line 1: ppo.epoch: unknown key (did you mean epochs?); the keys are samples, epochs, ",
		"ppo: {epochs: many}":            "line 1",
		"ppo: {epochs: 0}":               "ppo.epochs: 0 is not in 1..1000",
		"ppo: {samples: -1}":             "samples",
		"ppo: {minibatch: 0}":            "minibatch",
		"sequence_length: 0":             "sequence_length",
		"learning_rate_start: 0":         "learning_rate_start",
		"learning_rate_end: -1":          "learning_rate_end",
		"ppo: {clip_start: .nan}":        "clip_start",
		"ppo: {clip_end: .inf}":          "clip_end",
		"ppo: {value_coefficient: -1}":   "value_coefficient",
		"ppo: {entropy_start: -1}":       "entropy_start",
		"ppo: {barrier_start: -1}":       "barrier_start",
		"ppo: {barrier_end: .inf}":       "barrier_end",
		"ppo: {entropy_end: .nan}":       "entropy_end",
		"ppo: {regularisation_power: 0}": "regularisation_power",
		"ppo: {magnet: previous}":        "none or average",
		"ppo: {magnet_coefficient: -1}":  "magnet_coefficient",
		"ppo: {magnet_rate: 2}":          "magnet_rate",
		"gamma: 1.1":                     "gamma",
		"ppo: {gae_lambda: -0.1}":        "gae_lambda",
		"gradient_norm: 0":               "gradient_norm",
		"average: 1.5":                   "average",
		"precision: fp16":                "precision: fp16 is not fp32 or bf16",
		"ppo: {kl_stop: -1}":             "kl_stop",
		"horizon: 0":                     "horizon",
		"group: pairs":                   "group: pairs is not gradients or weights",
		"group_iterations: -1":           "group_iterations",
		"group_iterations: 65":           "group_iterations: 65 is not in 0..64",
		"checkpoint_interval: 0s":        "checkpoint_interval",
		"checkpoint_interval: later": "checkpoint_interval: later is not a positive duration like 30s or a number of " +
			"updates like 10000",
		"checkpoint_interval: -10":       "checkpoint_interval",
		"checkpoint_interval: 0.5":       "checkpoint_interval",
		"checkpoint_interval: 10 hours":  "checkpoint_interval",
		"workers: -1":                    "workers",
		"ppo: {max_lag: -1}":             "line 1",
		"algorithm: sarsa":               "algorithm: sarsa is not " + AlgorithmNames(Algorithms()),
		"dqn: {samples: 0}":              "dqn.samples",
		"dqn: {replay_ratio: 0}":         "dqn.replay_ratio",
		"dqn: {minibatch: 0}":            "dqn.minibatch",
		"dqn: {replay_decisions: 0}":     "dqn.replay_decisions",
		"dqn: {replay_megabytes: 0}":     "dqn.replay_megabytes",
		"dqn: {n_step: 0}":               "dqn.n_step",
		"dqn: {target_interval: 0}":      "dqn.target_interval",
		"dqn: {priority_exponent: 2}":    "dqn.priority_exponent",
		"dqn: {exploration_start: 1.1}":  "dqn.exploration_start",
		"dqn: {exploration_end: -0.1}":   "dqn.exploration_end",
		"dqn: {exploration_fraction: 0}": "dqn.exploration_fraction",
	} {
		c := DefaultConfig()
		err := strict.YAML(doc).Decode(&c)
		if err == nil {
			err = c.Validate()
		}
		require.ErrorContains(t, err, want, doc)
	}
}

func TestSchedule(t *testing.T) {
	c := DefaultConfig()
	c.LearningRateStart, c.LearningRateEnd = 1, 0
	require.Equal(t, 1.0, c.LearningRate(0))
	require.InDelta(t, 0.25, c.LearningRate(0.75), 1e-12)
	c.DQN.ExplorationStart, c.DQN.ExplorationEnd, c.DQN.ExplorationFraction = 1, 0.2, 0.5
	for progress, want := range map[float64]float64{0: 1, 0.25: 0.6, 0.5: 0.2, 1: 0.2} {
		require.InDelta(t, want, c.DQN.exploration(progress), 1e-12)
	}
	require.InDelta(t, 0.55, c.PPO.regularisation(1, 0.1, 0.5), 1e-12)
	c.PPO.RegularisationPower = 2
	for progress, want := range map[float64]float64{0: 1, 0.5: 0.325, 0.9: 0.109, 1: 0.1} {
		require.InDelta(t, want, c.PPO.regularisation(1, 0.1, progress), 1e-12)
	}
}
