package kernel

// Precision is that of the factors of a product. Sums are always FP32.
type Precision uint8

// FP32 are the values as they are. BF16 are values rounded to 8 bits of precision, to nearest even, with the
// exponents of FP32 (bfloat16): twice as many products at a time on processors that have them.
const (
	FP32 Precision = iota
	BF16
)

func (p Precision) String() string { return []string{"fp32", "bf16"}[p] }

// HasBF16 says whether this machine can multiply in BF16.
func HasBF16() bool { return current().bf16 != nil }

// bf16 is the arithmetic of products in BF16. Its tiles are those of [instructions] with pairs of BF16 in the place of
// values, two of a row of the left factor and two of a column of the right one; the first of a pair is in the lower half
// of the 32 bits. For each pair of pairs, a tile adds two products to the sum (VDPBF16PS, which takes denormal numbers
// for 0).
type bf16 struct {
	tiles []tile
	// pairRows sets dst[j] to the pair of first[j] and second[j] for j < width, and to pairs of zeros up to the next
	// multiple of pairUnit. dst may be one of the others.
	pairRows func(dst, first, second []float32, width int)
	// pairRow sets dst to the pairs of count values of src, the last one followed by a 0 if count is odd. It
	// writes a multiple of half a pairUnit.
	pairRow func(dst, src []float32, count int)
}

// pairUnit is how many pairs are written at a time.
const pairUnit = 16

// pairsOf returns a, at most rowBlock×depthBlock, as pairs in the given memory: those of a row, or of the transpose of one,
// one after the other, so that none of the values changes places.
func (b *bf16) pairsOf(a Matrix, memory *[]float32) Matrix {
	depth := (a.Columns + 1) / 2
	if a.column == 1 {
		// Longer than the depth, so that the rows do not crowd into few sets of the level-1 cache.
		const stride = depthBlock/2 + pairUnit
		grow(memory, a.Rows*stride)
		for i := range a.Rows {
			b.pairRow((*memory)[i*stride:], a.from(i, 0).data, a.Columns)
		}
		return Matrix{a.Rows, depth, *memory, stride, 1}
	}
	stride := (a.Rows+pairUnit-1)/pairUnit*pairUnit + pairUnit
	grow(memory, depth*stride)
	for p := range depth {
		first, second := a.columnsFrom(2 * p)
		b.pairRows((*memory)[p*stride:], first, second, a.Rows)
	}
	return Matrix{a.Rows, depth, *memory, 1, stride}
}

func grow(memory *[]float32, n int) {
	if len(*memory) < n {
		*memory = makeAligned(n)
	}
}

// noRow is what the last row is paired with where the number of rows is odd.
var noRow [rowBlock]float32

// columnsFrom returns column k of a transposed matrix and the next one.
func (m Matrix) columnsFrom(k int) (first, second []float32) {
	if k+1 == m.Columns {
		return m.from(0, k).data, noRow[:]
	}
	return m.from(0, k).data, m.from(0, k+1).data
}

// packPairs packs a panel of b, which begins with the given column, as pairs of rows.
func (p *Packed) packPairs(panel []float32, b Matrix, column, width int) {
	rows := b.block(0, column, b.Rows, width)
	if b.column != 1 {
		p.packColumns(panel, rows.data, p.panelWidth, b.column, b.Rows, width)
		clear(panel[b.Rows*p.panelWidth:])
		rows = Matrix{p.rows, p.panelWidth, panel, p.panelWidth, 1}
	}
	transposed := rows.T()
	for k := 0; k < b.Rows; k += 2 {
		pairs := panel[k/2*p.panelWidth:][:p.panelWidth]
		first, second := transposed.columnsFrom(k)
		p.bf16.pairRows(pairs, first, second, transposed.Rows)
		if transposed.Rows <= p.panelWidth-pairUnit {
			clear(pairs[pairUnit:])
		}
	}
}
