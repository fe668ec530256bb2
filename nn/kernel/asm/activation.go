package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// copyOf returns a new register with the same content.
func (s set) copyOf(x Register) VecVirtual {
	r := s.reg()
	VMOVAPS(x, r)
	return r
}

// clamp bounds x and keeps NaN.
func (s set) clamp(x VecVirtual, low, high float32) VecVirtual {
	bound, r := s.reg(), s.reg()
	VMOVUPS(s.constant(low), bound)
	VMAXPS(x, bound, r)
	VMOVUPS(s.constant(high), bound)
	VMINPS(r, bound, r)
	return r
}

// round is 1.5·2²³: adding it rounds a small number to an integer, which is then in the low
// bits.
const round = 12582912

// split returns t, whose low bits hold an integer n, and p such that e^x = 2^n·(1+p) and
// |p| < 0.42, in the same steps as the function split of package kernel.
func (s set) split(x VecVirtual) (t, p VecVirtual) {
	t, n, r := s.reg(), s.reg(), s.copyOf(x)
	VMOVUPS(s.constant(round), t)
	VFMADD231PS(s.constant(1.44269504), x, t)
	VSUBPS(s.constant(round), t, n)
	VFNMADD231PS(s.constant(0.693359375), n, r)
	VFNMADD231PS(s.constant(-2.12194440e-4), n, r)
	p = s.reg()
	VMOVUPS(s.constant(1./5040), p)
	for _, c := range []float32{1. / 720, 1. / 120, 1. / 24, 1. / 6, 1. / 2} {
		VFMADD213PS(s.constant(c), r, p)
	}
	square := s.reg()
	VMULPS(r, r, square)
	VFMADD213PS(r, square, p)
	return t, p
}

// power returns 2^n for the integer in the low bits of t, |n| < 127.
func (s set) power(t VecVirtual) VecVirtual {
	r := s.reg()
	VPSLLD(U8(23), t, r)
	VPADDD(s.constant(1), r, r)
	return r
}

// expLimit is as in package kernel.
const expLimit = 87.33

// onePlusExp returns 1 + e^x, with x bounded to ±expLimit.
func (s set) onePlusExp(x VecVirtual) VecVirtual {
	t, p := s.split(s.clamp(x, -expLimit, expLimit))
	scale := s.power(t)
	VFMADD213PS(scale, scale, p)
	VADDPS(s.constant(1), p, p)
	return p
}

func (s set) negate(x VecVirtual) VecVirtual {
	r := s.reg()
	VXORPS(s.bits(1<<31), x, r)
	return r
}

// sigmoidOf returns 1/(1 + e^-x).
func (s set) sigmoidOf(x VecVirtual) VecVirtual {
	d, r := s.onePlusExp(s.negate(x)), s.reg()
	VMOVUPS(s.constant(1), r)
	VDIVPS(d, r, r)
	return r
}

// tanhFraction returns e and e+2 with e = e^2x - 1; their ratio is tanh x.
func (s set) tanhFraction(x VecVirtual) (e, d VecVirtual) {
	const limit = 9.1 // tanhLimit of package kernel
	double := s.clamp(x, -limit, limit)
	VADDPS(double, double, double)
	t, p := s.split(double)
	scale := s.power(t)
	e, d = s.reg(), s.reg()
	VSUBPS(s.constant(1), scale, e)
	VFMADD231PS(p, scale, e)
	VADDPS(s.constant(2), e, d)
	return e, d
}

func (s set) tanhOf(x VecVirtual) VecVirtual {
	e, d := s.tanhFraction(x)
	VDIVPS(d, e, e)
	return e
}

// expOf returns e^x with gradual underflow, for all x.
func (s set) expOf(x VecVirtual) VecVirtual {
	const lowest = -104 // where e^x is 0
	t, p := s.split(s.clamp(x, lowest, 89))
	VADDPS(s.constant(1), p, p)
	// Reaching 0 by underflow takes the processor ten times as long.
	s.keepWhere(notBelow, x, s.constant(lowest), p)
	// 2^n can be out of range where the result is not, hence two factors.
	n, half := s.reg(), s.reg()
	VPSUBD(s.constant(round), t, n)
	VPSRAD(U8(1), n, half)
	VPSUBD(half, n, n)
	VMULPS(s.power(half), p, p)
	VMULPS(s.power(n), p, p)
	return p
}

