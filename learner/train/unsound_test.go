package train

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/nn"
)

// TestUnsoundIterationsAreUndone poisons the gradient in the middle of the second iteration: everything is as before,
// and training continues.
func TestUnsoundIterationsAreUndone(t *testing.T) {
	for name, poison := range map[string]float32{"NaN": float32(math.NaN()), "Inf": float32(math.Inf(1))} {
		t.Run(name, func(t *testing.T) {
			o := kuhnTrial(t)
			o.Config.PPO.KLStop, o.Config.PPO.Epochs = 0, 2
			tr := o.ppo(t, 1)
			p := &poisoned{gradienter: tr.workers[0].graph, poison: poison, healthy: 10}
			tr.workers[0].graph = p
			in := recordingOf(o.Game, tr)
			learn := func() error {
				in.Reset()
				playRandomly(t, o.Game, in, 100, 1)
				_, err := tr.Learn(t.Context(), in.Rollout, 0)
				return err
			}
			require.NoError(t, learn())
			before, m, network, steps := slices.Clone(tr.weights), slices.Clone(tr.adam.m), tr.Network, tr.adam.step
			require.Positive(t, steps)
			p.healthy = 1
			require.ErrorIs(t, learn(), ErrUnsound)
			require.Equal(t, before, tr.weights)
			require.Equal(t, m, tr.adam.m)
			require.Equal(t, steps, tr.adam.step)
			require.Same(t, network, tr.Published())
			p.healthy = math.MaxInt
			require.NoError(t, learn())
			require.NotSame(t, network, tr.Published())
		})
	}
}

// TestUnsoundActionValuesAreUndone: as with PPO, and the target network stays as well.
func TestUnsoundActionValuesAreUndone(t *testing.T) {
	o := dqnTrial(t, nn.Description{Dense: []int{8}})
	tr, err := newDQN(o.Config.DQN, o.setup(t, 1, 1))
	require.NoError(t, err)
	tr.workers[0].graph = &poisoned{gradienter: tr.workers[0].graph, poison: float32(math.NaN()), healthy: 5}
	in := recordingOf(o.Game, tr)
	playRandomly(t, o.Game, in, 60, 1)
	require.Greater(t, in.Size.Samples, o.Config.DQN.Minibatch)
	network := tr.Network
	_, err = tr.Learn(t.Context(), in.Rollout, 0)
	require.ErrorIs(t, err, ErrUnsound)
	require.Same(t, network, tr.Network)
	require.Same(t, network, tr.target)
	require.Zero(t, tr.adam.step)
}

// TestWeightsThatGiveNoProbabilitiesAreRefused: finite weights may still overflow.
func TestWeightsThatGiveNoProbabilitiesAreRefused(t *testing.T) {
	p, r := judged(t)
	require.NoError(t, p.accept(r))
	for i := range p.weights {
		p.weights[i] = 1e30
	}
	network := p.Network
	require.ErrorIs(t, p.accept(r), ErrUnsound)
	require.Same(t, network, p.Network)
}
