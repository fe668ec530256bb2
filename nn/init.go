package nn

import (
	"math"
	"math/rand/v2"

	"croupier/engine"
)

// Gains of the initial weights (Andrychowicz et al. 2021, "What matters for
// on-policy deep actor-critic methods?", section 3.2: a small last policy layer
// makes the first policy nearly uniform, whatever the observation).
const (
	hiddenGain = math.Sqrt2
	policyGain = 0.01
	valueGain  = 1
	forgetBias = 1 // Gers et al. 2000; Jozefowicz et al. 2015: remember at first
)

// Init returns initial parameters: orthogonal weights (Saxe et al. 2014), for an
// LSTM layer gate by gate and for attention part by part, and zero biases but for the
// forget gates'. The same
// seed gives the same parameters.
func (l *Layout) Init(seed uint64) []float32 {
	flat := make([]float32, l.Size)
	dense := func(layers []DenseLayer, lastGain float64) {
		for i, d := range layers {
			gain := hiddenGain
			if i == len(layers)-1 {
				gain = lastGain
			}
			orthogonal(l.Slice(flat, d.Weight), d.In, d.Out, 0, d.Out, gain, engine.NewRNG(seed, uint64(d.Weight)))
		}
	}
	for _, e := range l.Layers.Encoders {
		dense(e.Dense, hiddenGain)
	}
	if a := l.Layers.Attention; a != nil {
		l.initAttention(a, flat, seed)
	}
	dense(l.Layers.Dense, hiddenGain)
	for _, r := range l.Layers.LSTM {
		for gate := range 4 {
			orthogonal(l.Slice(flat, r.W), r.In, r.Hidden, gate*r.Hidden, 4*r.Hidden, 1, engine.NewRNG(seed, uint64(r.W+gate<<32)))
			orthogonal(l.Slice(flat, r.U), r.Hidden, r.Hidden, gate*r.Hidden, 4*r.Hidden, 1, engine.NewRNG(seed, uint64(r.U+gate<<32)))
		}
		bias := l.Slice(flat, r.B)
		for i := r.Hidden; i < 2*r.Hidden; i++ {
			bias[i] = forgetBias
		}
	}
	for _, h := range l.Layers.Policy {
		dense(h.Dense, policyGain)
	}
	dense(l.Layers.Value, valueGain)
	return flat
}

// initAttention fills the parts of w apart: queries, keys, values and the shortcut.
// Weights of variance ½ give a token with one feature queries and keys of variance 1,
// and so, over the square root of their number, scores of variance 1 (Vaswani et al.
// 2017, section 3.2.1).
func (l *Layout) initAttention(a *AttentionLayer, flat []float32, seed uint64) {
	w, height, first := l.Slice(flat, a.W), a.Features+a.Tokens, 0
	for part, width := range []int{a.Size, a.Size, a.Size, a.Output} {
		gain := math.Sqrt(float64(max(width, height)) / 2)
		orthogonal(w, height, width, first, a.Columns(), gain, engine.NewRNG(seed, uint64(a.W+part<<32)))
		first += width
	}
	orthogonal(l.Slice(flat, a.O), a.Size, a.Output, 0, a.Output, 1, engine.NewRNG(seed, uint64(a.O)))
}

// orthogonal fills the columns offset..offset+cols-1 of a matrix of the given
// stride with gain times a random matrix whose rows or columns, whichever are
// fewer, are orthonormal.
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

// orthonormal returns count ≤ length random orthonormal vectors: normal ones
// put through Gram-Schmidt, twice for numerical safety.
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
