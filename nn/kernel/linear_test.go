package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestApplyAgainstReference(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
			rows := rapid.IntRange(1, 30).Draw(t, "rows")
			in := rapid.SliceOfN(rapid.IntRange(1, 40), 1, 2).Draw(t, "in")
			out := rapid.IntRange(1, 80).Draw(t, "out")
			relu := rapid.Bool().Draw(t, "relu")
			bias := randomSlice(out, rng)
			var weights [][]float32
			var stacked []float32
			for _, n := range in {
				weights = append(weights, randomSlice(n*out, rng))
				stacked = append(stacked, weights[len(weights)-1]...)
			}
			width := len(stacked) / out
			x := Rows{Data: randomSlice(rows*(width+3), rng), Stride: width + 3}
			dst := MakeRows(rows, out+2)
			Pack(bias, weights...).Apply(dst, x, rows, relu)

			floor := math.Inf(-1)
			if relu {
				floor = 0
			}
			start := func(_, j int) float32 { return bias[j] }
			requireProduct(t, dst.Matrix(rows, out), x.Matrix(rows, width), NewMatrix(stacked, width, out), start, floor)
			for i := range rows {
				require.Equal(t, []float32{0, 0}, dst.Row(i, out+2)[out:], "columns past the output")
			}
		})
	})
}

// A row's result is the same to the last bit in any batch.
func TestApplyRowIsIndependentOfBatch(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 0))
		for _, shape := range [][2]int{{1, 1}, {7, 5}, {64, 64}, {129, 33}, {depthBlock + 20, 40}} {
			linear := Pack(randomSlice(shape[1], rng), randomSlice(shape[0]*shape[1], rng))
			const rows = 27 // past two tiles
			x := Rows{Data: randomSlice(rows*shape[0], rng), Stride: shape[0]}
			all := MakeRows(rows, shape[1])
			linear.Apply(all, x, rows, false)
			for n := 1; n <= rows; n++ {
				for first := 0; first+n <= rows; first += 1 + n/2 {
					part := MakeRows(n, shape[1])
					linear.Apply(part, Rows{x.Data[first*x.Stride:], x.Stride}, n, false)
					require.Equal(t, all.Data[first*shape[1]:(first+n)*shape[1]], part.Data)
				}
			}
		}
	})
}

func TestApplyKeepsNaN(t *testing.T) {
	nan := float32(math.NaN())
	eachSet(t, func(t *testing.T) {
		linear := Pack(make([]float32, 3), []float32{1, nan, -1})
		dst := MakeRows(1, 3)
		linear.Apply(dst, Rows{[]float32{2}, 1}, 1, true)
		require.Equal(t, float32(2), dst.Data[0])
		require.True(t, math.IsNaN(float64(dst.Data[1])), "the rectifier must not hide it")
		require.Zero(t, dst.Data[2])
	})
}

func TestApplyDoesNotAllocate(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		linear := Pack(make([]float32, 20), make([]float32, 20*30))
		x, dst := MakeRows(5, 30), MakeRows(5, 20)
		require.Zero(t, testing.AllocsPerRun(10, func() { linear.Apply(dst, x, 5, true) }))
	})
}

func BenchmarkApply(b *testing.B) {
	for _, shape := range [][2]int{{64, 64}, {128, 128}, {256, 512}} {
		for _, rows := range []int{1, 64, 256} {
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
