package main

import (
	"math"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// expSum returns the largest value and the sum of the exponentials of the distances
// to it. It works on 16 values at a time, whatever the width of a register, so that
// the order of the additions is the same with AVX2 and AVX-512.
func (s set) expSum() {
	TEXT("expSum"+s.suffix, attr.NOSPLIT, "func(x []float32) (top, sum float32)")
	Pragma("noescape")
	x, n := pointer("x"), Load(Param("x").Len(), GP64())

	tops := s.sixteen(func(r VecVirtual) { VMOVUPS(s.constant(float32(math.Inf(-1))), r) })
	s.forSixteens("top", x, n, func(l lanes, m Mem, i int) {
		v := l.load(m)
		if s.width == 16 {
			VMAXPS(v, tops[i], l.mask, tops[i])
		} else {
			VBLENDVPS(l.mask, v, tops[i], v) // elsewhere the top itself
			VMAXPS(v, tops[i], tops[i])
		}
	})
	s.fold(tops, func(a, b Register) { VMAXPS(b, a, a) })
	Store(tops[0].AsX(), Return("top"))
	top := s.reg()
	VBROADCASTSS(tops[0].AsX(), top)

	sums := s.sixteen(func(r VecVirtual) { VXORPS(r, r, r) })
	s.forSixteens("sum", x, n, func(l lanes, m Mem, i int) {
		v := l.load(m)
		VSUBPS(top, v, v)
		v = s.expOf(v)
		if s.width == 16 {
			VADDPS(v, sums[i], l.mask, sums[i])
		} else {
			VANDPS(l.mask, v, v)
			VADDPS(v, sums[i], sums[i])
		}
	})
	s.fold(sums, func(a, b Register) { VADDPS(b, a, a) })
	Store(sums[0].AsX(), Return("sum"))
	end()
}

// sixteen returns the registers that hold 16 values.
func (s set) sixteen(begin func(VecVirtual)) []VecVirtual {
	list := make([]VecVirtual, 16/s.width)
	for i := range list {
		list[i] = s.reg()
		begin(list[i])
	}
	return list
}

// forSixteens emits a loop over n values from x in rounds of up to 16, with the body
// once for each register, always masked.
func (s set) forSixteens(label string, x, n Register, body func(l lanes, m Mem, i int)) {
	at, rest, count := GP64(), GP64(), GP64()
	MOVQ(x, at)
	MOVQ(n, rest)
	Label(label + "Next")
	TESTQ(rest, rest)
	JZ(LabelRef(label + "Done"))
	MOVQ(U32(16), count)
	CMPQ(rest, count)
	CMOVQLT(rest, count)
	for i, l := range s.first(count, 16/s.width) {
		body(l, Mem{Base: at, Disp: i * s.bytes()}, i)
	}
	ADDQ(U8(64), at)
	SUBQ(count, rest)
	JMP(LabelRef(label + "Next"))
	Label(label + "Done")
}

// fold combines 16 values, halves with halves, into the first lane.
func (s set) fold(registers []VecVirtual, combine func(a, b Register)) {
	r := registers[0]
	eight, other := r.AsY(), YMM()
	if s.width == 16 {
		VEXTRACTF32X8(U8(1), r, other)
		combine(eight, other)
	} else {
		combine(eight, registers[1])
	}
	VEXTRACTF128(U8(1), eight, other.AsX())
	combine(r.AsX(), other.AsX())
	VPERMILPS(U8(0b1110), r.AsX(), other.AsX())
	combine(r.AsX(), other.AsX())
	VPERMILPS(U8(0b0001), r.AsX(), other.AsX())
	combine(r.AsX(), other.AsX())
}
