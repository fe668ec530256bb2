package graph

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// All matrix arithmetic of the graph is in this file, on row-major float32
// matrices without gaps.

var arithmetic gonum.Implementation

// Sizes of the blocks in which products are computed. Both factors of a block fit
// the level-2 cache, and gonum starts no goroutines for a block of 64×64: a graph
// has one core, the learner runs several.
const (
	blockSize  = 64
	blockDepth = 512
)

// packed is a matrix [depth, columns] prepared for being the right factor of
// products. It is kept transposed: gonum is twice as fast when it can take the dot
// products of rows.
type packed struct {
	depth, columns int
	data           []float32 // [columns, depth]
}

func newPacked(depth, columns int) *packed {
	return &packed{depth, columns, make([]float32, depth*columns)}
}

// pack takes b, [depth, columns].
func (p *packed) pack(b []float32) { transpose(p.data, b, p.depth, p.columns) }

// addProduct adds a·p to c: a is [m, depth], c is [m, columns].
func (p *packed) addProduct(c, a []float32) {
	m := len(a) / p.depth
	for k := 0; k < p.depth; k += blockDepth {
		depth := min(blockDepth, p.depth-k)
		for j := 0; j < p.columns; j += blockSize {
			columns := min(blockSize, p.columns-j)
			for i := 0; i < m; i += blockSize {
				arithmetic.Sgemm(blas.NoTrans, blas.Trans, min(blockSize, m-i), columns, depth,
					1, a[i*p.depth+k:], p.depth, p.data[j*p.depth+k:], p.depth, 1, c[i*p.columns+j:], p.columns)
			}
		}
	}
}

// transposedProduct is c = aᵀ·b for a [n, rows] and b [n, columns]: the gradient in a
// weight is such a product.
type transposedProduct struct {
	n, rows, columns int
	left             []float32 // aᵀ
	right            *packed
}

func newTransposedProduct(n, rows, columns int) *transposedProduct {
	return &transposedProduct{n, rows, columns, make([]float32, n*rows), newPacked(n, columns)}
}

func (p *transposedProduct) set(c, a, b []float32) {
	transpose(p.left, a, p.n, p.rows)
	p.right.pack(b)
	clear(c)
	p.right.addProduct(c, p.left)
}

// transpose makes dst, [columns, rows], the transposed of src, [rows, columns].
func transpose(dst, src []float32, rows, columns int) {
	for i := 0; i < rows; i += blockSize {
		to := min(i+blockSize, rows)
		for j := 0; j < columns; j += blockSize {
			for c := j; c < min(j+blockSize, columns); c++ {
				line := dst[c*rows+i : c*rows+to]
				for r := range line {
					line[r] = src[(i+r)*columns+c]
				}
			}
		}
	}
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

// copyColumns copies the first width columns of n rows between matrices of the
// given strides.
func copyColumns(dst []float32, dstStride int, src []float32, srcStride, width, n int) {
	for i := range n {
		copy(dst[i*dstStride:][:width], src[i*srcStride:])
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

// rectifyGradient makes dz equal to dy where the rectified y is not 0, and 0
// elsewhere.
func rectifyGradient(dz, y, dy []float32) {
	dz, dy = dz[:len(y)], dy[:len(y)]
	for i, v := range y {
		bits := math.Float32bits(dy[i]) // as an integer it is chosen without a branch
		if math.Float32bits(v) == 0 {
			bits = 0
		}
		dz[i] = math.Float32frombits(bits)
	}
}
