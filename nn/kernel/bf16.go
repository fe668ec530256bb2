package kernel

// Precision is that of the factors of a product. Sums are always FP32.
type Precision uint8

// FP32 are the values as they are. BF16 are values rounded to 8 bits of precision, to nearest even, with the
// exponents of FP32 (bfloat16): more products at a time on processors that have them.
const (
	FP32 Precision = iota // float32, 24 bits of precision
	BF16                  // bfloat16, 8 bits of precision
)

// String is "fp32" or "bf16".
func (p Precision) String() string { return []string{"fp32", "bf16"}[p] }

// HasBF16 reports whether this machine can multiply in BF16.
func HasBF16() bool { return current().bf16 != nil }

// bf16 is the arithmetic of products in BF16. Its tiles are those of [instructions] with pairs of BF16 in the place
// of values, two of a row of the left factor and two of a column of the right one; the first of a pair is in the
// lower half of the 32 bits. They take denormal numbers for 0, and add up in an order of their own.
type bf16 struct {
	name  string
	tiles []tile
	step  int // both factors of a tile are a multiple of that many pairs deep: the last ones are zeros
	// pairRows sets dst[p·dstStride+j] to the pair of src[2p·srcStride+j] and src[(2p+1)·srcStride+j], the second of
	// which is 0 after an odd number of rows, for j < width ≤ 2·pairUnit, one p after the other, and what is next to
	// them up to a multiple of pairUnit to pairs of zeros. dst may be src if its stride is not longer.
	pairRows func(dst, src []float32, dstStride, srcStride, rows, width int)
	// pairRow sets dst to the pairs of count values of src, the last one followed by a 0 if count is odd, and what
	// is behind them up to a multiple of pairUnit to pairs of zeros.
	pairRow func(dst, src []float32, count int)
	// transpose turns count squares of pairUnit×pairUnit pairs, one below the other in src, into squares side by side
	// in dst; nil where tiles read a transposed left factor as [tiled] lays it down.
	transpose func(dst, src []float32, dstStride, count int)
}

// pairUnit is how many pairs are written at a time.
const pairUnit = 16

// depth returns how many pairs a factor takes that is that many values deep.
func (b *bf16) depth(values int) int { return roundUp((values+1)/2, b.step) }

func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }

// pairsOf returns a, at most rowBlock×depthBlock, as pairs in the scratch memory.
func (b *bf16) pairsOf(a Matrix, s *Scratch) leftFactor {
	depth := b.depth(a.Columns)
	if a.column != 1 && b.transpose == nil {
		return tiled(a, b.pairRows, len(b.tiles), depth, pairUnit, s)
	}
	// Longer than the depth, so that the rows do not crowd into few sets of the level-1 cache.
	const stride = depthBlock/2 + pairUnit
	rows := roundUp(a.Rows, pairUnit)
	memory := s.atLeast(rows*stride + depth*pairUnit)
	pairs := Matrix{a.Rows, depth, memory, stride, 1}
	if a.column == 1 {
		for i := range a.Rows {
			b.pairRow(pairs.from(i, 0).data, a.from(i, 0).data, a.Columns)
		}
		return leftFactor{Matrix: pairs}
	}
	squares := memory[rows*stride:]
	clear(squares[(a.Columns+1)/2*pairUnit : depth*pairUnit])
	for i := 0; i < a.Rows; i += pairUnit {
		b.pairRows(squares, a.from(i, 0).data, pairUnit, a.column, a.Columns, min(pairUnit, a.Rows-i))
		b.transpose(pairs.from(i, 0).data, squares, stride, depth/pairUnit)
	}
	return leftFactor{Matrix: pairs}
}

// packPairs packs a panel of b, which begins with the given column, as pairs of rows.
func (p *Packed) packPairs(panel []float32, b Matrix, column, width int) {
	src, stride := b.from(0, column).data, b.row
	if b.column != 1 {
		p.packColumns(panel, src, p.panelWidth, b.column, b.Rows, width)
		src, stride, width = panel, p.panelWidth, p.panelWidth
	}
	p.bf16.pairRows(panel, src, p.panelWidth, stride, b.Rows, width)
	clear(panel[(b.Rows+1)/2*p.panelWidth : p.bf16.depth(b.Rows)*p.panelWidth])
}
