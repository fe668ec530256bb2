package graph

import "croupier/nn/kernel"

// The graph's matrices are row-major float32 without gaps. Each product uses a
// kernel.Multiplier on one core, because the learner runs a graph on each core.

// setColumnSums sets sums to the sum of the rows of a, [m, len(sums)].
func setColumnSums(sums, a []float32) {
	clear(sums)
	kernel.AddRows(sums, a)
}

// copyColumns copies the first width columns of n rows between matrices of the
// given strides.
func copyColumns(dst []float32, dstStride int, src []float32, srcStride, width, n int) {
	for i := range n {
		copy(dst[i*dstStride:][:width], src[i*srcStride:])
	}
}
