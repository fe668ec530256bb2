package kernel

// Linear is y = x·W + b with the weights packed. It is immutable.
type Linear struct {
	weights Packed
	bias    []float32
}

// Pack packs a layer with len(bias) outputs. The weights are row-major matrices [in, out],
// stacked: the inputs of the second follow those of the first.
func Pack(bias []float32, weights ...[]float32) *Linear {
	var stacked []float32
	for _, w := range weights {
		stacked = append(stacked, w...)
	}
	l := &Linear{bias: append([]float32(nil), bias...)}
	l.weights.Pack(NewMatrix(stacked, len(stacked)/len(bias), len(bias)))
	return l
}

// Apply computes the first rows of dst from those of x; with relu it replaces negative
// outputs by 0. Each output is summed from the bias over the inputs in ascending order. dst
// and x must not overlap.
func (l *Linear) Apply(dst, x Rows, rows int, relu bool) {
	// Neither factor is copied, so there is no scratch to have.
	l.weights.Affine(dst.Matrix(rows, l.weights.columns), x.Matrix(rows, l.weights.depth), l.bias, relu, nil)
}
