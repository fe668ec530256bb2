package kernel

import "math"

// expLimit is the |x| from which e^x is taken as 0 or as +Inf: beyond it the
// result is not a normal float32 number.
const expLimit = 87.33

// split returns scale = 2^n and p with e^x = scale·(1+p) and |p| < 0.42, for
// |x| ≤ expLimit, each to about 1e-7 relative. Both e^x and e^x-1 follow
// without cancellation.
func split(x float32) (scale, p float32) {
	const (
		log2e = 1.44269504
		// ln 2 in two parts: the first has few bits, so that n·ln2High is exact.
		ln2High = 0.693359375
		ln2Low  = -2.12194440e-4
		// Adding 1.5·2^23 rounds a small number to an integer, which then stands
		// in the low bits.
		round = 12582912
	)
	t := x*log2e + round
	n := t - round
	r := (x - n*ln2High) - n*ln2Low
	scale = math.Float32frombits(math.Float32bits(t)<<23 + 127<<23)
	// Taylor's series to r^7: the rest is below 6e-9 for |r| ≤ ln2/2.
	p = 1./720 + r*(1./5040)
	p = 1./120 + r*p
	p = 1./24 + r*p
	p = 1./6 + r*p
	p = 1./2 + r*p
	p = r + r*r*p
	return scale, p
}

// Exp returns e^x to about 1e-7 relative; 0 below -87.33, +Inf above 87.33.
func Exp(x float32) float32 {
	switch {
	case x < -expLimit:
		return 0
	case x > expLimit:
		return float32(math.Inf(1))
	}
	scale, p := split(x)
	return scale + scale*p
}

// Sigmoid returns 1/(1+e^-x) to about 1e-7.
func Sigmoid(x float32) float32 {
	x = min(max(x, -expLimit), expLimit)
	scale, p := split(-x)
	return 1 / (1 + (scale + scale*p))
}

// tanhLimit is the |x| from which tanh x is ±1 in float32.
const tanhLimit = 9.1

// Tanh returns tanh x to about 2e-7 relative, as e/(e+2) with e = e^2x - 1.
func Tanh(x float32) float32 {
	x = min(max(x, -tanhLimit), tanhLimit)
	scale, p := split(2 * x)
	e := scale*p + (scale - 1)
	return e / (e + 2)
}

// LSTMCell advances the recurrent state of one row. gates holds the sums before
// activation of the input, forget, cell and output gates, len(h) each:
//
//	c ← σ(f)·c + σ(i)·tanh(g),  h ← σ(o)·tanh(c)
func LSTMCell(gates, h, c []float32) {
	n := len(h)
	c = c[:n]
	input, forget, cell, output := gates[:n], gates[n:][:n], gates[2*n:][:n], gates[3*n:][:n]
	for j := range h {
		c[j] = Sigmoid(forget[j])*c[j] + Sigmoid(input[j])*Tanh(cell[j])
		h[j] = Sigmoid(output[j]) * Tanh(c[j])
	}
}

// logitLimit bounds logits, so that the difference of two is finite.
const logitLimit = 1e30

// clampLogit bounds a logit; NaN becomes the lower bound.
func clampLogit(x float32) float32 {
	if !(x > -logitLimit) {
		return -logitLimit
	}
	return min(x, logitLimit)
}

// MaskedLogSoftmax writes to dst the log-probabilities of the softmax of logits
// over the legal indices, and -Inf for all others. The log-probability of a legal
// index is finite and at most 0, whatever the logits: they are taken as within
// ±1e30, and NaN as -1e30.
func MaskedLogSoftmax(dst, logits []float32, legal []int) {
	for i := range dst {
		dst[i] = float32(math.Inf(-1))
	}
	top := float32(-logitLimit)
	for _, a := range legal {
		top = max(top, clampLogit(logits[a]))
	}
	sum := float32(0)
	for _, a := range legal {
		dst[a] = clampLogit(logits[a]) - top
		sum += Exp(dst[a])
	}
	logSum := float32(math.Log(float64(sum)))
	for _, a := range legal {
		dst[a] -= logSum
	}
}
