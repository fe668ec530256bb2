package nn

import (
	"fmt"
	"math"

	"croupier/nn/kernel"
)

// Network is a layout with weights. It is immutable and shared by goroutines.
// Make it with [NewNetwork].
type Network struct {
	Layout  *Layout
	Weights []float32 // the flat parameter list, Layout.Size values

	// linear holds the layers packed for the kernels, by the index of their first
	// weight parameter: a dense layer by Weight, an LSTM layer (w above u) by W.
	linear    []*kernel.Linear
	attention *kernel.AttentionWeights // nil without attention
}

// NewNetwork checks that there are as many weights as the layout asks for and
// that all are finite. The network keeps the slice: the caller must not change
// it any more.
func NewNetwork(l *Layout, weights []float32) (*Network, error) {
	if len(weights) != l.Size {
		return nil, fmt.Errorf("network: %d weights where the layout has %d", len(weights), l.Size)
	}
	n := &Network{Layout: l, Weights: weights, linear: make([]*kernel.Linear, len(l.Parameters))}
	for i, p := range l.Parameters {
		for j, w := range l.Slice(weights, i) {
			if math.IsNaN(float64(w)) || math.IsInf(float64(w), 0) {
				return nil, fmt.Errorf("network: weight %d of %s is %v", j, p.Name, w)
			}
		}
	}
	n.pack()
	return n, nil
}

func (n *Network) pack() {
	slice := func(parameter int) []float32 { return n.Layout.Slice(n.Weights, parameter) }
	dense := func(layers []DenseLayer) {
		for _, d := range layers {
			n.linear[d.Weight] = kernel.Pack(slice(d.Bias), slice(d.Weight))
		}
	}
	layers := &n.Layout.Layers
	for _, e := range layers.Encoders {
		dense(e.Dense)
	}
	if a := layers.Attention; a != nil {
		n.attention = kernel.NewAttentionWeights(a.AttentionShape)
		n.attention.Pack(slice(a.W), slice(a.O))
	}
	dense(layers.Dense)
	for _, r := range layers.LSTM {
		n.linear[r.W] = kernel.Pack(slice(r.B), slice(r.W), slice(r.U))
	}
	for _, h := range layers.Policy {
		dense(h.Dense)
	}
	dense(layers.Value)
}
