package kernel

import (
	"fmt"
	"unsafe"
)

// Add adds x to y, which has the same length.
func Add(y, x []float32) {
	checkLength(len(x), y)
	current().add(y, x)
}

// AddRows adds the rows of x, of which there is at least one and which are as long as y, to y, one after the other.
func AddRows(y, x []float32) {
	if len(y) == 0 || len(x) == 0 || len(x)%len(y) != 0 {
		panic(fmt.Sprintf("kernel: %d values are no rows of %d", len(x), len(y)))
	}
	current().add(y, x)
}

// ReLUGradient sets dz to dy where the rectified y is not 0, and to 0 elsewhere. All three
// have the same length; dz may be dy.
func ReLUGradient(dz, y, dy []float32) {
	checkLength(len(y), dz)
	checkLength(len(y), dy)
	current().reluGradient(dz, y, dy)
}

// SumSquares returns the sum of squares, summed in float64. The order depends on the
// instruction set.
func SumSquares(x []float32) float64 { return current().sumSquares(x) }

// Prefetch asks the processor to have x in its cache soon, and does not wait for it. It pays a
// microsecond ahead of reading what no pattern lets the processor foresee, such as rows in random order.
func Prefetch[T any](x []T) {
	var element T
	current().prefetch(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(element))))
}

// AdamStep takes one step of Adam (Kingma and Ba 2015, arXiv 1412.6980, section 2, with the
// bias corrections folded into size and epsilon) with g = scale·gradient:
//
//	m ← β₁·m + (1−β₁)·g,  v ← β₂·v + (1−β₂)·g²,  parameters ← parameters − size·m/(√v + epsilon)
//
// All slices have the same length.
func AdamStep(parameters, gradient, m, v []float32, scale, beta1, beta2, size, epsilon float32) {
	for _, s := range [...][]float32{gradient, m, v} {
		checkLength(len(parameters), s)
	}
	current().adam(parameters, gradient, m, v, scale, beta1, beta2, size, epsilon)
}

func checkLength(n int, x []float32) {
	if len(x) != n {
		panic(fmt.Sprintf("kernel: %d values where there should be %d", len(x), n))
	}
}
