package kernel

// Most values of an observation are 0: cards that are elsewhere, bids that were not made. A product with such rows can
// leave them out. A term of 0 changes no sum (but for the sign of a sum that is 0), so the results are those of
// [Packed] and of [Multiplier], to the bit, and which way is faster may be decided again each time.

// sparseLimit is the share of values other than 0, 1/sparseLimit, up to which leaving out the others pays.
const sparseLimit = 3

// sampled says of which values of a row the share is taken: of every third.
const sampled = 3

// MostlyZero reports whether [SparseAffine] and [AddSparseOuter] are there on this machine, and faster for rows of
// x like the first one, of the given width, to judge by some of its values.
func MostlyZero(x Rows, width int) bool {
	if current().sparseAffine == nil {
		return false
	}
	nonzero, row := 0, x.Row(0, width)
	for i := 0; i < width; i += sampled {
		if row[i] != 0 {
			nonzero++
		}
	}
	return nonzero*sampled*sparseLimit <= width
}

// SparseAffine sets the first rows of y, at least one, to bias + x·w for the row-major matrix w of len(bias)
// columns; with relu it replaces negative elements by 0.
func SparseAffine(y, x Rows, rows int, w, bias []float32, relu bool) {
	outputs := len(bias)
	inputs := len(w) / outputs
	y.Matrix(rows, outputs)
	x.Matrix(rows, inputs)
	current().sparseAffine(y.Data, x.Data, w, bias, y.Stride, x.Stride, rows, inputs, outputs, floorOf(relu))
}

// AddSparseOuter adds xᵀ·dz to dw, [inputs, outputs], for the first rows of x, at least one, with one row of dz for
// each, row after row.
func AddSparseOuter(dw []float32, x Rows, dz []float32, rows int) {
	outputs := len(dz) / rows
	inputs := len(dw) / outputs
	x.Matrix(rows, inputs)
	checkLength(rows*outputs, dz)
	checkLength(inputs*outputs, dw)
	current().sparseOuter(dw, x.Data, dz, x.Stride, rows, inputs, outputs)
}
