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

// MaskedLogSoftmax writes to dst the log-probabilities of the softmax of logits
// over the legal indices, and -Inf for all others. The log-probability of a legal
// index is finite and at most 0, whatever the logits: they are taken as within
// ±1e30, and NaN as -1e30.
func MaskedLogSoftmax(dst, logits []float32, legal []int) {
	for i := range dst {
		dst[i] = float32(math.Inf(-1))
	}
	for _, a := range legal {
		dst[a] = clampLogit(logits[a])
	}
	top, sum := current().expSum(dst)
	logSum := float32(math.Log(float64(sum)))
	for _, a := range legal {
		dst[a] = (dst[a] - top) - logSum
	}
}
