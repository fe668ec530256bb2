package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// attentionShapes covers tokens, heads and outputs that fill registers and tiles and that
// do not, and the shape of Tysiąc's network.
var attentionShapes = []AttentionShape{
	{Tokens: 1, Features: 1, Size: 1, Heads: 1, Output: 1},
	{Tokens: 3, Features: 2, Size: 6, Heads: 3, Output: 5},
	{Tokens: 17, Features: 4, Size: 10, Heads: 2, Output: 3},
	{Tokens: 24, Features: 8, Size: 64, Heads: 4, Output: 16},
	{Tokens: 40, Features: 1, Size: 33, Heads: 1, Output: 35},
}

// attention64 is the formula of AttentionShape in float64, element by element.
func attention64(s AttentionShape, w, o []float64, x []float32) (y []float64) {
	columns, d := s.Columns(), s.Size/s.Heads
	project := func(token, column int) float64 {
		sum := w[(s.Features+token)*columns+column]
		for f := range s.Features {
			sum += float64(x[f*s.Tokens+token]) * w[f*columns+column]
		}
		return sum
	}
	for token := range s.Tokens {
		var context []float64
		for h := range s.Heads {
			shares, sum := make([]float64, s.Tokens), 0.
			for other := range shares {
				score := 0.
				for j := h * d; j < (h+1)*d; j++ {
					score += project(token, j) * project(other, s.Size+j)
				}
				shares[other] = math.Exp(score / math.Sqrt(float64(d)))
				sum += shares[other]
			}
			for j := h * d; j < (h+1)*d; j++ {
				c := 0.
				for other, share := range shares {
					c += share / sum * project(other, 2*s.Size+j)
				}
				context = append(context, c)
			}
		}
		for j := range s.Output {
			z := project(token, 3*s.Size+j)
			for i, c := range context {
				z += c * o[i*s.Output+j]
			}
			y = append(y, max(0, z))
		}
	}
	return y
}

// attentionExample returns features, and weights large enough for the softmax to be far
// from uniform.
func attentionExample(s AttentionShape, rng *rand.Rand) (w, o, x []float32) {
	w, o = randomSlice((s.Features+s.Tokens)*s.Columns(), rng), randomSlice(s.Size*s.Output, rng)
	for i := range o {
		o[i] /= float32(math.Sqrt(float64(s.Size)))
	}
	return w, o, randomSlice(s.Features*s.Tokens, rng)
}

func widen(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

func TestAttentionAgainstReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 0))
	eachSet(t, func(t *testing.T) {
		for _, s := range attentionShapes {
			w, o, x := attentionExample(s, rng)
			weights, y := NewAttentionWeights(s), make([]float32, s.Tokens*s.Output)
			weights.Pack(w, o)
			a := NewAttention(s)
			a.Forward(weights, y, x)
			for i, want := range attention64(s, widen(w), widen(o), x) {
				require.InDelta(t, want, float64(y[i]), 2e-5*(1+want), "%+v, element %d", s, i)
			}
			before := slices.Clone(y)
			a.Forward(weights, make([]float32, len(y)), randomSlice(len(x), rng))
			a.Forward(weights, y, x)
			require.Equal(t, before, y, "rows are independent of each other")
			require.Zero(t, testing.AllocsPerRun(3, func() { a.Forward(weights, y, x) }))
		}
	})
}

// The gradient of Σ dy·y agrees with central differences of the formula in float64.
func TestAttentionGradientAgainstReference(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 0))
	eachSet(t, func(t *testing.T) {
		for _, s := range attentionShapes {
			w, o, x := attentionExample(s, rng)
			dy := randomSlice(s.Tokens*s.Output, rng)
			dw, do := slices.Repeat([]float32{1}, len(w)), slices.Repeat([]float32{2}, len(o))
			g := NewAttentionGradient(s)
			g.Pack(w, o)
			g.Add(dw, do, x, dy)

			w64, o64 := widen(w), widen(o)
			slope := func(parameter *float64) float64 {
				const step = 1e-5
				cost := func(at float64) (sum float64) {
					defer func(p float64) { *parameter = p }(*parameter)
					*parameter = at
					for i, y := range attention64(s, w64, o64, x) {
						sum += float64(dy[i]) * y
					}
					return sum
				}
				p := *parameter
				return (cost(p+step) - cost(p-step)) / (2 * step)
			}
			for range 40 {
				i, j := rng.IntN(len(w)), rng.IntN(len(o))
				want := slope(&w64[i])
				require.InDelta(t, 1+want, float64(dw[i]), 2e-4*(1+math.Abs(want)), "%+v, w[%d]", s, i)
				want = slope(&o64[j])
				require.InDelta(t, 2+want, float64(do[j]), 2e-4*(1+math.Abs(want)), "%+v, o[%d]", s, j)
			}
			require.Zero(t, testing.AllocsPerRun(3, func() { g.Add(dw, do, x, dy) }))
		}
	})
}

