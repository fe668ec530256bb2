package learner

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"croupier/strictyaml"
)

func TestDefaultsAreValid(t *testing.T) { require.NoError(t, DefaultConfig().Validate()) }

func TestConfigRoundTrip(t *testing.T) {
	doc, err := yaml.Marshal(DefaultConfig())
	require.NoError(t, err)
	var c Config
	require.NoError(t, strictyaml.Decode(doc, &c))
	require.Equal(t, DefaultConfig(), c)
}

func TestAllThatIsWrongIsSaid(t *testing.T) {
	c := DefaultConfig()
	c.PPO.Epochs, c.Gamma = 0, 2
	require.EqualError(t, c.Validate(), "gamma: 2 is not above 0 and at most 1; ppo.epochs: 0 is not in 1..1000")
}

func TestBadConfig(t *testing.T) {
	for doc, want := range map[string]string{
		"ppo: {epoch: 3}":               "unknown key \"epoch\"",
		"ppo: {epochs: many}":           "line 1",
		"ppo: {epochs: 0}":              "ppo.epochs: 0 is not in 1..1000",
		"ppo: {samples: -1}":            "samples",
		"ppo: {minibatch: 0}":           "minibatch",
		"sequence_length: 0":            "sequence_length",
		"learning_rate_start: 0":        "learning_rate_start",
		"learning_rate_end: -1":         "learning_rate_end",
		"ppo: {clip_start: .nan}":       "clip_start",
		"ppo: {clip_end: .inf}":         "clip_end",
		"ppo: {value_clip: -0.1}":       "value_clip",
		"ppo: {value_coefficient: -1}":  "value_coefficient",
		"ppo: {entropy_start: -1}":      "entropy_start",
		"ppo: {entropy_end: .nan}":      "entropy_end",
		"ppo: {magnet: north}":          "none, previous, average or uniform",
		"ppo: {magnet_coefficient: -1}": "magnet_coefficient",
		"ppo: {magnet_rate: 2}":         "magnet_rate",
		"gamma: 1.1":                    "gamma",
		"ppo: {gae_lambda: -0.1}":       "gae_lambda",
		"gradient_norm: 0":              "gradient_norm",
		"adam_beta1: 1":                 "adam_beta1",
		"adam_beta2: 1":                 "adam_beta2",
		"adam_epsilon: 0":               "adam_epsilon",
		"ppo: {kl_stop: -1}":            "kl_stop",
		"horizon: 0":                    "horizon",
		"checkpoint_interval: 0s":       "checkpoint_interval",
		"checkpoint_interval: later":    "line 1",
		"checkpoints_kept: 0":           "checkpoints_kept",
		"workers: -1":                   "workers",
		"ppo: {max_lag: -1}":            "line 1",
	} {
		c := DefaultConfig()
		err := strictyaml.Decode([]byte(doc), &c)
		if err == nil {
			err = c.Validate()
		}
		require.ErrorContains(t, err, want, doc)
	}
}

func TestSchedule(t *testing.T) {
	c := DefaultConfig()
	c.LearningRateStart, c.LearningRateEnd = 1, 0
	c.PPO.ClipStart, c.PPO.ClipEnd = 0.2, 0.1
	c.PPO.EntropyStart, c.PPO.EntropyEnd = 0, 1
	require.Equal(t, schedule{1, 0.2, 0}, c.at(0))
	require.InDeltaSlice(t, []float64{0.25, 0.125, 0.75}, []float64{c.at(0.75).learningRate, c.at(0.75).clip, c.at(0.75).entropy}, 1e-12)
}
