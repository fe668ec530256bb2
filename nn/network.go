package nn

import (
	"fmt"
	"math"

	"croupier/engine"
)

// Network is a layout with weights. It is immutable and may be shared by goroutines. Make
// it with [NewNetwork].
type Network struct {
	Layout  *Layout   // what the weights belong to
	Weights []float32 // the flat parameter list, Layout.Size values

	packed   []Packed // by layer, in the order of Layers.All
	encoding engine.Encoding
}

// At returns the network with the states of a game shown to it in another way than the game does; nil: as it does.
func (n *Network) At(e engine.Encoding) *Network {
	at := *n
	at.encoding = e
	return &at
}

// Observe writes what the network sees of a state from a seat, as many values as its layout takes.
func (n *Network) Observe(s engine.State, seat int, dst []float32) {
	if n.encoding != nil {
		n.encoding.Observe(s, seat, dst)
		return
	}
	s.Observe(seat, dst)
}

// Game returns the game that the network was made for, where it plays the given one: they differ
// only where [Network.At] shows it the states in another way.
func (n *Network) Game(plays engine.Game) engine.Game {
	if n.encoding != nil {
		return n.encoding.Game()
	}
	return plays
}

// NewNetwork checks that the number of weights is the layout's and that all are finite. The
// network keeps the slice: the caller must no longer change it.
func NewNetwork(l *Layout, weights []float32) (*Network, error) {
	if len(weights) != l.Size {
		return nil, fmt.Errorf("network: %d weights where the layout has %d", len(weights), l.Size)
	}
	for _, p := range l.Parameters {
		for j, w := range p.Of(weights) {
			if math.IsNaN(float64(w)) || math.IsInf(float64(w), 0) {
				return nil, fmt.Errorf("network: weight %d of %s is %v", j, p.Name, w)
			}
		}
	}
	n := &Network{Layout: l, Weights: weights}
	for _, layer := range l.Layers.All() {
		n.packed = append(n.packed, layer.Pack(weights))
	}
	return n, nil
}
