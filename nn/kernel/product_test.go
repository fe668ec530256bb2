package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func randomSlice(n int, rng *rand.Rand) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = float32(rng.NormFloat64())
	}
	return s
}

// randomMatrix returns a matrix with gaps between its rows, or the transpose of one.
func randomMatrix(rows, columns int, transposed bool, rng *rand.Rand) Matrix {
	if transposed {
		return randomMatrix(columns, rows, false, rng).T()
	}
	stride := columns + rng.IntN(3)
	return Rows{randomSlice(rows*stride, rng), stride}.Matrix(rows, columns)
}

func (m Matrix) at(i, j int) float32 { return m.data[i*m.row+j*m.column] }

// requireProduct checks c = start + a·b against float64 within the bound of
// Higham (2002, "Accuracy and Stability of Numerical Algorithms", section 3.1):
// n roundings of a sum change it by at most n·u/(1-n·u) of the sum of the absolute
// terms, u = 2⁻²⁴.
func requireProduct(t require.TestingT, c, a, b Matrix, start func(i, j int) float32, floor float64) {
	requireProductWithin(t, c, a, b, start, floor, 1)
}

// requireProductWithin allows the given number of roundings for each term.
func requireProductWithin(t require.TestingT, c, a, b Matrix, start func(i, j int) float32, floor, roundings float64) {
	n := roundings * float64(a.Columns+1)
	bound := n * 0x1p-24 / (1 - n*0x1p-24)
	for i := range c.Rows {
		for j := range c.Columns {
			want := float64(start(i, j))
			size := math.Abs(want)
			for k := range a.Columns {
				term := float64(a.at(i, k)) * float64(b.at(k, j))
				want += term
				size += math.Abs(term)
			}
			require.InDelta(t, max(want, floor), float64(c.at(i, j)), bound*size, "row %d, column %d", i, j)
		}
	}
}

// drawSizes draws the sizes of a product: mostly small, sometimes larger than a block in
// depth or rows.
func drawSizes(t *rapid.T) (m, n, k int) {
	size := rapid.IntRange(0, 70)
	m, n, k = size.Draw(t, "m"), size.Draw(t, "n"), size.Draw(t, "k")
	switch rapid.IntRange(0, 15).Draw(t, "large") {
	case 0:
		m += rowBlock
	case 1:
		n += columnBlock
	case 2, 3:
		k += depthBlock * (1 + m%2)
	}
	return m, n, k
}

// drawFactors draws the layouts of a product's factors, and fills them and the matrix that it is added to.
func drawFactors(t *rapid.T, m, n, k int, rng *rand.Rand) (a, b, c Matrix) {
	a = randomMatrix(m, k, rapid.Bool().Draw(t, "a transposed"), rng)
	b = randomMatrix(k, n, rapid.Bool().Draw(t, "b transposed"), rng)
	return a, b, randomMatrix(m, n, false, rng)
}

func TestProductAgainstReference(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		multipliers := []*Multiplier{NewMultiplier(1, FP32), NewMultiplier(3, FP32)}
		rapid.Check(t, func(t *rapid.T) {
			rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
			m, n, k := drawSizes(t)
			a, b, c := drawFactors(t, m, n, k, rng)
			before := c
			before.data = slices.Clone(c.data)
			none := func(i, j int) float32 { return 0 }

			multiplier := multipliers[rapid.IntRange(0, 1).Draw(t, "multiplier")]
			multiplier.AddProduct(c, a, b)
			requireProduct(t, c, a, b, before.at, math.Inf(-1))
			requireGaps(t, before, c)
			added := slices.Clone(c.data)

			var packed Packed
			var scratch Scratch
			packed.Pack(b)
			copy(c.data, before.data)
			packed.AddProduct(c, a, &scratch)
			require.Equal(t, added, c.data, "the same bits, packed or not, on one core or several")

			multiplier.Product(c, a, b)
			requireProduct(t, c, a, b, none, math.Inf(-1))
			set := slices.Clone(c.data)
			packed.Product(c, a, &scratch)
			require.Equal(t, set, c.data)
		})
		for _, m := range multipliers {
			m.Close()
		}
	})
}

func requireGaps(t require.TestingT, before, after Matrix) {
	for i := range len(after.data) {
		if after.row > 0 && i%after.row >= after.Columns {
			require.Equal(t, before.data[i], after.data[i], "between the rows")
		}
	}
}

