package kernel

import (
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write testdata/golden.txt again")

// squares is the name of the last of the golden results.
const squares = "sumSquares"

// goldenSizes covers full registers of every instruction set and the rest.
var goldenSizes = []int{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100}

// golden are results whose bits every set that fuses multiplication and addition must meet,
// on every architecture. Each function records what it computes.
var golden = []struct {
	name    string
	results func(record func(values ...float32), rng *rand.Rand)
}{
	{"products", goldenProducts},
	{"exp", func(record func(...float32), _ *rand.Rand) {
		for _, f := range activations {
			x := everyBitPattern(100003)
			f.vector(x, x)
			record(x...)
		}
	}},
	{"expSum", func(record func(...float32), rng *rand.Rand) {
		for _, n := range goldenSizes {
			x := exactValues(n, rng)
			for i := range n / 3 {
				x[i*3+1] = float32(math.Inf(-1))
			}
			record(current().expSum(x))
		}
	}},
	{"softmaxColumns", goldenSoftmax},
	{"lstm", goldenLSTM},
	{"add, reluGradient", func(record func(...float32), rng *rand.Rand) {
		for _, n := range goldenSizes {
			x, y := exactValues(n, rng), exactValues(n, rng)
			Add(y, x)
			record(y...)
			y[0], y[n/2] = 0, float32(math.Copysign(0, -1))
			ReLUGradient(x, y, x)
			record(x...)
		}
	}},
	{"adam", func(record func(...float32), rng *rand.Rand) {
		for _, n := range goldenSizes {
			p, g, m, v := exactValues(n, rng), exactValues(n, rng), exactValues(n, rng), exactValues(n, rng)
			for i := range v {
				v[i] *= v[i]
			}
			AdamStep(p, g, m, v, 0.3, 0.9, 0.999, 0.01, 1e-5)
			record(slices.Concat(p, m, v)...)
		}
	}},
	{squares, func(record func(...float32), rng *rand.Rand) {
		for _, n := range goldenSizes {
			bits := math.Float64bits(SumSquares(exactValues(n, rng)))
			record(math.Float32frombits(uint32(bits)), math.Float32frombits(uint32(bits>>32)))
		}
	}},
}

// exactValues returns values between ±4, made without an operation that architectures could
// round differently.
func exactValues(n int, rng *rand.Rand) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = float32(rng.Int32()-math.MaxInt32/2) * 0x1p-28
	}
	return s
}

func exactMatrix(rows, columns int, transposed bool, rng *rand.Rand) Matrix {
	if transposed {
		return exactMatrix(columns, rows, false, rng).T()
	}
	return Rows{exactValues(rows*(columns+3), rng), columns + 3}.Matrix(rows, columns)
}

func goldenProducts(record func(...float32), rng *rand.Rand) {
	for _, size := range [][3]int{
		{1, 1, 1}, {1, 32, 100}, {2, 17, 3}, {3, 5, 64}, {4, 16, 16}, {5, 33, 7}, {6, 15, 31}, {7, 48, 257}, {13, 20, 0},
		{29, 37, depthBlock + 41}, {rowBlock + 5, 18, 9}, {2, columnBlock + 2, 5},
	} {
		m, n, k := size[0], size[1], size[2]
		for transposed := range 4 {
			a, b := exactMatrix(m, k, transposed&1 > 0, rng), exactMatrix(k, n, transposed&2 > 0, rng)
			c := exactMatrix(m, n, false, rng)
			multiplier := NewMultiplier(1, FP32)
			multiplier.AddProduct(c, a, b)
			record(c.data...)
			multiplier.Product(c, a, b)
			record(c.data...)
			var packed Packed
			var scratch Scratch
			packed.Pack(b)
			packed.Affine(c, a, exactValues(n, rng), true, &scratch)
			record(c.data...)
		}
	}
	// The floor keeps the sign of zeros.
	negative := []float32{float32(math.Copysign(0, -1))}
	var packed Packed
	var scratch Scratch
	packed.Pack(NewMatrix(nil, 0, 1))
	c := NewMatrix(make([]float32, 1), 1, 1)
	packed.Affine(c, NewMatrix(nil, 1, 0), negative, true, &scratch)
	record(c.data...)
}

func goldenSoftmax(record func(...float32), rng *rand.Rand) {
	for _, columns := range goldenSizes {
		for _, rows := range []int{1, 2, 9} {
			x, dy := exactValues(rows*columns, rng), exactValues(rows*columns, rng)
			SoftmaxColumns(x, rows, columns, 3.3)
			record(x...)
			SoftmaxColumnsGradient(dy, x, rows, columns, 3.3)
			record(dy...)
		}
	}
}

func goldenLSTM(record func(...float32), rng *rand.Rand) {
	for _, n := range goldenSizes {
		gates, c, h := exactValues(4*n, rng), exactValues(n, rng), make([]float32, n)
		next := slices.Clone(c)
		LSTMCell(gates, h, next)
		record(append(next, h...)...)
		cell, tanhCell := make([]float32, n), make([]float32, n)
		LSTMForward(gates, c, cell, tanhCell, h)
		record(slices.Concat(gates, cell, tanhCell, h)...)
		cellGrad := exactValues(n, rng)
		LSTMBackward(gates, c, tanhCell, exactValues(n, rng), cellGrad)
		record(append(gates, cellGrad...)...)
	}
}

// What testdata/golden.txt holds was computed with AVX2.
func TestFusedSetsGiveTheSameBitsOnEveryArchitecture(t *testing.T) {
	t.Cleanup(func() { chosen = available[0] })
	const path = "testdata/golden.txt"
	sets := native()
	if len(sets) == 0 {
		t.Skip("needs AVX2 or NEON")
	}
	if *update {
		use(t, "avx2")
		require.NoError(t, os.WriteFile(path, []byte(digests()), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, s := range sets {
		chosen = s
		got, want := digests(), string(want)
		if s.name == "avx512" {
			// It adds squares, the last line, in an order of its own.
			got, want = got[:strings.Index(got, squares)], want[:strings.Index(want, squares)]
		}
		require.Equal(t, want, got, s.name)
	}
}

// digests returns a line with a digest of each of the golden results, all NaN being alike.
func digests() string {
	var text string
	for _, g := range golden {
		hash := sha256.New()
		g.results(func(values ...float32) {
			for _, v := range values {
				if v != v {
					v = float32(math.NaN())
				}
				hash.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)))
			}
		}, rand.New(rand.NewPCG(1, 0)))
		text += fmt.Sprintf("%s: %x\n", g.name, hash.Sum(nil))
	}
	return text
}
