package kernel

import (
	"fmt"
	"math"
	"unsafe"
)

// Blocks of a product (Goto and van de Geijn 2008, "Anatomy of high-performance matrix
// multiplication"). A panel of depthBlock rows (32 KiB with AVX-512) stays in the level-1
// cache while it meets the rows of the left factor, of which rowBlock×depthBlock values
// (512 KiB) stay in the level-2 cache.
const (
	depthBlock = 256
	rowBlock   = 512
)

// Packed is the right factor of products in the order in which they read it: panels of
// panelWidth columns one after the other and, within a panel, row after row. Columns past
// the last are 0 or, in BF16, never read. Packing pays for factors used more than once.
//
// Goroutines may multiply by the same matrix at the same time, each with a [Scratch] of its own, as long as none
// packs another one into it.
type Packed struct {
	Precision // as which the next matrix is packed; BF16 only if [HasBF16]

	*instructions
	depth, columns int
	rows           int // of a panel's memory
	data           []float32
	zeros          []float32 // one row
}

// Scratch is memory for copies of left factors: products make one of a transposed factor, and of any factor in BF16.
// It belongs to one goroutine and grows to what its largest product needs. The zero value is ready to use.
type Scratch struct{ values []float32 }

// Pack packs b, reusing the memory of the previous matrix if it suffices.
func (p *Packed) Pack(b Matrix) {
	p.instructions = current()
	p.resize(b.Rows, b.Columns)
	if b.Rows == 0 {
		return
	}
	for column := 0; column < b.Columns; column += p.panelWidth {
		panel, src := p.panel(column), b.from(0, column).data
		width := min(p.panelWidth, b.Columns-column)
		if p.Precision == BF16 {
			p.packPairs(panel, b, column, width)
		} else if b.column == 1 {
			p.packRows(panel, src, p.panelWidth, b.row, b.Rows, width)
		} else {
			p.packColumns(panel, src, p.panelWidth, b.column, b.Rows, width)
		}
	}
}

// Product sets c = a·p. The memory of c must not overlap that of a.
func (p *Packed) Product(c, a Matrix, s *Scratch) {
	p.check(c, a)
	p.multiply(c.rows(), a, p.zero(), noFloor, s)
}

// AddProduct sets c = c + a·p. The memory of c must not overlap that of a.
func (p *Packed) AddProduct(c, a Matrix, s *Scratch) {
	p.Sum(c, c, a, false, s)
}

// Sum sets c = start + a·p; with relu it replaces negative elements by 0. Only a may be
// transposed. The memory of c must not overlap that of a; start may be c.
func (p *Packed) Sum(c, start, a Matrix, relu bool, s *Scratch) {
	p.check(c, a)
	if start.column != 1 || start.Rows != c.Rows || start.Columns != c.Columns {
		panic(fmt.Sprintf("kernel: a %d×%d start of a %d×%d sum", start.Rows, start.Columns, c.Rows, c.Columns))
	}
	p.multiply(c.rows(), a, start.rows(), floorOf(relu), s)
}

// Affine sets every row of c to bias + a·p; with relu it replaces negative elements by 0.
// The memory of c must not overlap that of a or bias.
func (p *Packed) Affine(c, a Matrix, bias []float32, relu bool, s *Scratch) {
	p.check(c, a)
	if len(bias) != p.columns {
		panic(fmt.Sprintf("kernel: %d biases for %d columns", len(bias), p.columns))
	}
	p.multiply(c.rows(), a, Rows{bias, 0}, floorOf(relu), s)
}

func floorOf(relu bool) float32 {
	if relu {
		return 0
	}
	return noFloor
}

// resize makes room for a matrix, leaving its content undefined.
func (p *Packed) resize(depth, columns int) {
	p.depth, p.columns, p.rows = depth, columns, depth
	if p.Precision == BF16 {
		p.rows = max(depth, p.bf16.depth(depth))
	}
	if n := roundUp(columns, p.panelWidth) * p.rows; n > cap(p.data) {
		p.data = makeAligned(n)
	} else {
		p.data = p.data[:n]
	}
	if columns > len(p.zeros) {
		p.zeros = make([]float32, columns)
	}
}

// zero returns rows of zeros, as many as are asked for.
func (p *Packed) zero() Rows { return Rows{p.zeros, 0} }

// panel returns the panel that begins with the column.
func (p *Packed) panel(column int) []float32 {
	return p.data[column*p.rows:][:p.rows*p.panelWidth]
}

// noFloor is the floor that changes no value.
var noFloor = float32(math.Inf(-1))

