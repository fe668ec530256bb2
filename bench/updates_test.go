package bench

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/games/kuhn"
	"croupier/nn"
	"croupier/nn/kernel"
)

// TestUpdatesAreWholeUpdates: every update moves the weights, and equally however many
// workers share the work.
func TestUpdatesAreWholeUpdates(t *testing.T) {
	layout, err := nn.NewLayout(nn.Description{Dense: []int{8}, LSTM: []int{8}}, kuhn.Game{}.Spec())
	require.NoError(t, err)
	for _, workers := range []int{1, 2} {
		u, err := newUpdates(layout, played(kuhn.Game{}), kernel.FP32, 16, 5, workers)
		require.NoError(t, err)
		for range 3 {
			before := slices.Clone(u.weights.Flat)
			require.NoError(t, u.run())
			require.NotEqual(t, before, u.weights.Flat)
			require.InDeltaSlice(t, before, u.weights.Flat, 1e-4, "they hardly move")
		}
	}
	_, err = newUpdates(layout, nil, kernel.FP32, 5, 5, 2)
	require.EqualError(t, err, "updates: 5 sequences of 5 decisions for 2 workers and 8 shards")
}
