package graph

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// All matrix arithmetic of the graph is in this file, on row-major matrices
// without gaps.

var arithmetic gonum.Implementation

// addProduct adds a·b to c: a is [m, k], b is [k, n], c is [m, n].
func addProduct(c, a, b []float32, m, k, n int) {
	arithmetic.Sgemm(blas.NoTrans, blas.NoTrans, m, n, k, 1, a, k, b, n, 1, c, n)
}

// setProductOfTransposed makes c = aᵀ·b: a is [m, k], b is [m, n], c is [k, n].
func setProductOfTransposed(c, a, b []float32, m, k, n int) {
	arithmetic.Sgemm(blas.Trans, blas.NoTrans, k, n, m, 1, a, k, b, n, 0, c, n)
}

// setProductWithTransposed makes c = a·bᵀ: a is [m, n], b is [k, n], c is [m, k].
func setProductWithTransposed(c, a, b []float32, m, k, n int) {
	arithmetic.Sgemm(blas.NoTrans, blas.Trans, m, k, n, 1, a, n, b, n, 0, c, k)
}

// setRows makes every row of c, [m, len(row)], equal to row.
func setRows(c, row []float32) {
	for ; len(c) > 0; c = c[len(row):] {
		copy(c, row)
	}
}

// setColumnSums makes sums the sum of the rows of a, [m, len(sums)].
func setColumnSums(sums, a []float32) {
	clear(sums)
	for ; len(a) > 0; a = a[len(sums):] {
		add(sums, a[:len(sums)])
	}
}

// add adds x to y.
func add(y, x []float32) {
	arithmetic.Saxpy(len(y), 1, x, 1, y, 1)
}

// rectify replaces what is negative by 0.
func rectify(y []float32) {
	for i, v := range y {
		y[i] = max(v, 0)
	}
}

// maskNegative makes dz equal to dy where y > 0, and 0 elsewhere.
func maskNegative(dz, y, dy []float32) {
	dz, dy = dz[:len(y)], dy[:len(y)]
	for i, v := range y {
		if v > 0 {
			dz[i] = dy[i]
		} else {
			dz[i] = 0
		}
	}
}
