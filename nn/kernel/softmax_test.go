package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// referenceLogSoftmax is the masked log-softmax in float64.
func referenceLogSoftmax(logits []float32, legal []int) []float64 {
	top := math.Inf(-1)
	for _, a := range legal {
		top = max(top, float64(logits[a]))
	}
	sum := 0.0
	for _, a := range legal {
		sum += math.Exp(float64(logits[a]) - top)
	}
	want := make([]float64, len(logits))
	for i := range want {
		want[i] = math.Inf(-1)
	}
	for _, a := range legal {
		want[a] = float64(logits[a]) - top - math.Log(sum)
	}
	return want
}

// logSoftmax is [MaskedLogSoftmax] of one row.
func logSoftmax(dst, logits []float32, legal []int) {
	MaskedLogSoftmax(Rows{dst, len(dst)}, Rows{logits, len(logits)}, 1, len(dst), func(int) []int { return legal })
}

// What a row gets does not depend on the others, and what lies between the rows stays.
func TestMaskedLogSoftmaxOfRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 0))
	for _, rows := range []int{1, 2, softmaxRows - 1, softmaxRows, 2*softmaxRows + 3} {
		const width, logitStride, stride = 21, 23, 22
		logits, got := randomSlice(rows*logitStride, rng), randomSlice(rows*stride, rng)
		between := slices.Clone(got)
		legal := make([][]int, rows)
		for i := range legal {
			legal[i] = rng.Perm(width)[:1+rng.IntN(width)]
		}
		MaskedLogSoftmax(Rows{got, stride}, Rows{logits, logitStride}, rows, width, func(i int) []int { return legal[i] })
		for i := range rows {
			want := make([]float32, width)
			logSoftmax(want, logits[i*logitStride:][:width], legal[i])
			require.Equal(t, want, got[i*stride:][:width])
			require.Equal(t, between[i*stride+width:][:stride-width], got[i*stride+width:][:stride-width])
		}
	}
}

func TestMaskedLogSoftmaxAgainstReference(t *testing.T) {
	t.Cleanup(func() { chosen = available[0] })
	rapid.Check(t, func(t *rapid.T) {
		use(t, rapid.SampledFrom(instructionSets()).Draw(t, "set"))
		logits := rapid.SliceOfN(rapid.Float32Range(-200, 200), 1, 50).Draw(t, "logits")
		legal := rapid.SliceOfNDistinct(rapid.IntRange(0, len(logits)-1), 1, len(logits), rapid.ID).Draw(t, "legal")
		got := make([]float32, len(logits))
		logSoftmax(got, logits, legal)
		for i, want := range referenceLogSoftmax(logits, legal) {
			if math.IsInf(want, -1) {
				require.Equal(t, float32(math.Inf(-1)), got[i])
				continue
			}
			require.InDelta(t, want, float64(got[i]), 1e-6*(1+math.Abs(want)))
		}
	})
}

func TestMaskedLogSoftmaxIsFiniteForAnyLogits(t *testing.T) { eachSet(t, testFiniteForAnyLogits) }

func testFiniteForAnyLogits(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	values := []float32{nan, inf, -inf, math.MaxFloat32, -math.MaxFloat32, 1e30, 0, math.SmallestNonzeroFloat32}
	got := make([]float32, 3)
	for _, a := range values {
		for _, b := range values {
			logSoftmax(got, []float32{a, b, inf}, []int{0, 1})
			sum := 0.0
			for _, p := range got[:2] {
				require.LessOrEqual(t, p, float32(0), "%v %v", a, b)
				require.False(t, math.IsInf(float64(p), 0) || math.IsNaN(float64(p)), "%v %v: %v", a, b, p)
				sum += math.Exp(float64(p))
			}
			require.InDelta(t, 1, sum, 1e-6, "%v %v", a, b)
			require.Equal(t, -inf, got[2])
		}
	}
}

func TestMaskedLogSoftmaxIsTheSameInFusedSets(t *testing.T) {
	sets := fusedSets(t)
	rng := rand.New(rand.NewPCG(5, 0))
	for n := 1; n < 70; n++ {
		logits, legal := randomSlice(n, rng), rng.Perm(n)[:1+rng.IntN(n)]
		var results [][]float32
		for _, s := range sets {
			chosen = s
			logProbs := make([]float32, n)
			logSoftmax(logProbs, logits, legal)
			results = append(results, logProbs)
		}
		require.Equal(t, results[0], results[1])
	}
}

// BenchmarkMaskedLogSoftmax takes a row of 32 legal actions, and 64 rows of three.
func BenchmarkMaskedLogSoftmax(b *testing.B) {
	for _, size := range [][2]int{{1, 32}, {64, 3}} {
		rows, n := size[0], size[1]
		b.Run(fmt.Sprintf("%dx%d", rows, n), func(b *testing.B) {
			logits, dst := randomSlice(rows*n, rand.New(rand.NewPCG(1, 0))), MakeRows(rows, n)
			legal := make([]int, n)
			for i := range legal {
				legal[i] = i
			}
			for b.Loop() {
				MaskedLogSoftmax(dst, Rows{logits, n}, rows, n, func(int) []int { return legal })
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows), "ns/row")
		})
	}
}
