package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// vectorSizes covers full registers and the rest.
var vectorSizes = []int{0, 1, 7, 8, 16, 31, 100, 155}

func TestAdd(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	eachSet(t, func(t *testing.T) {
		for _, n := range vectorSizes {
			x, y := randomSlice(n, rng), randomSlice(n, rng)
			want := make([]float32, n)
			for i := range want {
				want[i] = x[i] + y[i]
			}
			Add(y, x)
			require.Equal(t, want, y)
		}
		require.Panics(t, func() { Add(make([]float32, 2), make([]float32, 3)) })
	})
}

func TestAddRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	eachSet(t, func(t *testing.T) {
		for _, n := range vectorSizes[1:] {
			for _, rows := range []int{1, 2, 5} {
				x, y := randomSlice(rows*n, rng), randomSlice(n, rng)
				want := slices.Clone(y)
				for i, v := range x {
					want[i%n] += v
				}
				AddRows(y, x)
				require.Equal(t, want, y)
			}
		}
		require.Panics(t, func() { AddRows(make([]float32, 2), make([]float32, 3)) })
		require.Panics(t, func() { AddRows(make([]float32, 2), nil) })
	})
}

// BenchmarkAddRows adds what a product leaves for the gradient of a bias: 256 rows.
func BenchmarkAddRows(b *testing.B) {
	for _, width := range []int{33, 64, 128, 512} {
		b.Run(fmt.Sprint(width), func(b *testing.B) {
			x, y := make([]float32, 256*width), make([]float32, width)
			for b.Loop() {
				AddRows(y, x)
			}
			b.SetBytes(int64(4 * len(x)))
		})
	}
}

func TestReLUGradient(t *testing.T) {
	nan := float32(math.NaN())
	eachSet(t, func(t *testing.T) {
		y := []float32{0, 1, nan, float32(math.Copysign(0, -1)), 1e-45, 0, 2, 3, 0, 0, 5, 6, 0, 0, 7, 8, 0, 9}
		dz := slices.Repeat([]float32{3}, len(y))
		ReLUGradient(dz, y, dz)
		for i := range y {
			want := float32(3)
			if y[i] == 0 {
				want = 0
			}
			require.Equal(t, want, dz[i], "where y is %v", y[i])
		}
		nans := slices.Repeat([]float32{nan}, len(y))
		ReLUGradient(dz, y, nans)
		require.Zero(t, dz[0], "a gradient that ReLU cuts off does not count, not even NaN")
	})
}

func TestSumSquares(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	eachSet(t, func(t *testing.T) {
		for _, n := range vectorSizes {
			x := randomSlice(n, rng)
			want := 0.
			for _, v := range x {
				want += float64(v) * float64(v)
			}
			require.InEpsilon(t, want+1, SumSquares(x)+1, 1e-14)
		}
		require.Equal(t, 3*math.Pow(math.MaxFloat32, 2), SumSquares(slices.Repeat([]float32{math.MaxFloat32}, 3)),
			"no overflow")
	})
}

func TestAdamStep(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	const scale, beta1, beta2, size, epsilon = 0.5, 1 - 0x1p-3, 1 - 0x1p-10, 0x1p-7, 0x1p-17
	eachSet(t, func(t *testing.T) {
		for _, n := range vectorSizes {
			p, g, m, v := randomSlice(n, rng), randomSlice(n, rng), randomSlice(n, rng), randomSlice(n, rng)
			for i := range v {
				v[i] *= v[i]
			}
			p0, m0, v0 := slices.Clone(p), slices.Clone(m), slices.Clone(v)
			AdamStep(p, g, m, v, scale, beta1, beta2, size, epsilon)
			for i := range p {
				gradient := scale * float64(g[i])
				wantM := beta1*float64(m0[i]) + (1-beta1)*gradient
				wantV := beta2*float64(v0[i]) + (1-beta2)*gradient*gradient
				require.InDelta(t, wantM, float64(m[i]), 1e-6)
				require.InDelta(t, wantV, float64(v[i]), 1e-6*(1+wantV))
				step := size * wantM / (math.Sqrt(wantV) + epsilon)
				require.InDelta(t, float64(p0[i])-step, float64(p[i]), 1e-6*(1+math.Abs(float64(p0[i]))+math.Abs(step)))
			}
		}
	})
}

// Nothing but the cache knows that something was prefetched.
func TestPrefetch(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		memory := make([]float32, 100)
		for from := range 17 {
			for n := range 40 {
				Prefetch(memory[from:][:n])
			}
		}
		Prefetch[int](nil)
		require.Equal(t, make([]float32, 100), memory)
	})
}