func TestAttentionIsTheSameInFusedSets(t *testing.T) {
	sets := fusedSets(t)
	for _, s := range attentionShapes {
		w, o, x := attentionExample(s, rand.New(rand.NewPCG(8, 0)))
		var results [][]float32
		for _, set := range sets {
			chosen = set
			weights, y := NewAttentionWeights(s), make([]float32, s.Tokens*s.Output)
			weights.Pack(w, o)
			NewAttention(s).Forward(weights, y, x)
			dw, do := make([]float32, len(w)), make([]float32, len(o))
			g := NewAttentionGradient(s)
			g.Pack(w, o)
			g.Add(dw, do, x, y)
			results = append(results, slices.Concat(y, dw, do))
		}
		require.Equal(t, results[0], results[1])
	}
}

func TestSoftmaxColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 0))
	eachSet(t, func(t *testing.T) {
		for _, columns := range vectorSizes {
			for _, rows := range []int{0, 1, 5} {
				const scale = 0.3
				x := randomSlice(rows*columns, rng)
				for i := range x {
					x[i] *= 300 // some fall to 0
				}
				y := slices.Clone(x)
				SoftmaxColumns(y, rows, columns, scale)
				for j := range columns {
					top, sum := math.Inf(-1), 0.
					for i := range rows {
						top = max(top, scale*float64(x[i*columns+j]))
					}
					for i := range rows {
						sum += math.Exp(scale*float64(x[i*columns+j]) - top)
					}
					for i := range rows {
						want := math.Exp(scale*float64(x[i*columns+j])-top) / sum
						require.InDelta(t, want, float64(y[i*columns+j]), 2e-5*want+1e-37)
					}
				}
			}
		}
		huge := []float32{math.MaxFloat32, 1, -math.MaxFloat32, 1}
		SoftmaxColumns(huge, 2, 2, 1)
		require.Equal(t, []float32{1, 0.5, 0, 0.5}, huge)
		require.Panics(t, func() { SoftmaxColumns(huge, 2, 3, 1) })
		require.Panics(t, func() { SoftmaxColumnsGradient(huge, huge, 1, 2, 1) })
	})
}

func TestAttentionRefusesWrongSizes(t *testing.T) {
	s := attentionShapes[1]
	w, o, x := attentionExample(s, rand.New(rand.NewPCG(1, 0)))
	y := make([]float32, s.Tokens*s.Output)
	weights := NewAttentionWeights(s)
	require.Panics(t, func() { weights.Pack(w[1:], o) })
	require.Panics(t, func() { weights.Pack(w, o[1:]) })
	weights.Pack(w, o)
	require.NotPanics(t, func() { NewAttention(s).Forward(weights, y, x) })
	require.Panics(t, func() { NewAttention(s).Forward(weights, y[1:], x) })
	require.Panics(t, func() { NewAttention(s).Forward(weights, y, x[1:]) })
	require.Panics(t, func() { NewAttention(attentionShapes[2]).Forward(weights, y, x) })
	s.Heads = 4
	require.Panics(t, func() { NewAttentionWeights(s) })
}

func BenchmarkAttention(b *testing.B) {
	b.Cleanup(func() { chosen = available[0] })
	s := attentionShapes[3]
	w, o, x := attentionExample(s, rand.New(rand.NewPCG(1, 0)))
	y, dw, do := make([]float32, s.Tokens*s.Output), make([]float32, len(w)), make([]float32, len(o))
	for _, name := range instructionSets() {
		use(b, name)
		weights, a, g := NewAttentionWeights(s), NewAttention(s), NewAttentionGradient(s)
		weights.Pack(w, o)
		g.Pack(w, o)
		b.Run(fmt.Sprint("forward/", name), func(b *testing.B) {
			for b.Loop() {
				a.Forward(weights, y, x)
			}
		})
		b.Run(fmt.Sprint("gradient/", name), func(b *testing.B) {
			for b.Loop() {
				g.Add(dw, do, x, y)
			}
		})
	}
}
