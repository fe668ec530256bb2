package kernel

// instructions is the arithmetic in one instruction set. Functions do not check that their
// slices are as long as they need.
type instructions struct {
	name string

	// tiles[r-1] computes tiles of r rows and up to panelWidth columns, one below the other. The first
	// is
	//
	//	c[i·cRow+j] = max(floor, start[i·startRow+j] + Σ a[i·aRow+k·aColumn]·b[k·panelWidth+j])
	//
	// and the next ones begin r rows further on in c and start, and aTile values further on in a, of which aColumn is
	// 1 or r, for j < width, summed over k < depth in ascending order, each product added with one
	// rounding (portable: one or two). NaN stays NaN.
	tiles      []tile
	panelWidth int
	// packRows sets dst[k·dstStride+j] for k < depth, depth ≥ 1, and j < panelWidth to
	// src[k·stride+j], or to 0 from j = width on; packColumns sets dst[k·dstStride+j] to
	// src[j·stride+k] in the same way. Rows of packRows may lie closer than a panel is wide: each
	// overwrites the zeros of the one before, and those of the last are any number, at most up to the panel's width.
	packRows    func(dst, src []float32, dstStride, stride, depth, width int)
	packColumns func(dst, src []float32, dstStride, stride, depth, width int)
	// sparseAffine and sparseOuter are [SparseAffine] and [AddSparseOuter]; nil where there are none.
	sparseAffine func(y, x, w, bias []float32, yStride, xStride, rows, inputs, outputs int, floor float32)
	sparseOuter  func(dw, x, dz []float32, xStride, rows, inputs, outputs int)
	bf16         *bf16 // nil where the processor cannot multiply such numbers

	exp func(dst, x []float32)
	// expSum returns the largest element of x and Σ exp(x[i] − top). x has at least one
	// finite value and no NaN.
	expSum func(x []float32) (top, sum float32)
	// softmaxColumns and softmaxColumnsGradient: see the functions of those names. There is
	// at least one row.
	softmaxColumns         func(x []float32, rows, columns int, scale float32)
	softmaxColumnsGradient func(dy, y []float32, rows, columns int, scale float32)

	lstmCell     func(gates, h, c []float32)
	lstmForward  func(gates, previousCell, cell, tanhCell, h []float32)
	lstmBackward func(gates, previousCell, tanhCell, hiddenGrad, cellGrad []float32)

	add          func(y, x []float32) // the rows of x, as long as y, one after the other
	reluGradient func(dz, y, dy []float32)
	sumSquares   func(x []float32) float64
	prefetch     func(x []byte) // see Prefetch
	adam         func(parameters, gradient, m, v []float32, scale, beta1, beta2, size, epsilon float32)
}

type tile func(a, b, c, start []float32, aRow, aColumn, aTile, cRow, startRow, depth, width, tiles int, floor float32)

// available holds the instruction sets that this machine can run, fastest first.
var available = append(watched(native()), portable)

// chosen is the one in use: the fastest, or another one that a test compares with it.
var chosen = available[0]

// current returns the instruction set to use.
func current() *instructions { return chosen }

// InstructionSet names the one in use, and how it multiplies in BF16 where it can: "avx512+amx", "avx512+bf16",
// "avx512", "avx2", "neon" or "portable".
func InstructionSet() string {
	s := current()
	if s.bf16 != nil {
		return s.name + "+" + s.bf16.name
	}
	return s.name
}
