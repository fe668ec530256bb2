package graph

import "croupier/nn/kernel"

// extent is what the operations of a graph know of its current run. The memory of every
// operation is made for the graph's largest batch; in arrays with a row for each decision
// only the first rows count, those of the batch.
type extent struct {
	precision   kernel.Precision // of products; the same in all runs
	rows, steps int
	weights     uint64 // number of times that the parameters have been set, from 1
}

// decisions returns the number of decisions of the batch.
func (e *extent) decisions() int { return e.rows * e.steps }

// factor is a matrix of parameters as the right factor of products. It is packed again only
// after the parameters have changed.
type factor struct {
	kernel.Packed
	weights uint64 // of the extent when it was packed
}

func (f *factor) pack(m kernel.Matrix, e *extent) {
	if f.weights != e.weights {
		f.Precision = e.precision
		f.Pack(m)
		f.weights = e.weights
	}
}