// Large products go to all workers and beyond every block.
func TestLargeProduct(t *testing.T) {
	defer goleak.VerifyNone(t)
	rng := rand.New(rand.NewPCG(1, 0))
	a, b := randomMatrix(rowBlock+13, depthBlock+7, true, rng), randomMatrix(depthBlock+7, 45, true, rng)
	one, three := NewMultiplier(1, FP32), NewMultiplier(3, FP32)
	defer one.Close()
	defer three.Close()
	want, got := NewMatrix(make([]float32, a.Rows*b.Columns), a.Rows, b.Columns),
		NewMatrix(make([]float32, a.Rows*b.Columns), a.Rows, b.Columns)
	one.Product(want, a, b)
	three.Product(got, a, b)
	require.Greater(t, a.Rows*b.Columns*a.Columns/minShare, 2)
	require.Equal(t, want.data, got.data)
	requireProduct(t, got, a, b, func(i, j int) float32 { return 0 }, math.Inf(-1))
	require.Zero(t, testing.AllocsPerRun(5, func() { three.Product(got, a, b) }))
}

func TestProductsAreTheSameInFusedSets(t *testing.T) {
	sets := fusedSets(t)
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		m, n, k := drawSizes(t)
		a, b, c := randomMatrix(m, k, false, rng), randomMatrix(k, n, false, rng), randomMatrix(m, n, false, rng)
		var results [][]float32
		for _, s := range sets {
			chosen = s
			result := c
			result.data = slices.Clone(c.data)
			NewMultiplier(1, FP32).AddProduct(result, a, b)
			results = append(results, result.data)
		}
		require.Equal(t, results[0], results[1])
	})
}

func TestWrongSizesPanic(t *testing.T) {
	zeros := make([]float32, 100)
	a, b := NewMatrix(zeros, 2, 3), NewMatrix(zeros, 3, 4)
	c := NewMatrix(make([]float32, 8), 2, 4)
	m := NewMultiplier(1, FP32)
	require.NotPanics(t, func() { m.Product(c, a, b) })
	require.Panics(t, func() { m.Product(c, a, a) })
	require.Panics(t, func() { m.Product(c.T(), b.T(), a.T()) }, "the result must be row-major")
	require.Panics(t, func() { m.Product(a, a, b) })
	require.Panics(t, func() { NewMatrix(zeros, 11, 10) })
	var p Packed
	p.Pack(b)
	require.Panics(t, func() { p.Affine(c, a, zeros[:3], false, nil) })
}

// BenchmarkProduct multiplies m×k by k×n matrices, packing the right one every time.
func BenchmarkProduct(b *testing.B) {
	for _, s := range []struct {
		m, n, k int
		aT, bT  bool
	}{
		{m: 512, n: 512, k: 512},
		{m: 256, n: 256, k: 1024},
		{m: 2048, n: 128, k: 512},
		{m: 2048, n: 512, k: 128},           // LSTM gates of R128
		{m: 2048, n: 128, k: 512, bT: true}, // their gradient in the input
		{m: 128, n: 512, k: 2048, aT: true}, // and in the weights
		{m: 256, n: 256, k: 1024, aT: true, bT: true},
	} {
		for _, c := range []struct {
			workers   int
			precision Precision
		}{{1, FP32}, {2, FP32}, {1, BF16}} {
			name := fmt.Sprintf("%dx%dx%d,aT=%t,bT=%t/workers=%d/%s", s.m, s.n, s.k, s.aT, s.bT, c.workers, c.precision)
			b.Run(name, func(b *testing.B) {
				if c.precision == BF16 && !HasBF16() {
					b.Skip("needs AVX512-BF16")
				}
				rng := rand.New(rand.NewPCG(1, 0))
				left, right := randomSlice(s.m*s.k, rng), randomSlice(s.k*s.n, rng)
				x, y := NewMatrix(left, s.m, s.k), NewMatrix(right, s.k, s.n)
				if s.aT {
					x = NewMatrix(left, s.k, s.m).T()
				}
				if s.bT {
					y = NewMatrix(right, s.n, s.k).T()
				}
				product := NewMatrix(make([]float32, s.m*s.n), s.m, s.n)
				m := NewMultiplier(c.workers, c.precision)
				defer m.Close()
				b.ReportAllocs()
				for b.Loop() {
					m.Product(product, x, y)
				}
				b.ReportMetric(2e-9*float64(s.m*s.n*s.k*b.N)/b.Elapsed().Seconds(), "GFLOP/s")
			})
		}
	}
}

// BenchmarkInstructionSets compares the instruction sets on one product.
func BenchmarkInstructionSets(b *testing.B) {
	b.Cleanup(func() { chosen = available[0] })
	const m, n, k = 256, 256, 1024
	rng := rand.New(rand.NewPCG(1, 0))
	x, y := NewMatrix(randomSlice(m*k, rng), m, k), NewMatrix(randomSlice(k*n, rng), k, n)
	c := NewMatrix(make([]float32, m*n), m, n)
	multiplier := NewMultiplier(1, FP32)
	for _, name := range instructionSets() {
		b.Run(name, func(b *testing.B) {
			use(b, name)
			for b.Loop() {
				multiplier.Product(c, x, y)
			}
			b.ReportMetric(2e-9*float64(m*n*k*b.N)/b.Elapsed().Seconds(), "GFLOP/s")
		})
	}
}
