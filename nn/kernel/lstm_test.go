package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func sigmoid64(x float32) float64 { return 1 / (1 + math.Exp(-float64(x))) }

// lstmSizes covers full registers and the rest.
var lstmSizes = []int{1, 7, 8, 16, 37, 64}

func TestLSTMCellAgainstReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 0))
	eachSet(t, func(t *testing.T) {
		for _, n := range lstmSizes {
			gates, h, c := randomSlice(4*n, rng), randomSlice(n, rng), randomSlice(n, rng)
			activated, cell, tanhCell, hidden := slices.Clone(gates), make([]float32, n), make([]float32, n), make([]float32, n)
			before := slices.Clone(c)
			LSTMForward(activated, before, cell, tanhCell, hidden)
			LSTMCell(gates, h, c)
			for j := range n {
				i, f, g, o := sigmoid64(gates[j]), sigmoid64(gates[n+j]), math.Tanh(float64(gates[2*n+j])), sigmoid64(gates[3*n+j])
				wantC := f*float64(before[j]) + i*g
				require.InDelta(t, wantC, float64(c[j]), 5e-7)
				require.InDelta(t, o*math.Tanh(wantC), float64(h[j]), 5e-7)
				require.InDelta(t, wantC, float64(cell[j]), 5e-7)
				require.InDelta(t, math.Tanh(wantC), float64(tanhCell[j]), 5e-7)
				require.InDelta(t, o*math.Tanh(wantC), float64(hidden[j]), 5e-7)
				for k, want := range []float64{i, f, g, o} {
					require.InDelta(t, want, float64(activated[k*n+j]), 5e-7, "gate %d", k)
				}
			}
		}
	})
}

// Saturated gates give exact limits, and nothing overflows.
func TestLSTMCellAtExtremes(t *testing.T) {
	const most = math.MaxFloat32
	eachSet(t, func(t *testing.T) {
		gates, h, c := []float32{most, -most, most, most}, []float32{0}, []float32{5}
		LSTMCell(gates, h, c)
		require.Equal(t, []float32{1}, c, "forgets all, takes all")
		require.InDelta(t, math.Tanh(1), h[0], 1e-6)
		gates = []float32{-most, most, -most, -most}
		LSTMCell(gates, h, c)
		require.Equal(t, []float32{1}, c, "keeps all, takes nothing")
		require.InDelta(t, 0, h[0], 1e-37)
	})
}

// The gradient agrees with central differences of LSTMForward in float64.
func TestLSTMBackwardAgainstReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	forward := func(gates [4]float64, cell float64) (h, c float64) {
		s := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
		c = s(gates[1])*cell + s(gates[0])*math.Tanh(gates[2])
		return s(gates[3]) * math.Tanh(c), c
	}
	eachSet(t, func(t *testing.T) {
		for _, n := range lstmSizes {
			sums, previous := randomSlice(4*n, rng), randomSlice(n, rng)
			hiddenGrad, cellGrad := randomSlice(n, rng), randomSlice(n, rng)
			gates, cell, tanhCell, h := slices.Clone(sums), make([]float32, n), make([]float32, n), make([]float32, n)
			LSTMForward(gates, previous, cell, tanhCell, h)
			got := slices.Clone(cellGrad)
			LSTMBackward(gates, previous, tanhCell, hiddenGrad, got)
			for j := range n {
				at := [4]float64{float64(sums[j]), float64(sums[n+j]), float64(sums[2*n+j]), float64(sums[3*n+j])}
				slope := func(move func(step float64) (h, c float64)) float64 {
					const step = 1e-5
					h1, c1 := move(step)
					h0, c0 := move(-step)
					return (float64(hiddenGrad[j])*(h1-h0) + float64(cellGrad[j])*(c1-c0)) / (2 * step)
				}
				for i := range at {
					want := slope(func(step float64) (float64, float64) {
						moved := at
						moved[i] += step
						return forward(moved, float64(previous[j]))
					})
					require.InDelta(t, want, float64(gates[i*n+j]), 2e-6*(1+math.Abs(want)), "gate %d", i)
				}
				want := slope(func(step float64) (float64, float64) { return forward(at, float64(previous[j])+step) })
				require.InDelta(t, want, float64(got[j]), 2e-6*(1+math.Abs(want)))
			}
		}
	})
}

func TestLSTMIsTheSameInFusedSets(t *testing.T) {
	sets := fusedSets(t)
	rng := rand.New(rand.NewPCG(4, 0))
	const n = 45
	gates, c := randomSlice(4*n, rng), randomSlice(n, rng)
	var results [][]float32
	for _, s := range sets {
		chosen = s
		h, next := make([]float32, n), slices.Clone(c)
		LSTMCell(gates, h, next)
		results = append(results, append(h, next...))
	}
	require.Equal(t, results[0], results[1])
}

func BenchmarkLSTMCell(b *testing.B) {
	const n = 128
	rng := rand.New(rand.NewPCG(1, 0))
	gates, h, c := randomSlice(4*n, rng), make([]float32, n), make([]float32, n)
	for b.Loop() {
		LSTMCell(gates, h, c)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/unit")
}
