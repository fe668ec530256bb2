package main

import "math"

// three emits an instruction with two sources that Go's assembler does not know.
func (f *function) three(code uint32, name string, x, y *vector) *vector {
	r := &vector{}
	f.encoded(code, name+" V%d, V%d, V%d", r, x, y)
	return r
}

func (f *function) two(code uint32, name string, x *vector) *vector {
	r := &vector{}
	f.encoded(code, name+" V%d, V%d", r, x)
	return r
}

func (f *function) plus(x, y *vector) *vector     { return f.three(0x4e20d400, "FADD.4S", x, y) }
func (f *function) minus(x, y *vector) *vector    { return f.three(0x4ea0d400, "FSUB.4S", x, y) }
func (f *function) times(x, y *vector) *vector    { return f.three(0x6e20dc00, "FMUL.4S", x, y) }
func (f *function) over(x, y *vector) *vector     { return f.three(0x6e20fc00, "FDIV.4S", x, y) }
func (f *function) greater(x, y *vector) *vector  { return f.three(0x6ea0e400, "FCMGT.4S", x, y) }
func (f *function) without(x, no *vector) *vector { return f.three(0x4e601c00, "BIC.16B", x, no) }
func (f *function) negate(x *vector) *vector      { return f.two(0x6ea0f800, "FNEG.4S", x) }
func (f *function) sqrt(x *vector) *vector        { return f.two(0x6ea1f800, "FSQRT.4S", x) }
func (f *function) isZero(x *vector) *vector      { return f.two(0x4ea0d800, "FCMEQ.4S (with 0)", x) }

// addTo sets sum to sum + x.
func (f *function) addTo(sum, x *vector) { f.encoded(0x4e20d400, "FADD.4S V%d, V%d, V%d", sum, sum, x) }

// fuse sets sum to sum + x·y, rounded once, and returns it; fuseNegative subtracts.
func (f *function) fuse(sum, x, y *vector) *vector {
	f.emit("VFMLA V%d.S4, V%d.S4, V%d.S4", y, x, sum)
	return sum
}

func (f *function) fuseNegative(sum, x, y *vector) *vector {
	f.emit("VFMLS V%d.S4, V%d.S4, V%d.S4", y, x, sum)
	return sum
}

// The larger and the smaller of two are chosen by comparison, as amd64 does: where neither
// is larger, with NaN or zeros of both signs, it is the second.

func (f *function) larger(first, second *vector) *vector {
	r := f.greater(first, second)
	f.emit("VBSL V%d.B16, V%d.B16, V%d.B16", second, first, r)
	return r
}

func (f *function) smaller(first, second *vector) *vector {
	r := f.greater(second, first)
	f.emit("VBSL V%d.B16, V%d.B16, V%d.B16", second, first, r)
	return r
}

// raise sets top to the larger of top and x, in this order.
func (f *function) raise(top, x *vector) {
	f.emit("VBIF V%d.B16, V%d.B16, V%d.B16", f.greater(top, x), x, top)
}

// clamp bounds x and keeps NaN.
func (a *assembler) clamp(x *vector, low, high float32) *vector {
	return a.smaller(a.constant(high), a.larger(a.constant(low), x))
}

// round is 1.5·2²³: adding it rounds a small number to an integer, which is then in the low
// bits.
const round = 12582912

// split returns t, whose low bits hold an integer n, and p such that e^x = 2^n·(1+p) and
// |p| < 0.42, in the same steps as the function split of package kernel. It consumes x.
func (a *assembler) split(x *vector) (t, p *vector) {
	t = a.fuse(a.constant(round), x, a.constant(1.44269504))
	n := a.minus(t, a.constant(round))
	r := a.fuseNegative(x, n, a.constant(0.693359375))
	r = a.fuseNegative(r, n, a.constant(-2.12194440e-4))
	p = a.constant(1. / 5040)
	for _, c := range []float32{1. / 720, 1. / 120, 1. / 24, 1. / 6, 1. / 2} {
		p = a.fuse(a.constant(c), r, p)
	}
	square := a.times(r, r)
	return t, a.fuse(r, square, p)
}

// power returns 2^n for the integer in the low bits of t, |n| < 127.
func (a *assembler) power(t *vector) *vector {
	r := &vector{}
	a.emit("VSHL $23, V%d.S4, V%d.S4", t, r)
	a.emit("VADD V%d.S4, V%d.S4, V%d.S4", a.constant(1), r, r)
	return r
}

// expLimit is as in package kernel.
const expLimit = 87.33

// onePlusExp returns 1 + e^x, with x bounded to ±expLimit.
func (a *assembler) onePlusExp(x *vector) *vector {
	t, p := a.split(a.clamp(x, -expLimit, expLimit))
	scale := a.power(t)
	return a.plus(a.fuse(scale, scale, p), a.constant(1))
}

// sigmoidOf returns 1/(1 + e^-x).
func (a *assembler) sigmoidOf(x *vector) *vector {
	return a.over(a.constant(1), a.onePlusExp(a.negate(x)))
}

// tanhFraction returns e and e+2 with e = e^2x - 1; their ratio is tanh x.
func (a *assembler) tanhFraction(x *vector) (e, d *vector) {
	const limit = 9.1 // tanhLimit of package kernel
	x = a.clamp(x, -limit, limit)
	t, p := a.split(a.plus(x, x))
	scale := a.power(t)
	e = a.fuse(a.minus(scale, a.constant(1)), scale, p)
	return e, a.plus(e, a.constant(2))
}

func (a *assembler) tanhOf(x *vector) *vector {
	e, d := a.tanhFraction(x)
	return a.over(e, d)
}

// expOf returns e^x with gradual underflow, for all x.
func (a *assembler) expOf(x *vector) *vector {
	const lowest = -104 // where e^x is 0
	t, p := a.split(a.clamp(x, lowest, 89))
	p = a.plus(p, a.constant(1))
	// Reaching 0 by underflow takes some processors ten times as long.
	p = a.without(p, a.greater(a.constant(lowest), x))
	// 2^n can be out of range where the result is not, hence two factors.
	n := a.constantTo(&vector{}, math.Float32bits(round))
	a.emit("VSUB V%d.S4, V%d.S4, V%d.S4", n, t, n)
	half := a.two(0x4f3f0400, "SSHR.4S #1,", n)
	a.emit("VSUB V%d.S4, V%d.S4, V%d.S4", half, n, n)
	return a.times(a.times(p, a.power(half)), a.power(n))
}
