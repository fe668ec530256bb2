package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// referenceApply is Linear.Apply in float64, as simple as can be. It returns for
// each row the outputs and the sum of the absolute terms, which bounds the error.
func referenceApply(bias []float32, weights [][]float32, x []float32, relu bool) (y, size []float64) {
	y, size = make([]float64, len(bias)), make([]float64, len(bias))
	for j := range bias {
		y[j], size[j] = float64(bias[j]), math.Abs(float64(bias[j]))
		k := 0
		for _, w := range weights {
			for ; len(w) > 0; w = w[len(bias):] {
				term := float64(w[j]) * float64(x[k])
				y[j] += term
				size[j] += math.Abs(term)
				k++
			}
		}
		if relu {
			y[j] = max(y[j], 0)
		}
	}
	return y, size
}

func randomSlice(n int, rng *rand.Rand) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = float32(rng.NormFloat64())
	}
	return s
}

func TestApplyAgainstReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		rows := rapid.IntRange(1, 9).Draw(t, "rows")
		in := rapid.SliceOfN(rapid.IntRange(1, 40), 1, 2).Draw(t, "in")
		out := rapid.IntRange(1, 40).Draw(t, "out")
		relu := rapid.Bool().Draw(t, "relu")
		bias := randomSlice(out, rng)
		var weights [][]float32
		for _, n := range in {
			weights = append(weights, randomSlice(n*out, rng))
		}
		linear := Pack(bias, weights...)
		x := Rows{Data: randomSlice(rows*(linear.in+3), rng), Stride: linear.in + 3}
		dst := MakeRows(rows, out+2)
		linear.Apply(dst, x, rows, relu)

		for i := range rows {
			want, size := referenceApply(bias, weights, x.Row(i, linear.in), relu)
			for j, got := range dst.Row(i, out) {
				require.InDelta(t, want[j], float64(got), 1e-6*size[j], "row %d, column %d", i, j)
			}
			require.Equal(t, []float32{0, 0}, dst.Row(i, out+2)[out:], "columns past the output")
		}
	})
}

// A row's result is the same to the last bit in any batch.
func TestApplyRowIsIndependentOfBatch(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	for _, shape := range [][2]int{{1, 1}, {7, 5}, {64, 64}, {129, 33}} {
		linear := Pack(randomSlice(shape[1], rng), randomSlice(shape[0]*shape[1], rng))
		const rows = 13
		x := Rows{Data: randomSlice(rows*shape[0], rng), Stride: shape[0]}
		all := MakeRows(rows, shape[1])
		linear.Apply(all, x, rows, false)
		for n := 1; n <= rows; n++ {
			for first := 0; first+n <= rows; first++ {
				part := MakeRows(n, shape[1])
				linear.Apply(part, Rows{x.Data[first*x.Stride:], x.Stride}, n, false)
				require.Equal(t, all.Data[first*shape[1]:(first+n)*shape[1]], part.Data)
			}
		}
	}
}

func TestApplyDoesNotAllocate(t *testing.T) {
	linear := Pack(make([]float32, 20), make([]float32, 20*30))
	x, dst := MakeRows(5, 30), MakeRows(5, 20)
	require.Zero(t, testing.AllocsPerRun(10, func() { linear.Apply(dst, x, 5, true) }))
}

func TestActivationsAgainstMath(t *testing.T) {
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	for _, f := range []struct {
		name     string
		fast     func(float32) float32
		exact    func(float64) float64
		limit    float64
		relative float64
	}{
		{"exp", Exp, math.Exp, expLimit, 3e-7},
		{"sigmoid", Sigmoid, sigmoid, 80, 4e-7},
		{"tanh", Tanh, math.Tanh, 40, 4e-7},
	} {
		t.Run(f.name, func(t *testing.T) {
			for i := -40000; i <= 40000; i++ {
				x := float32(f.limit * math.Pow(float64(i)/40000, 3)) // denser near 0
				want := f.exact(float64(x))
				require.InDelta(t, want, float64(f.fast(x)), f.relative*math.Abs(want)+1e-38, "x = %v", x)
			}
		})
	}
}

func TestActivationsAtExtremes(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, x := range []float32{88, 1e6, math.MaxFloat32, inf} {
		require.Equal(t, inf, Exp(x))
		require.Zero(t, Exp(-x))
		require.Equal(t, float32(1), Sigmoid(x))
		require.InDelta(t, 0, Sigmoid(-x), 1e-37)
		require.Equal(t, float32(1), Tanh(x))
		require.Equal(t, float32(-1), Tanh(-x))
	}
	nan := float32(math.NaN())
	for _, f := range []func(float32) float32{Exp, Sigmoid, Tanh} {
		require.True(t, math.IsNaN(float64(f(nan))), "NaN must not be hidden")
	}
}

func TestLSTMCellAgainstReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 0))
	sigmoid := func(x float32) float64 { return 1 / (1 + math.Exp(-float64(x))) }
	const n = 37
	gates, h, c := randomSlice(4*n, rng), randomSlice(n, rng), randomSlice(n, rng)
	before := append([]float32{}, c...)
	LSTMCell(gates, h, c)
	for j := range n {
		wantC := sigmoid(gates[n+j])*float64(before[j]) + sigmoid(gates[j])*math.Tanh(float64(gates[2*n+j]))
		require.InDelta(t, wantC, float64(c[j]), 1e-6)
		require.InDelta(t, sigmoid(gates[3*n+j])*math.Tanh(wantC), float64(h[j]), 1e-6)
	}
}

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

func TestMaskedLogSoftmaxAgainstReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		logits := rapid.SliceOfN(rapid.Float32Range(-200, 200), 1, 50).Draw(t, "logits")
		legal := rapid.SliceOfNDistinct(rapid.IntRange(0, len(logits)-1), 1, len(logits), rapid.ID).Draw(t, "legal")
		got := make([]float32, len(logits))
		MaskedLogSoftmax(got, logits, legal)
		for i, want := range referenceLogSoftmax(logits, legal) {
			if math.IsInf(want, -1) {
				require.Equal(t, float32(math.Inf(-1)), got[i])
				continue
			}
			require.InDelta(t, want, float64(got[i]), 1e-6*(1+math.Abs(want)))
		}
	})
}

func TestMaskedLogSoftmaxIsFiniteForAnyLogits(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	values := []float32{nan, inf, -inf, math.MaxFloat32, -math.MaxFloat32, 1e30, 0, math.SmallestNonzeroFloat32}
	got := make([]float32, 3)
	for _, a := range values {
		for _, b := range values {
			MaskedLogSoftmax(got, []float32{a, b, inf}, []int{0, 1})
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

func BenchmarkApply(b *testing.B) {
	for _, shape := range [][2]int{{64, 64}, {128, 128}, {256, 512}} {
		for _, rows := range []int{1, 64} {
			b.Run(fmt.Sprintf("%dx%d/batch=%d", shape[0], shape[1], rows), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, 0))
				linear := Pack(randomSlice(shape[1], rng), randomSlice(shape[0]*shape[1], rng))
				x := Rows{randomSlice(rows*shape[0], rng), shape[0]}
				dst := MakeRows(rows, shape[1])
				for b.Loop() {
					linear.Apply(dst, x, rows, true)
				}
				operations := 2 * float64(shape[0]*shape[1]*rows)
				b.ReportMetric(operations*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
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
