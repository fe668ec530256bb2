package nn

import (
	"croupier/engine"
	"croupier/nn/kernel"
)

// LSTMLayer is one step of a long short-term memory (Hochreiter and Schmidhuber
// 1997, with the forget gate of Gers et al. 2000):
//
//	[i f g o] = x·w + h·u + b
//	c ← σ(f)·c + σ(i)·tanh(g),  h ← σ(o)·tanh(c)
//
// Its output is h, with Hidden values, and its recurrent state [h c]. Its parameters are W,
// "w" [In, 4·Hidden], U, "u" [Hidden, 4·Hidden], and B, "b" [4·Hidden], with the gates in the
// order input, forget, cell, output. In is the length of x.
type LSTMLayer struct {
	In, Hidden int
	W, U, B    Parameter
}

const (
	gates      = 4
	forgetBias = 1 // Gers et al. 2000; Jozefowicz et al. 2015: remember at first
)

// lstm is the hidden size of a layer.
type lstm int

func (n lstm) check(field string) error { return checkSize(field, int(n)) }

func (n lstm) place(p *Parameters, name string, in int) Layer {
	hidden := int(n)
	return &LSTMLayer{
		In: in, Hidden: hidden,
		W: p.Add(name+".w", in, gates*hidden),
		U: p.Add(name+".u", hidden, gates*hidden),
		B: p.Add(name+".b", gates*hidden),
	}
}

// Dimensions implements [Layer]. The room after the inputs holds h, so that one product
// covers both.
func (l *LSTMLayer) Dimensions() Dimensions {
	return Dimensions{In: l.In, Out: l.Hidden, Room: l.Hidden, State: []int{l.Hidden, l.Hidden}}
}

// Init implements [Layer]: weights are orthogonal gate by gate, biases are 0 except those
// of the forget gates.
func (l *LSTMLayer) Init(flat []float32, seed uint64) {
	n := l.Hidden
	for gate := range gates {
		orthogonal(l.W.Of(flat), l.In, n, gate*n, gates*n, 1, engine.NewRNG(seed, uint64(l.W.Index+gate<<32)))
		orthogonal(l.U.Of(flat), n, n, gate*n, gates*n, 1, engine.NewRNG(seed, uint64(l.U.Index+gate<<32)))
	}
	bias := l.B.Of(flat)
	for i := n; i < 2*n; i++ {
		bias[i] = forgetBias
	}
}

// Pack implements [Layer]: u is stacked below w.
func (l *LSTMLayer) Pack(flat []float32) Packed {
	return kernel.Pack(l.B.Of(flat), l.W.Of(flat), l.U.Of(flat))
}

// NewStep implements [Layer].
func (l *LSTMLayer) NewStep(b Buffers) Step {
	n, activations := l.Hidden, b.Make(gates*l.Hidden)
	return func(weights Packed, rows int) {
		for i := range rows {
			copy(b.X.Row(i, l.In+n)[l.In:], b.States.Row(i))
		}
		weights.(*kernel.Linear).Apply(activations, b.X, rows, false)
		for i := range rows {
			state := b.States.Row(i)
			h, c := state[:n], state[n:]
			kernel.LSTMCell(activations.Row(i, gates*n), h, c)
			copy(b.Y.Row(i, n), h)
		}
	}
}
