package train

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheMagnetIsAsSlowAsThePolicy: an average magnet follows in proportion to the learning rate, to which what an
// iteration undone has taken off it belongs.
func TestTheMagnetIsAsSlowAsThePolicy(t *testing.T) {
	for name, want := range map[string]float64{"at the start": 0.25, "cautious": 0.25 / cautious} {
		t.Run(name, func(t *testing.T) {
			o := kuhnTrial(t)
			o.Config.PPO.Magnet, o.Config.PPO.MagnetRate = MagnetAverage, 0.25
			p := o.ppo(t, 2)
			in := recordingOf(o.Game, p)
			playRandomly(t, o.Game, in, 100, 1)
			if name == "cautious" {
				p.caution.lower()
			}
			magnet := slices.Clone(p.magnet)
			_, err := p.Learn(t.Context(), in.Rollout, 0)
			require.NoError(t, err)
			Blend(magnet, p.Network.Weights, want)
			require.InDeltaSlice(t, magnet, p.magnet, 1e-6)
		})
	}
}

// TestMagnetRateStaysAShare: a learning rate that grows does not take the magnet past the policy.
func TestMagnetRateStaysAShare(t *testing.T) {
	o := kuhnTrial(t)
	o.Config.PPO.Magnet, o.Config.PPO.MagnetRate, o.Config.LearningRateStart = MagnetAverage, 0.5, 1e-3
	p := o.ppo(t, 1)
	require.Equal(t, 1.0, p.magnetRate(1e-2))
	require.InDelta(t, 0.05, p.magnetRate(1e-4), 1e-12)
}
