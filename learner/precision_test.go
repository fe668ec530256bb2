package learner

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/nn"
	"croupier/nn/kernel"
)

func TestFP32Learns(t *testing.T) { requireLearns(t, func(*Config) {}) }

// TestBF16Learns where the processor can multiply so, and elsewhere says so.
func TestBF16Learns(t *testing.T) {
	inBF16 := func(c *Config) { c.Precision = "bf16" }
	if kernel.HasBF16() {
		requireLearns(t, inBF16)
		return
	}
	o := testOptions(t)
	inBF16(&o.Config)
	n, err := nn.NewNetwork(o.Layout, o.Layout.Init(5))
	require.NoError(t, err)
	_, err = newPPO(o.Config.PPO, testSetup(o, n, 1))
	require.EqualError(t, err, "precision: bf16 needs a processor with AVX512-BF16, which this machine lacks: set learner.precision to fp32")
}

// requireLearns checks that a policy learns from a teacher under changed settings, with the same weights from any
// number of workers.
func requireLearns(t *testing.T, change func(*Config)) {
	o := testOptions(t)
	o.Config.LearningRateStart, o.Config.PPO.Minibatch = 3e-3, 512
	o.Config.PPO.Teacher, o.Config.PPO.TeacherCoefficient = "equilibrium(0.2)", 50
	change(&o.Config)
	var weights [][]float32
	for _, workers := range []int{1, 3} {
		n, err := nn.NewNetwork(o.Layout, o.Layout.Init(5))
		require.NoError(t, err)
		tr, err := newPPO(o.Config.PPO, testSetup(o, n, workers))
		require.NoError(t, err)
		before := exploitability(t, tr.network)
		in := &recording{newRollout(o.Game.Spec()), tr.newRecorder()}
		for i := range 40 {
			in.reset()
			playRandomly(t, o.Game, in, 300, uint64(i))
			_, err := tr.learn(t.Context(), in.rollout, 0)
			require.NoError(t, err)
		}
		require.Less(t, exploitability(t, tr.network), before/4)
		weights = append(weights, tr.network.Weights)
	}
	require.Equal(t, weights[0], weights[1])
}