// multiply sets c to the larger of floor and start + a·p. A row of start may be the row of
// c itself. Each element is summed as if by one loop from start over the depth: the blocks
// change no bit.
func (p *Packed) multiply(c Rows, a Matrix, start Rows, floor float32, s *Scratch) {
	for row := 0; row < a.Rows; row += rowBlock {
		rows := min(rowBlock, a.Rows-row)
		from := start
		for k := 0; k == 0 || k < p.depth; k += depthBlock {
			depth, limit := depthBlock, noFloor
			if p.depth-k <= depthBlock {
				depth, limit = p.depth-k, floor
			}
			left := a.block(row, k, rows, depth)
			switch to, from := c.fromRow(row), from.fromRow(row); {
			case p.Precision == BF16:
				p.block(p.bf16.tiles, to, p.bf16.pairsOf(left, s), from, k/2, limit)
			case left.column != 1 && depth > 0:
				p.block(p.tiles, to, tiled(left, p.packRows, len(p.tiles), depth, p.panelWidth, s), from, k, limit)
			default:
				p.block(p.tiles, to, leftFactor{Matrix: left}, from, k, limit)
			}
			from = c
		}
	}
}

// fromRow returns the rows from the given one onwards.
func (r Rows) fromRow(row int) Rows { return Rows{r.Data[row*r.Stride:], r.Stride} }

// block multiplies a by the rows of p from the k-th on, as many as a has columns.
func (p *Packed) block(kernels []tile, c Rows, a leftFactor, start Rows, k int, floor float32) {
	stacks := stacksOf(a.Rows, len(kernels))
	for column := 0; column < p.columns; column += p.panelWidth {
		panel := p.panel(column)[k*p.panelWidth:]
		width := min(p.panelWidth, p.columns-column)
		for _, s := range stacks {
			if s.tiles == 0 {
				continue
			}
			left := a.from(s.first, 0)
			tileStep := s.height * left.row
			if a.tiled {
				left.row, left.column, tileStep = 1, s.height, s.height*a.Columns
			}
			kernels[s.height-1](left.data, panel,
				c.Data[s.first*c.Stride+column:], start.Data[s.first*start.Stride+column:],
				left.row, left.column, tileStep, c.Stride, start.Stride, a.Columns, width, s.tiles, floor)
		}
	}
}

// leftFactor is the left factor of a product as tiles read it.
type leftFactor struct {
	Matrix
	tiled bool // tile by tile, and in each column by column
}

// tiled copies a transposed matrix tile by tile, with the given depth and height: in each the rows' values of the same
// k lie side by side, so no value changes places, and the tile reads them in one stream. Read in place, they would
// cost a cache line for every k. copyRows, which writes unit values at a time, is packRows or [bf16.pairRows].
func tiled(a Matrix, copyRows func(dst, src []float32, dstStride, stride, rows, width int), height, depth, unit int,
	scratch *Scratch) leftFactor {
	memory := scratch.atLeast(a.Rows*depth + unit)
	for _, s := range stacksOf(a.Rows, height) {
		for first := s.first; first < s.first+s.tiles*s.height; first += s.height {
			copyRows(memory[first*depth:], a.from(first, 0).data, s.height, a.column, a.Columns, s.height)
		}
	}
	return leftFactor{Matrix: Matrix{a.Rows, depth, memory, depth, 1}, tiled: true}
}

// atLeast returns room for n values or more.
func (s *Scratch) atLeast(n int) []float32 {
	if len(s.values) < n {
		s.values = makeAligned(n)
	}
	return s.values
}

// stack is a number of tiles of equal height, one below the other, from a row on.
type stack struct{ first, tiles, height int }

// stacksOf divides rows ≥ 1 into tiles of at most the given height. They have nearly equal heights, because low tiles
// are slower per row.
func stacksOf(rows, highest int) [2]stack {
	tiles := (rows + highest - 1) / highest
	height, higher := rows/tiles, rows%tiles
	return [2]stack{{0, higher, height + 1}, {higher * (height + 1), tiles - higher, height}}
}

func (p *Packed) check(c, a Matrix) {
	if c.column != 1 || c.Rows != a.Rows || c.Columns != p.columns || a.Columns != p.depth {
		panic(fmt.Sprintf("kernel: product %d×%d (row-major: %t) of %d×%d and %d×%d",
			c.Rows, c.Columns, c.column == 1, a.Rows, a.Columns, p.depth, p.columns))
	}
}

// makeAligned returns n zeros that begin on a cache line.
func makeAligned(n int) []float32 {
	const line = 64
	data := make([]float32, n+line/4)
	misaligned := uintptr(unsafe.Pointer(&data[0])) % line / 4
	return data[(line/4-misaligned)%(line/4):][:n]
}
