package nn

import (
	"math"
	"slices"

	"croupier/engine"
	"croupier/nn/kernel"
)

// DenseLayer is y = x·weight + bias, optionally followed by ReLU. Its outputs are those of its
// parts, side by side: one for most layers, several for heads that have only this layer, since one
// product takes less time than several narrow ones.
type DenseLayer struct {
	In, Out  int         // lengths of a row of x and of y
	ReLU     bool        // negative outputs become 0
	Observes bool        // reads nothing but the observation, of which most may be 0
	Parts    []DensePart // their n sum to Out
}

// DensePart has the parameters of n outputs of a dense layer: Weight, "weight" [In, n], and Bias, "bias" [n].
type DensePart struct {
	Weight, Bias Parameter
	Gain         float64 // of the initial weights, which are orthogonal
}

// Gains of the initial weights (Andrychowicz et al. 2021, "What matters for on-policy deep
// actor-critic methods?", section 3.2: a small last policy layer makes the initial policy
// nearly uniform, whatever the observation).
const (
	hiddenGain = math.Sqrt2
	policyGain = 0.01
	valueGain  = 1
)

// dense is the number of units of a hidden layer with ReLU.
type dense int

func (n dense) check(field string) error { return checkSize(field, int(n)) }

func (n dense) place(p *Parameters, name string, in int) Layer {
	l := newDense(p, name, in, int(n), hiddenGain)
	l.ReLU = true
	return l
}

// newDense returns a linear layer.
func newDense(p *Parameters, name string, in, out int, gain float64) *DenseLayer {
	return &DenseLayer{
		In: in, Out: out,
		Parts: []DensePart{{p.Add(name+".weight", in, out), p.Add(name+".bias", out), gain}},
	}
}

// next to returns both layers as one.
func (l *DenseLayer) joined(right *DenseLayer) *DenseLayer {
	joined := *l
	joined.Out += right.Out
	joined.Parts = slices.Concat(l.Parts, right.Parts)
	return &joined
}

// Dimensions implements [Layer].
func (l *DenseLayer) Dimensions() Dimensions { return Dimensions{In: l.In, Out: l.Out} }

// Init implements [Layer]: the biases stay 0.
func (l *DenseLayer) Init(flat []float32, seed uint64) {
	for _, p := range l.Parts {
		n := p.Bias.Size()
		orthogonal(p.Weight.Of(flat), l.In, n, 0, n, p.Gain, engine.NewRNG(seed, uint64(p.Weight.Index)))
	}
}

// Pack implements [Layer].
func (l *DenseLayer) Pack(flat []float32) Packed {
	weights, bias := make([]float32, l.In*l.Out), make([]float32, 0, l.Out)
	for _, p := range l.Parts {
		first := len(bias)
		bias = append(bias, p.Bias.Of(flat)...)
		for i := range l.In {
			width := p.Bias.Size()
			copy(weights[i*l.Out+first:], p.Weight.Of(flat)[i*width:][:width])
		}
	}
	packed := packedDense{linear: kernel.Pack(bias, weights)}
	if l.Observes {
		packed.weights, packed.bias = weights, bias
	}
	return packed
}

type packedDense struct {
	linear        *kernel.Linear
	weights, bias []float32 // only of a layer that observes
}

// NewStep implements [Layer].
func (l *DenseLayer) NewStep(b Buffers) Step {
	return func(weights Packed, rows int) {
		p := weights.(packedDense)
		if l.Observes && rows > 0 && kernel.MostlyZero(b.X, l.In) {
			kernel.SparseAffine(b.Y, b.X, rows, p.weights, p.bias, l.ReLU)
			return
		}
		p.linear.Apply(b.Y, b.X, rows, l.ReLU)
	}
}
