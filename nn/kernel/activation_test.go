package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// activations lists the functions with their documented accuracy for x ≥ low.
var activations = []struct {
	name   string
	scalar func(float32) float32
	vector func(dst, x []float32)
	exact  func(float64) float64
	ulp    float64
	low    float32
}{
	{"exp", Exp, Exps, math.Exp, 1, float32(math.Inf(-1))},
	{"sigmoid", Sigmoid, sigmoids, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, 3, -expLimit},
	{"tanh", Tanh, tanhs, math.Tanh, 3, float32(math.Inf(-1))},
}

// sigmoids and tanhs are computed by the LSTM gates.
func sigmoids(dst, x []float32) { activatedGate(dst, x, 0) }
func tanhs(dst, x []float32)    { activatedGate(dst, x, 2) }

// activatedGate sets dst to the result of LSTMForward for one gate.
func activatedGate(dst, x []float32, gate int) {
	n := len(x)
	gates, zero := make([]float32, 4*n), make([]float32, n)
	copy(gates[gate*n:], x)
	LSTMForward(gates, zero, make([]float32, n), make([]float32, n), make([]float32, n))
	copy(dst, gates[gate*n:][:n])
}

// ulps returns the distance in units in the last place of the float32 nearest to want.
func ulps(got float32, want float64) float64 {
	nearest := float32(want)
	if got == nearest {
		return 0
	}
	size := math.Abs(float64(nearest))
	_, exponent := math.Frexp(size)
	return math.Abs(float64(got)-want) / math.Ldexp(1, max(exponent-24, -149))
}

// everyBitPattern returns every step-th float32, NaN and infinities included.
func everyBitPattern(step uint64) []float32 {
	var x []float32
	for bits := uint64(0); bits < 1<<32; bits += step {
		x = append(x, math.Float32frombits(uint32(bits)))
	}
	return x
}

func TestActivationsOverTheWholeRange(t *testing.T) {
	x := append(everyBitPattern(10007), 0, float32(math.Copysign(0, -1)),
		88.72283, 88.722839, -87.33654, -103.97, -103.98, math.SmallestNonzeroFloat32,
		float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()))
	y := make([]float32, len(x))
	eachSet(t, func(t *testing.T) {
		for _, f := range activations {
			f.vector(y, x)
			worst, at := 0., float32(0)
			for i, x := range x {
				if x != x {
					require.True(t, y[i] != y[i], "%s of NaN must be NaN", f.name)
					continue
				}
				if x < f.low {
					require.InDelta(t, 0, float64(y[i]), 1.3e-38, "%s(%v)", f.name, x)
					continue
				}
				if u := ulps(y[i], f.exact(float64(x))); !(u <= worst) {
					worst, at = u, x
				}
			}
			require.LessOrEqual(t, worst, f.ulp, "%s(%v)", f.name, at)
			t.Logf("%s: %.2f ulp at most, at %v", f.name, worst, at)
		}
	})
}

func TestScalarActivations(t *testing.T) {
	for _, f := range activations {
		for _, x := range everyBitPattern(100003) {
			if x != x {
				require.True(t, f.scalar(x) != f.scalar(x), "%s of NaN must be NaN", f.name)
			} else if x >= f.low {
				require.LessOrEqual(t, ulps(f.scalar(x), f.exact(float64(x))), f.ulp, "%s(%v)", f.name, x)
			}
		}
	}
}

func TestActivationsAtExtremes(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, x := range []float32{105, 1e6, math.MaxFloat32, inf} {
		require.Equal(t, inf, Exp(x))
		require.Zero(t, Exp(-x))
		require.Equal(t, float32(1), Sigmoid(x))
		require.InDelta(t, 0, Sigmoid(-x), 1.3e-38)
		require.Equal(t, float32(1), Tanh(x))
		require.Equal(t, float32(-1), Tanh(-x))
	}
}

// Every length is right, including the masked rest, and what follows it stays untouched.
func TestActivationsOfEveryLength(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	eachSet(t, func(t *testing.T) {
		for n := range 40 {
			x, dst := randomSlice(n, rng), make([]float32, n+1)
			for _, f := range activations {
				f.vector(dst[:n], x)
				for i := range x {
					require.LessOrEqual(t, ulps(dst[i], f.exact(float64(x[i]))), f.ulp)
				}
				require.Zero(t, dst[n])
			}
		}
	})
}

func TestActivationsAreTheSameInFusedSets(t *testing.T) {
	x := everyBitPattern(100003)
	sets := fusedSets(t)
	y := make([][]float32, len(sets))
	for _, f := range activations {
		for i, s := range sets {
			chosen = s
			y[i] = make([]float32, len(x))
			f.vector(y[i], x)
		}
		for i := range x {
			if x[i] == x[i] {
				require.Equal(t, y[0][i], y[1][i], "%s(%v)", f.name, x[i])
			}
		}
	}
}

func BenchmarkExps(b *testing.B) {
	const n = 512
	x, dst := randomSlice(n, rand.New(rand.NewPCG(1, 0))), make([]float32, n)
	b.Cleanup(func() { chosen = available[0] })
	for _, name := range instructionSets() {
		b.Run(name, func(b *testing.B) {
			use(b, name)
			for b.Loop() {
				Exps(dst, x)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/value")
		})
	}
}
