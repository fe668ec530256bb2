package nn

import (
	"math"
	"math/rand/v2"

	"croupier/engine"
)

// Init returns initial parameters, a flat list of Layout.Size values, the same ones for the same
// seed. Each kind of layer says how its own are drawn.
func (l *Layout) Init(seed uint64) []float32 {
	flat := make([]float32, l.Size)
	for _, layer := range l.Layers.All() {
		layer.Init(flat, seed)
	}
	return flat
}

// orthogonal fills the columns offset..offset+cols-1 of a matrix with the given stride with
// gain times a random matrix whose rows or columns, whichever are fewer, are orthonormal
// (Saxe et al. 2014).
func orthogonal(dst []float32, rows, cols, offset, stride int, gain float64, rng *engine.RNG) {
	count, length := cols, rows
	if rows < cols {
		count, length = rows, cols
	}
	for i, v := range orthonormal(count, length, rng) {
		for j, x := range v {
			r, c := j, i
			if rows < cols {
				r, c = i, j
			}
			dst[r*stride+offset+c] = float32(gain * x)
		}
	}
}

// orthonormal returns count ≤ length random orthonormal vectors: normal vectors put through
// Gram-Schmidt, twice for numerical stability.
func orthonormal(count, length int, rng *engine.RNG) [][]float64 {
	normal := rand.New(rng)
	vectors := make([][]float64, count)
	for i := range vectors {
		v := make([]float64, length)
		for j := range v {
			v[j] = normal.NormFloat64()
		}
		for range 2 {
			for _, u := range vectors[:i] {
				axpy(v, -dot(u, v), u)
			}
			scale(v, 1/math.Sqrt(dot(v, v)))
		}
		vectors[i] = v
	}
	return vectors
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// axpy adds s times x to y.
func axpy(y []float64, s float64, x []float64) {
	for i := range y {
		y[i] += s * x[i]
	}
}

func scale(v []float64, s float64) {
	for i := range v {
		v[i] *= s
	}
}
