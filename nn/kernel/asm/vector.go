package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// add adds the rows of x to y, those of a column one after the other, with the sums of up to four registers' width
// of columns at once: that many do not wait for one another.
func (s set) add() {
	s.function("add", "y, x []float32")
	y, x, stride := pointer("y"), pointer("x"), Load(Param("y").Len(), GP64())
	n, behind := GP64(), Load(Param("x").Len(), GP64())
	MOVQ(stride, n)
	SHLQ(U8(2), stride)
	LEAQ(Mem{Base: x, Index: behind, Scale: 4}, behind)
	loops := 0
	s.forEachBlock(4, n, func(l lanes, registers int, at index) {
		loops++
		row, label := GP64(), fmt.Sprintf("row%d", loops)
		LEAQ(at.of(x), row)
		sums := make([]VecVirtual, registers)
		for i := range sums {
			sums[i] = l.load(at.of(y).Offset(i * s.bytes()))
		}
		Label(label)
		for i, sum := range sums {
			VADDPS(l.load(Mem{Base: row, Disp: i * s.bytes()}), sum, sum)
		}
		ADDQ(stride, row)
		CMPQ(row, behind)
		JB(LabelRef(label))
		for i, sum := range sums {
			l.store(sum, at.of(y).Offset(i*s.bytes()))
		}
	})
	end()
}

// reluGradient sets dz to dy where y is not 0, and to 0 elsewhere.
func (s set) reluGradient() {
	s.function("reluGradient", "dz, y, dy []float32")
	dz, y, dy := pointer("dz"), pointer("y"), pointer("dy")
	s.forEach(Load(Param("y").Len(), GP64()), func(l lanes, at index) {
		r := l.load(at.of(dy))
		s.keepWhere(notEqual, l.load(at.of(y)), s.zero(), r)
		l.store(r, at.of(dz))
	})
	end()
}

// Predicates of comparisons; both hold for NaN too.
const (
	notEqual = 0x04
	notBelow = 0x15
)

// keepWhere zeroes the lanes of r where the comparison of x with the bound fails.
func (s set) keepWhere(predicate uint8, x Register, bound Op, r Register) {
	if s.width == 16 {
		mask := K()
		VCMPPS(U8(predicate), bound, x, mask)
		VMOVAPS_Z(r, mask, r)
		return
	}
	mask := s.reg()
	VCMPPS(U8(predicate), bound, x, mask)
	VANDPS(mask, r, r)
}

// sumSquares adds in float64, in one register for the lower halves and one for the upper
// halves.
func (s set) sumSquares() {
	TEXT("sumSquares"+s.suffix, attr.NOSPLIT, "func(x []float32) float64")
	Pragma("noescape")
	x := pointer("x")
	low, high := s.zero(), s.zero()
	s.forEach(Load(Param("x").Len(), GP64()), func(l lanes, at index) {
		v := l.load(at.of(x))
		wide := s.reg()
		VCVTPS2PD(s.half(v), wide)
		VFMADD231PD(wide, wide, low)
		s.upperHalf(v)
		VCVTPS2PD(s.half(v), wide)
		VFMADD231PD(wide, wide, high)
	})
	VADDPD(high, low, low)
	if s.width == 16 {
		VEXTRACTF64X4(U8(1), low, high.AsY())
		VADDPD(high.AsY(), low.AsY(), low.AsY())
	}
	VEXTRACTF128(U8(1), low.AsY(), high.AsX())
	VADDPD(high.AsX(), low.AsX(), low.AsX())
	VHADDPD(low.AsX(), low.AsX(), low.AsX())
	VZEROUPPER()
	Store(low.AsX(), ReturnIndex(0))
	RET()
}

// half returns the register of half the width that is the lower half of v.
func (s set) half(v VecVirtual) Register {
	if s.width == 16 {
		return v.AsY()
	}
	return v.AsX()
}

// upperHalf moves the upper half of v down.
func (s set) upperHalf(v VecVirtual) {
	if s.width == 16 {
		VEXTRACTF64X4(U8(1), v, v.AsY())
	} else {
		VEXTRACTF128(U8(1), v, v.AsX())
	}
}

// prefetch asks for every cache line that has a part of x.
func (s set) prefetch() {
	const line = 64
	s.function("prefetch", "x []byte")
	x, last := pointer("x"), Load(Param("x").Len(), GP64())
	ADDQ(x, last)
	ANDQ(I8(-line), x)
	Label("line")
	CMPQ(x, last)
	JAE(LabelRef("done"))
	PREFETCHT0(Mem{Base: x})
	ADDQ(U8(line), x)
	JMP(LabelRef("line"))
	Label("done")
	RET()
}

// adam takes one step on every parameter; see AdamStep of package kernel.
func (s set) adam() {
	s.function("adam", "parameters, gradient, m, v []float32, scale, beta1, beta2, size, epsilon float32")
	parameters, gradient, ms, vs := pointer("parameters"), pointer("gradient"), pointer("m"), pointer("v")
	scale, beta1, beta2 := s.broadcast("scale"), s.broadcast("beta1"), s.broadcast("beta2")
	size, epsilon := s.broadcast("size"), s.broadcast("epsilon")
	rest := func(beta VecVirtual) VecVirtual {
		r := s.reg()
		VMOVUPS(s.constant(1), r)
		VSUBPS(beta, r, r)
		return r
	}
	rest1, rest2 := rest(beta1), rest(beta2)
	s.forEach(Load(Param("parameters").Len(), GP64()), func(l lanes, at index) {
		g, m, v := l.load(at.of(gradient)), l.load(at.of(ms)), l.load(at.of(vs))
		VMULPS(scale, g, g)
		VMULPS(beta1, m, m)
		VFMADD231PS(rest1, g, m)
		l.store(m, at.of(ms))
		VMULPS(beta2, v, v)
		VMULPS(g, g, g)
		VFMADD231PS(rest2, g, v)
		l.store(v, at.of(vs))
		VSQRTPS(v, v)
		VADDPS(epsilon, v, v)
		VMULPS(size, m, m)
		VDIVPS(v, m, m)
		p := l.load(at.of(parameters))
		VSUBPS(m, p, p)
		l.store(p, at.of(parameters))
	})
	end()
}