// exp sets dst[i] to e^x[i].
func (s set) exp() {
	s.function("exp", "dst, x []float32")
	dst, x, count := pointer("dst"), pointer("x"), Load(Param("x").Len(), GP64())
	s.forEach(count, func(l lanes, at index) { l.store(s.expOf(l.load(at.of(x))), at.of(dst)) })
	end()
}

// gateBases returns the addresses of the four gates of n units.
func gateBases(n Register) (bases [4]Register) {
	bases[0] = pointer("gates")
	for i := 1; i < 4; i++ {
		bases[i] = GP64()
		LEAQ(Mem{Base: bases[i-1], Index: n, Scale: 4}, bases[i])
	}
	return bases
}

// lstmCell saves divisions: σ(i)·tanh(g) and σ(o)·tanh(c) take one each.
func (s set) lstmCell() {
	s.function("lstmCell", "gates, h, c []float32")
	h, c, n := pointer("h"), pointer("c"), Load(Param("h").Len(), GP64())
	gates := gateBases(n)
	gated := func(gate, x VecVirtual) VecVirtual { // σ(gate)·tanh(x)
		e, d := s.tanhFraction(x)
		VMULPS(s.onePlusExp(s.negate(gate)), d, d)
		VDIVPS(d, e, e)
		return e
	}
	s.forEach(n, func(l lanes, at index) {
		gate := func(i int) VecVirtual { return l.load(at.of(gates[i])) }
		added := gated(gate(0), gate(2))
		cell := l.load(at.of(c))
		VDIVPS(s.onePlusExp(s.negate(gate(1))), cell, cell)
		VADDPS(added, cell, cell)
		l.store(cell, at.of(c))
		l.store(gated(gate(3), cell), at.of(h))
	})
	end()
}

func (s set) lstmForward() {
	s.function("lstmForward", "gates, previousCell, cell, tanhCell, h []float32")
	n := Load(Param("h").Len(), GP64())
	gates, previous := gateBases(n), pointer("previousCell")
	cells, tanhs, h := pointer("cell"), pointer("tanhCell"), pointer("h")
	s.forEach(n, func(l lanes, at index) {
		activated := func(i int, f func(VecVirtual) VecVirtual) VecVirtual {
			y := f(l.load(at.of(gates[i])))
			l.store(y, at.of(gates[i]))
			return y
		}
		cell := activated(1, s.sigmoidOf)
		VMULPS(l.load(at.of(previous)), cell, cell)
		update := activated(2, s.tanhOf)
		VFMADD231PS(activated(0, s.sigmoidOf), update, cell)
		l.store(cell, at.of(cells))
		y := s.tanhOf(cell)
		l.store(y, at.of(tanhs))
		VMULPS(activated(3, s.sigmoidOf), y, y)
		l.store(y, at.of(h))
	})
	end()
}

func (s set) lstmBackward() {
	s.function("lstmBackward", "gates, previousCell, tanhCell, hiddenGrad, cellGrad []float32")
	n := Load(Param("hiddenGrad").Len(), GP64())
	gates, previous := gateBases(n), pointer("previousCell")
	tanhs, hiddenGrad, cellGrad := pointer("tanhCell"), pointer("hiddenGrad"), pointer("cellGrad")
	s.forEach(n, func(l lanes, at index) {
		times := func(x, y VecVirtual) VecVirtual {
			r := s.reg()
			VMULPS(x, y, r)
			return r
		}
		// store stores y as the gradient of a gate.
		store := func(y VecVirtual, gate int) { l.store(y, at.of(gates[gate])) }
		// slope multiplies y by x(1-x).
		slope := func(x, y VecVirtual) VecVirtual {
			xy := times(x, y)
			VFNMADD231PS(xy, x, xy)
			return xy
		}
		// fall multiplies y by 1-x².
		fall := func(x, y VecVirtual) VecVirtual {
			r := s.copyOf(y)
			VFNMADD231PS(times(x, y), x, r)
			return r
		}
		dh, o, tanh := l.load(at.of(hiddenGrad)), l.load(at.of(gates[3])), l.load(at.of(tanhs))
		dc := l.load(at.of(cellGrad))
		VADDPS(fall(tanh, times(dh, o)), dc, dc)
		store(slope(o, times(dh, tanh)), 3)
		i, g := l.load(at.of(gates[0])), l.load(at.of(gates[2]))
		store(slope(i, times(dc, g)), 0)
		store(fall(g, times(dc, i)), 2)
		f := l.load(at.of(gates[1]))
		l.store(times(dc, f), at.of(cellGrad))
		store(slope(f, times(dc, l.load(at.of(previous)))), 1)
	})
	end()
}
