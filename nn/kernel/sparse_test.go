package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// sparseRows returns rows of which a share of the values is not 0.
func sparseRows(rows, width, stride int, share float64, rng *rand.Rand) Rows {
	x := Rows{randomSlice(rows*stride, rng), stride}
	for i := range rows {
		for j := range x.Row(i, width) {
			if rng.Float64() >= share {
				x.Data[i*stride+j] = 0
			}
		}
	}
	return x
}

// TestSparseProductsAreTheDenseOnes compares to the bit, for all widths around those of registers and chunks.
func TestSparseProductsAreTheDenseOnes(t *testing.T) {
	eachSet(t, func(t *testing.T) {
		if current().sparseAffine == nil {
			require.False(t, MostlyZero(MakeRows(1, 10), 10))
			return
		}
		rng := rand.New(rand.NewPCG(3, 0))
		for _, in := range []int{1, 7, 8, 15, 16, 17, 33, 139, 300} {
			for _, out := range []int{1, 5, 16, 31, 48, 64, 65, 96, 130} {
				for _, share := range []float64{0, 0.1, 1} {
					const rows = 13
					x := sparseRows(rows, in, in+2, share, rng)
					w, bias := randomSlice(in*out, rng), randomSlice(out, rng)
					for _, relu := range []bool{false, true} {
						want, got := MakeRows(rows, out+1), MakeRows(rows, out+1)
						Pack(bias, w).Apply(want, x, rows, relu)
						SparseAffine(got, x, rows, w, bias, relu)
						require.Equal(t, want, got, "%d→%d", in, out)
					}
					dz, want := randomSlice(rows*out, rng), randomSlice(in*out, rng)
					got := append([]float32(nil), want...)
					NewMultiplier(1, FP32).AddProduct(NewMatrix(want, in, out), x.Matrix(rows, in).T(), NewMatrix(dz, rows, out))
					AddSparseOuter(got, x, dz, rows)
					require.Equal(t, want, got, "%d→%d", in, out)
				}
			}
		}
	})
}

func TestMostlyZero(t *testing.T) {
	x := MakeRows(1, 30)
	there := current().sparseAffine != nil
	for nonzero := range 11 {
		require.Equal(t, there && nonzero <= 3, MostlyZero(x, 30), nonzero)
		x.Data[nonzero*sampled%30] = 1
	}
}

// BenchmarkAffine compares a first layer of 139 inputs and 64 outputs in both ways.
func BenchmarkAffine(b *testing.B) {
	const rows, in, out = 64, 139, 64
	rng := rand.New(rand.NewPCG(1, 0))
	w, bias, y := randomSlice(in*out, rng), randomSlice(out, rng), MakeRows(rows, out)
	dw, dz := make([]float32, in*out), randomSlice(rows*out, rng)
	packed, m := Pack(bias, w), NewMultiplier(1, FP32)
	for _, share := range []float64{0.08, 0.18, 0.25, 0.5} {
		x := sparseRows(rows, in, in, share, rng)
		b.Run(fmt.Sprintf("%.2f/dense", share), func(b *testing.B) {
			for b.Loop() {
				packed.Apply(y, x, rows, true)
			}
		})
		b.Run(fmt.Sprintf("%.2f/sparse", share), func(b *testing.B) {
			for b.Loop() {
				SparseAffine(y, x, rows, w, bias, true)
			}
		})
		b.Run(fmt.Sprintf("%.2f/dense gradient", share), func(b *testing.B) {
			for b.Loop() {
				m.Product(NewMatrix(dw, in, out), x.Matrix(rows, in).T(), NewMatrix(dz, rows, out))
			}
		})
		b.Run(fmt.Sprintf("%.2f/sparse gradient", share), func(b *testing.B) {
			for b.Loop() {
				AddSparseOuter(dw, x, dz, rows)
			}
		})
	}
}
