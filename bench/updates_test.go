package bench

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/games/kuhn"
	"croupier/nn"
	"croupier/nn/kernel"
)

// TestUpdatesAreWholeUpdates: every update is one of the learner's with a gradient, the same however many workers share
// the work.
func TestUpdatesAreWholeUpdates(t *testing.T) {
	spec := kuhn.Game{}.Spec()
	n := Network{Description: nn.Description{Dense: []int{8}, LSTM: []int{8}}, Spec: spec, Positions: played(kuhn.Game{})}
	var norms []float64
	for _, workers := range []int{1, 2} {
		u, err := newUpdates(n, kernel.FP32, 16, 5, workers)
		require.NoError(t, err)
		for range 3 {
			require.NoError(t, u.run(t.Context()))
		}
		require.EqualValues(t, 3, u.report.Updates)
		require.Positive(t, u.report.GradientNorm)
		norms = append(norms, u.report.GradientNorm)
	}
	require.Equal(t, norms[0], norms[1])
}
