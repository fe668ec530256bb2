package stat

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// The quantiles are those of the tables (Fisher and Yates), and what is kept is what is computed, to the last bit.
func TestStudent95(t *testing.T) {
	for degrees, want := range map[float64]float64{1: 12.706, 2: 4.303, 5: 2.571, 30: 2.042, 120: 1.980} {
		require.InDelta(t, want, Student95(degrees), 5e-4, degrees)
	}
	require.InDelta(t, Z95, Student95(1e9), 1e-6)
	for _, degrees := range []float64{1, 1.5, 2, 511, 511.5, 512, 1e6, 0.5, math.Inf(1)} {
		for range 2 {
			require.Equal(t, math.Float64bits(student95(degrees)), math.Float64bits(Student95(degrees)), degrees)
		}
	}
}
