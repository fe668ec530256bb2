package learner

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/nn"
)

// TestSidesGoOnFromCheckpoint interrupts training with a critic and boundary values between two iterations.
func TestSidesGoOnFromCheckpoint(t *testing.T) {
	o, set := boundaryOptions(t)
	o.Config.PPO.Critic = []int{32}
	c := testCheckpoints(t, o)
	train := func(tr *ppo, from, to int) []float32 {
		in := tr.newIntake().(*recording)
		for i := from; i < to; i++ {
			in.reset()
			playRandomly(t, o.Game, in, 30, uint64(i))
			_, err := tr.learn(t.Context(), in.rollout, 0)
			require.NoError(t, err)
		}
		return tr.network.Weights
	}
	whole, err := newPPO(o.Config.PPO, set)
	require.NoError(t, err)
	train(whole, 0, 3)
	s, err := whole.snapshot()
	require.NoError(t, err)
	s.Version = 3
	data, err := c.encode(s)
	require.NoError(t, err)
	want := train(whole, 3, 5)

	s, err = c.decode(data)
	require.NoError(t, err)
	resume := func(config PPOConfig) *ppo {
		again := set
		again.network, err = nn.NewNetwork(o.Layout, s.Weights)
		require.NoError(t, err)
		tr, err := newPPO(config, again)
		require.NoError(t, err)
		require.NoError(t, tr.restore(s))
		return tr
	}
	resumed := resume(o.Config.PPO)
	require.Equal(t, want, train(resumed, 3, 5))
	for i, n := range whole.sides() {
		require.Equal(t, n.network.Weights, resumed.sides()[i].network.Weights, n.name)
	}

	// Settings may change between two starts: another network begins anew, none ignores it.
	for _, layers := range []*[]int{&o.Config.PPO.Critic, &o.Config.PPO.BoundaryValue} {
		kept := *layers
		for _, other := range [][]int{{8, 8}, nil} {
			*layers = other
			require.NotEqual(t, want, train(resume(o.Config.PPO), 3, 5))
		}
		*layers = kept
	}
}
