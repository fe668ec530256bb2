package kernel

import "fmt"

// Rows is a batch of vectors: row i begins at Data[i*Stride].
type Rows struct {
	Data   []float32 // of all vectors
	Stride int       // distance of two vectors' beginnings, at least their length
}

// MakeRows returns rows×width zeros.
func MakeRows(rows, width int) Rows {
	return Rows{Data: make([]float32, rows*width), Stride: width}
}

// Row returns the first width values of row i, with no capacity beyond them.
func (r Rows) Row(i, width int) []float32 {
	start := i * r.Stride
	return r.Data[start : start+width : start+width]
}

// From returns the same rows without the columns before the given one.
func (r Rows) From(column int) Rows {
	return Rows{Data: r.Data[column:], Stride: r.Stride}
}

// Matrix is a view of a row-major matrix with that many Rows and Columns, or of its transpose.
type Matrix struct {
	Rows, Columns int
	data          []float32
	// Element (i, j) is data[i*row+j*column]; one of row and column is 1.
	row, column int
}

// NewMatrix views the first rows·columns values of data as a row-major matrix without gaps.
func NewMatrix(data []float32, rows, columns int) Matrix {
	return Rows{data, columns}.Matrix(rows, columns)
}

// Matrix views the first columns of the first rows. It panics if there are not that many.
func (r Rows) Matrix(rows, columns int) Matrix {
	if rows > 0 && (columns > r.Stride || (rows-1)*r.Stride+columns > len(r.Data)) {
		panic(fmt.Sprintf("kernel: a %d×%d matrix of %d values with stride %d", rows, columns, len(r.Data), r.Stride))
	}
	return Matrix{rows, columns, r.Data, r.Stride, 1}
}

// T returns the transpose, a view of the same values.
func (m Matrix) T() Matrix {
	return Matrix{m.Columns, m.Rows, m.data, m.column, m.row}
}

// from returns the part of the matrix that begins at element (i, j), which need not exist.
func (m Matrix) from(i, j int) Matrix {
	start := min(i*m.row+j*m.column, len(m.data))
	return Matrix{m.Rows - i, m.Columns - j, m.data[start:], m.row, m.column}
}

// block returns the rows×columns part of the matrix that begins at element (i, j).
func (m Matrix) block(i, j, rows, columns int) Matrix {
	m = m.from(i, j)
	m.Rows, m.Columns = rows, columns
	return m
}

// rows returns the matrix, which must not be transposed, without its size.
func (m Matrix) rows() Rows { return Rows{m.data, m.row} }
