package learner

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine/kuhn"
	"croupier/nn"
)

func TestUpdatesAreWholeUpdates(t *testing.T) {
	layout := testLayout(t, kuhn.Game{}, nn.Description{Dense: []int{8}, LSTM: []int{8}})
	weights := map[int][]float32{}
	for _, workers := range []int{1, 2} {
		u, err := NewUpdates(layout, 6, 5, workers)
		require.NoError(t, err)
		require.Equal(t, 30, u.rollout.len())
		before := slices.Clone(u.trainer.weights)
		for range 3 {
			require.NoError(t, u.Run(t.Context()))
		}
		require.EqualValues(t, 3, u.trainer.adam.step, "one step of the optimiser an update")
		require.NotEqual(t, before, u.trainer.weights)
		weights[workers] = slices.Clone(u.trainer.weights)
		require.NoError(t, u.Close())
	}
	require.InDeltaSlice(t, weights[1], weights[2], 1e-6)
	_, err := NewUpdates(layout, 5, 5, 2)
	require.ErrorContains(t, err, "5 sequences of 5 decisions for 2 workers")
}
