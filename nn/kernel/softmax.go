package kernel

import "math"

// logitLimit bounds logits, so that the difference of two is finite.
const logitLimit = 1e30

// clampLogit bounds a logit; NaN becomes the lower bound.
func clampLogit(x float32) float32 {
	if !(x > -logitLimit) {
		return -logitLimit
	}
	if x > logitLimit {
		return logitLimit
	}
	return x
}

// impossible are log-probabilities of 0, to be copied.
var impossible = func() (list [64]float32) {
	for i := range list {
		list[i] = float32(math.Inf(-1))
	}
	return list
}()

// softmaxRows is how many rows [MaskedLogSoftmax] takes at a time.
const softmaxRows = 8

// MaskedLogSoftmax writes to each row of dst the log-probabilities of the softmax of the logits
// over the row's legal indices, of which there is at least one, and -Inf for all others. The
// log-probability of a legal index is finite and at most 0 whatever the logits, which are bounded
// to ±1e30, with NaN counting as -1e30. What it computes for a row does not depend on the others.
//
// It takes rows together because a register cannot be loaded from memory that has just been
// written value by value before all of that has reached the cache.
func MaskedLogSoftmax(dst, logits Rows, rows, width int, legal func(row int) []int) {
	var tops, sums [softmaxRows]float32
	var spans [softmaxRows]struct{ from, to int }
	for first := 0; first < rows; first += softmaxRows {
		n := min(softmaxRows, rows-first)
		for i := range n {
			row := first + i
			spans[i].from, spans[i].to = mask(dst.Row(row, width), logits.Row(row, width), legal(row))
		}
		for i := range n {
			tops[i], sums[i] = current().expSum(dst.Row(first+i, width)[spans[i].from:spans[i].to])
		}
		for i := range n {
			row, logSum := dst.Row(first+i, width), float32(math.Log(float64(sums[i])))
			for _, a := range legal(first + i) {
				row[a] = (row[a] - tops[i]) - logSum
			}
		}
	}
}

// mask writes the bounded logits of the legal indices to dst, and -Inf for all others. It returns the range of
// the sixteens with a legal index: expSum adds 16 values at a time, and those before and behind it would add 0.
func mask(dst, logits []float32, legal []int) (from, to int) {
	for rest := dst; len(rest) > 0; {
		rest = rest[copy(rest, impossible[:]):]
	}
	first, last := legal[0], legal[0]
	for _, a := range legal {
		dst[a] = clampLogit(logits[a])
		first, last = min(first, a), max(last, a)
	}
	return first &^ 15, last + 1
}

// SoftmaxColumns replaces each column of a rows×columns matrix, row-major without gaps, by
// the softmax of the column times scale ≥ 0. A column with NaN or +Inf becomes NaN.
func SoftmaxColumns(x []float32, rows, columns int, scale float32) {
	checkLength(rows*columns, x)
	if len(x) > 0 {
		current().softmaxColumns(x, rows, columns, scale)
	}
}

// SoftmaxColumnsGradient is the backward pass of SoftmaxColumns: y is its result, and dy,
// the gradient in that result, becomes the gradient in its argument. With Σ over the
// column:
//
//	dx = scale·y·(dy − Σ y·dy)
func SoftmaxColumnsGradient(dy, y []float32, rows, columns int, scale float32) {
	checkLength(rows*columns, dy)
	checkLength(rows*columns, y)
	if len(y) > 0 {
		current().softmaxColumnsGradient(dy, y, rows, columns, scale)
	}
}
