//go:build !purego

package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// eachBF16 runs the test with every way that this machine has to multiply in BF16.
func eachBF16(t *testing.T, test func(t *testing.T)) {
	ways := nativeBF16()
	if len(ways) == 0 {
		t.Skip("needs AVX512-BF16")
	}
	t.Cleanup(func() { avx512.bf16 = ways[0] })
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			avx512.bf16 = way
			test(t)
		})
	}
}

// rounded returns the matrix with its values rounded to the nearest BF16, halves to even.
func (m Matrix) rounded() Matrix {
	m.data = slices.Clone(m.data)
	for i, x := range m.data {
		bits := math.Float32bits(x)
		bits += 0x7fff + bits>>16&1
		m.data[i] = math.Float32frombits(bits &^ 0xffff)
	}
	return m
}

// TestBF16ProductAgainstReference: a product in BF16 is that of the rounded factors, within twice the bound of FP32,
// since products of pairs, or of tiles, are rounded too.
func TestBF16ProductAgainstReference(t *testing.T) { eachBF16(t, testBF16ProductAgainstReference) }

func testBF16ProductAgainstReference(t *testing.T) {
	multipliers := []*Multiplier{NewMultiplier(1, BF16), NewMultiplier(3, BF16)}
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		m, n, k := drawSizes(t)
		a, b, c := drawFactors(t, m, n, k, rng)
		before := c
		before.data = slices.Clone(c.data)

		multiplier := multipliers[rapid.IntRange(0, 1).Draw(t, "multiplier")]
		multiplier.AddProduct(c, a, b)
		requireProductWithin(t, c, a.rounded(), b.rounded(), before.at, math.Inf(-1), 2)
		requireGaps(t, before, c)

		added := slices.Clone(c.data)
		copy(c.data, before.data)
		packed, scratch := Packed{Precision: BF16}, Scratch{}
		packed.Pack(b)
		packed.AddProduct(c, a, &scratch)
		require.Equal(t, added, c.data, "the same bits, packed or not, on one core or several")
		bias := randomSlice(n, rng)
		packed.Affine(c, a, bias, true, &scratch)
		requireProductWithin(t, c, a.rounded(), b.rounded(), func(_, j int) float32 { return bias[j] }, 0, 2)
	})
	for _, m := range multipliers {
		m.Close()
	}
}

// TestBF16KeepsWhatIsNoNumber: a training that has gone wrong must not look healthy.
func TestBF16KeepsWhatIsNoNumber(t *testing.T) { eachBF16(t, testBF16KeepsWhatIsNoNumber) }

func testBF16KeepsWhatIsNoNumber(t *testing.T) {
	nan := float32(math.NaN())
	for _, x := range []float32{nan, math.Float32frombits(0x7fffffff), math.Float32frombits(0x7f800001)} {
		packed, scratch := Packed{Precision: BF16}, Scratch{}
		packed.Pack(NewMatrix([]float32{1, 1, 1}, 3, 1))
		c := NewMatrix(make([]float32, 1), 1, 1)
		packed.Product(c, NewMatrix([]float32{1, 2, x}, 1, 3), &scratch)
		require.True(t, math.IsNaN(float64(c.at(0, 0))), "left %x", math.Float32bits(x))
		packed.Pack(NewMatrix([]float32{1, x, 1}, 3, 1))
		packed.Affine(c, NewMatrix([]float32{1, 1, 1}, 1, 3), []float32{0}, true, &scratch)
		require.True(t, math.IsNaN(float64(c.at(0, 0))), "right %x", math.Float32bits(x))
	}
}

// TestBF16AllocatesNothing, once it has seen its largest factors.
func TestBF16AllocatesNothing(t *testing.T) { eachBF16(t, testBF16AllocatesNothing) }

func testBF16AllocatesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	a, b := randomMatrix(40, 33, true, rng), randomMatrix(33, 45, false, rng)
	c := NewMatrix(make([]float32, 40*45), 40, 45)
	m := NewMultiplier(1, BF16)
	m.Product(c, a, b)
	require.Zero(t, testing.AllocsPerRun(5, func() { m.Product(c, a, b) }))
}

// TestBF16IsNotDisturbed by what interrupts a goroutine in the middle of a product: signals of the runtime, and others
// that use the same registers of the same core.
func TestBF16IsNotDisturbed(t *testing.T) { eachBF16(t, testBF16IsNotDisturbed) }

func testBF16IsNotDisturbed(t *testing.T) {
	var running sync.WaitGroup
	wrong := make(chan string, 100)
	for worker := range 2*runtime.GOMAXPROCS(0) + 1 {
		rng := rand.New(rand.NewPCG(uint64(worker), 0))
		a, b := randomMatrix(90, 256, worker%2 == 0, rng), randomMatrix(256, 70, false, rng)
		running.Go(func() {
			m := NewMultiplier(1, BF16)
			c := NewMatrix(make([]float32, 90*70), 90, 70)
			m.Product(c, a, b)
			expected := slices.Clone(c.data)
			for i := range 1500 {
				m.Product(c, a, b)
				if !slices.Equal(expected, c.data) {
					wrong <- fmt.Sprintf("product %d of worker %d", i, worker)
					return
				}
			}
		})
	}
	done := make(chan struct{})
	go func() {
		running.Wait()
		close(done)
	}()
	for {
		select {
		case w := <-wrong:
			t.Error(w)
		case <-done:
			require.Empty(t, wrong)
			return
		default:
			runtime.GC() // stops all goroutines, by a signal if need be
		}
	}
}
