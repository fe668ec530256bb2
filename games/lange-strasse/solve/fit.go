package solve

import (
	"math"

	"croupier/engine"
	"croupier/nn/kernel"
)

// sample is a standing with what the seats win after it.
type sample struct {
	input  [features]float32
	target money
}

const (
	minibatch = 256
	beta1     = 0.9
	beta2     = 0.999
	epsilon   = 1e-8
)

// fitter fits one network to samples by least squares with Adam (Kingma and Ba 2015).
type fitter struct {
	network    *network
	multiplier *kernel.Multiplier
	packed     kernel.Packed
	steps      int
	layers     [len(layerSizes)]fitLayer
}

// fitLayer holds the values of a layer for a minibatch, row-major, and its moments.
type fitLayer struct {
	input, output, gradient []float32 // of the outputs
	weights, biases         parameterFit
}

// parameterFit is the gradient of some parameters and Adam's moments.
type parameterFit struct{ gradient, m, v []float32 }

func newParameterFit(n int) parameterFit {
	return parameterFit{make([]float32, n), make([]float32, n), make([]float32, n)}
}

func newFitter(n *network) *fitter {
	f := &fitter{network: n, multiplier: kernel.NewMultiplier(1, kernel.FP32)}
	input := make([]float32, minibatch*features)
	for i, size := range layerSizes {
		f.layers[i] = fitLayer{
			input: input, output: make([]float32, minibatch*size[1]), gradient: make([]float32, minibatch*size[1]),
			weights: newParameterFit(size[0] * size[1]), biases: newParameterFit(size[1]),
		}
		input = f.layers[i].output
	}
	return f
}

// step makes one step with a random minibatch and returns its mean squared error.
func (f *fitter) step(samples []sample, rate float64, rng *engine.RNG) float64 {
	last := &f.layers[len(f.layers)-1]
	targets := last.gradient // each is read before it is overwritten
	for row := range minibatch {
		s := &samples[rng.IntN(len(samples))]
		copy(f.layers[0].input[row*features:], s.input[:])
		copy(targets[row*seats:], s.target[:])
	}
	f.forward()
	loss := 0.0
	for row := 0; row < minibatch*seats; row += seats {
		out := last.output[row:][:seats]
		mean := (out[0] + out[1] + out[2]) / seats
		for i, target := range targets[row:][:seats] {
			d := out[i] - mean - target
			loss += float64(d) * float64(d)
			last.gradient[row+i] = 2 * d / minibatch
		}
	}
	f.backward()
	f.adam(rate)
	return loss / (minibatch * seats)
}

func (f *fitter) forward() {
	for i := range f.layers {
		l, size := &f.layers[i], layerSizes[i]
		f.packed.Pack(kernel.NewMatrix(f.network.weights[i], size[0], size[1]))
		f.packed.Affine(kernel.NewMatrix(l.output, minibatch, size[1]), kernel.NewMatrix(l.input, minibatch, size[0]),
			f.network.biases[i], i < len(f.layers)-1, nil)
	}
}

func (f *fitter) backward() {
	for i := len(f.layers) - 1; i >= 0; i-- {
		l, size := &f.layers[i], layerSizes[i]
		if i < len(f.layers)-1 {
			kernel.ReLUGradient(l.gradient, l.output, l.gradient)
		}
		gradient := kernel.NewMatrix(l.gradient, minibatch, size[1])
		weights := kernel.NewMatrix(l.weights.gradient, size[0], size[1])
		f.multiplier.Product(weights, kernel.NewMatrix(l.input, minibatch, size[0]).T(), gradient)
		clear(l.biases.gradient)
		for row := range minibatch {
			kernel.Add(l.biases.gradient, l.gradient[row*size[1]:][:size[1]])
		}
		if i > 0 {
			f.multiplier.Product(kernel.NewMatrix(f.layers[i-1].gradient, minibatch, size[0]), gradient,
				kernel.NewMatrix(f.network.weights[i], size[0], size[1]).T())
		}
	}
}

// adam updates all parameters; the bias corrections are in size and epsilon.
func (f *fitter) adam(rate float64) {
	f.steps++
	root := math.Sqrt(1 - math.Pow(beta2, float64(f.steps)))
	size := float32(rate * root / (1 - math.Pow(beta1, float64(f.steps))))
	change := func(parameters []float32, p *parameterFit) {
		kernel.AdamStep(parameters, p.gradient, p.m, p.v, 1, beta1, beta2, size, float32(epsilon*root))
	}
	for i := range f.layers {
		change(f.network.weights[i], &f.layers[i].weights)
		change(f.network.biases[i], &f.layers[i].biases)
	}
}
