package kernel

import "math"

// split returns t, whose low bits hold an integer n, and p such that e^x = 2^n·(1+p) and
// |p| < 0.42, for |x| < 128 and with p accurate to about 1e-7 relative. Both e^x and e^x-1
// follow without cancellation.
func split(x float32) (t, p float32) {
	const (
		log2e = 1.44269504
		// ln 2 in two parts: the first has few bits, so that n·ln2High is exact.
		ln2High = 0.693359375
		ln2Low  = -2.12194440e-4
	)
	t = x*log2e + round
	n := t - round
	r := (x - n*ln2High) - n*ln2Low
	// Taylor series to r^7: the remainder is below 6e-9 for |r| ≤ ln2/2.
	p = 1./720 + r*(1./5040)
	p = 1./120 + r*p
	p = 1./24 + r*p
	p = 1./6 + r*p
	p = 1./2 + r*p
	p = r + r*r*p
	return t, p
}

// round is 1.5·2²³: adding it rounds a small number to an integer, which is then in the low
// bits.
const round = 12582912

// power returns 2^n for the integer in the low bits of t, |n| < 127.
func power(t uint32) float32 { return math.Float32frombits(t<<23 + 127<<23) }

// Exp returns e^x within 1 ulp for every x, with gradual underflow.
func Exp(x float32) float32 {
	const lowest = -104 // where e^x is 0
	if x < lowest {
		return 0 // reaching 0 by underflow takes ten times as long
	}
	t, p := split(min(x, 89))
	// 2^n can be out of range where the result is not, hence two factors.
	n := int32(math.Float32bits(t) - math.Float32bits(round))
	return (1 + p) * power(uint32(n>>1)) * power(uint32(n-n>>1))
}

// expLimit is the |x| at which sigmoids stop falling, before 2^n goes out of range.
const expLimit = 87.33

// Sigmoid returns 1/(1+e^-x) within 3 ulp; below -87.33 it stays at 1.2e-38.
func Sigmoid(x float32) float32 {
	t, p := split(-min(max(x, -expLimit), expLimit))
	scale := power(math.Float32bits(t))
	return 1 / (1 + (scale + scale*p))
}

// tanhLimit is the |x| from which tanh x is ±1 in float32.
const tanhLimit = 9.1

// Tanh returns tanh x within 3 ulp, as e/(e+2) with e = e^2x - 1.
func Tanh(x float32) float32 {
	t, p := split(2 * min(max(x, -tanhLimit), tanhLimit))
	scale := power(math.Float32bits(t))
	e := scale*p + (scale - 1)
	return e / (e + 2)
}

// Exps sets dst[i] to e^x[i], equal to [Exp] except in the last bits. dst may be x.
func Exps(dst, x []float32) { current().exp(dst[:len(x)], x) }
