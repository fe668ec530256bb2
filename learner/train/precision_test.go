package train

import (
	"testing"

	"github.com/stretchr/testify/require"

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
	o := kuhnTrial(t)
	inBF16(&o.Config)
	_, err := newPPO(o.Config.PPO, o.setup(t, 5, 1))
	require.EqualError(t, err, "precision: bf16 needs a processor with AVX512-BF16, which this machine lacks: set learner.precision to fp32")
}

// requireLearns checks that a policy learns from a teacher under changed settings, with the same weights from any
// number of workers.
func requireLearns(t *testing.T, change func(*Config)) {
	o := kuhnTrial(t)
	o.Config.LearningRateStart, o.Config.PPO.Minibatch = 3e-3, 512
	o.Config.PPO.Teacher, o.Config.PPO.TeacherCoefficient = "equilibrium(0.2)", 50
	change(&o.Config)
	var weights [][]float32
	for _, workers := range []int{1, 3} {
		tr := o.ppo(t, workers)
		before := exploitability(t, tr.Network)
		in := recordingOf(o.Game, tr)
		for i := range 40 {
			in.Reset()
			playRandomly(t, o.Game, in, 300, uint64(i))
			_, err := tr.Learn(t.Context(), in.Rollout, 0)
			require.NoError(t, err)
		}
		require.Less(t, exploitability(t, tr.Network), before/4)
		weights = append(weights, tr.Network.Weights)
	}
	require.Equal(t, weights[0], weights[1])
}
