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

// MaskedLogSoftmax writes to dst the log-probabilities of the softmax of logits over the
// legal indices, of which there is at least one, and -Inf for all others. The log-probability of a legal index is finite
// and at most 0 whatever the logits, which are bounded to ±1e30, with NaN counting as
// -1e30.
func MaskedLogSoftmax(dst, logits []float32, legal []int) {
	for rest := dst; len(rest) > 0; {
		rest = rest[copy(rest, impossible[:]):]
	}
	first, last := legal[0], legal[0]
	for _, a := range legal {
		dst[a] = clampLogit(logits[a])
		first, last = min(first, a), max(last, a)
	}
	// expSum adds 16 values at a time: those before the first and behind the last legal index would add 0.
	top, sum := current().expSum(dst[first&^15 : last+1])
	logSum := float32(math.Log(float64(sum)))
	for _, a := range legal {
		dst[a] = (dst[a] - top) - logSum
	}
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
