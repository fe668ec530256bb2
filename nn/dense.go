package nn

import (
	"math"

	"croupier/engine"
	"croupier/nn/kernel"
)

// DenseLayer is y = x·weight + bias, optionally followed by ReLU. Its parameters are
// "weight" [In, Out] and "bias" [Out].
type DenseLayer struct {
	In, Out      int
	ReLU         bool
	Gain         float64 // of the initial weights, which are orthogonal
	Weight, Bias Parameter
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
		In: in, Out: out, Gain: gain,
		Weight: p.Add(name+".weight", in, out),
		Bias:   p.Add(name+".bias", out),
	}
}

// Dimensions implements [Layer].
func (l *DenseLayer) Dimensions() Dimensions { return Dimensions{In: l.In, Out: l.Out} }

// Init implements [Layer]: the biases stay 0.
func (l *DenseLayer) Init(flat []float32, seed uint64) {
	orthogonal(l.Weight.Of(flat), l.In, l.Out, 0, l.Out, l.Gain, engine.NewRNG(seed, uint64(l.Weight.Index)))
}

// Pack implements [Layer].
func (l *DenseLayer) Pack(flat []float32) Packed {
	return kernel.Pack(l.Bias.Of(flat), l.Weight.Of(flat))
}

// NewStep implements [Layer].
func (l *DenseLayer) NewStep(b Buffers) Step {
	return func(weights Packed, rows int) {
		weights.(*kernel.Linear).Apply(b.Y, b.X, rows, l.ReLU)
	}
}
