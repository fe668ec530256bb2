package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// expSum returns the largest value and the sum of the exponentials of the differences from
// it. It works on 16 values at a time, whatever the width of a register, so that the order
// of the additions is the same with AVX2 and AVX-512.
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
			VBLENDVPS(l.mask, v, tops[i], v) // masked lanes keep the top itself
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

// forSixteens emits a loop over n values from x in rounds of up to 16, with the body once
// for each register, always masked.
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

// fold combines 16 values into the first lane, halving their number in each step.
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

// softmaxColumns and its gradient treat the columns of a gapless row-major matrix, a
// register's width of them at a time, each in its own lane, so no order of additions
// depends on the width.
func (s set) softmaxColumns() {
	s.function("softmaxColumns", "x []float32, rows, columns int, scale float32")
	x, c := pointer("x"), newColumns()
	scale := s.broadcast("scale")
	s.forEach(c.count(), func(l lanes, at index) {
		top := s.reg()
		VMOVUPS(s.constant(float32(math.Inf(-1))), top)
		c.each(l, at, []Register{x}, func(m []Mem) { VMAXPS(l.load(m[0]), top, top) })
		sum := s.zero()
		c.each(l, at, []Register{x}, func(m []Mem) {
			v := l.load(m[0])
			VSUBPS(top, v, v)
			VMULPS(scale, v, v)
			v = s.expOf(v)
			l.store(v, m[0])
			VADDPS(v, sum, sum)
		})
		inverse := s.reg()
		VMOVUPS(s.constant(1), inverse)
		VDIVPS(sum, inverse, inverse)
		c.each(l, at, []Register{x}, func(m []Mem) {
			v := l.load(m[0])
			VMULPS(inverse, v, v)
			l.store(v, m[0])
		})
	})
	end()
}

func (s set) softmaxColumnsGradient() {
	s.function("softmaxColumnsGradient", "dy, y []float32, rows, columns int, scale float32")
	dy, y, c := pointer("dy"), pointer("y"), newColumns()
	scale := s.broadcast("scale")
	s.forEach(c.count(), func(l lanes, at index) {
		mean := s.zero()
		c.each(l, at, []Register{dy, y}, func(m []Mem) {
			VFMADD231PS(l.load(m[0]), l.load(m[1]), mean)
		})
		c.each(l, at, []Register{dy, y}, func(m []Mem) {
			v, p := l.load(m[0]), l.load(m[1])
			VSUBPS(mean, v, v)
			VMULPS(scale, p, p)
			VMULPS(p, v, v)
			l.store(v, m[0])
		})
	})
	end()
}

// columns are the columns of matrices whose size is given by the parameters rows and
// columns.
type columns struct {
	rows, stride Register // stride in bytes
	loops        *int     // for labels
}

func newColumns() columns {
	c := columns{Load(Param("rows"), GP64()), Load(Param("columns"), GP64()), new(int)}
	SHLQ(U8(2), c.stride)
	return c
}

func (c columns) count() Register {
	n := GP64()
	MOVQ(c.stride, n)
	SHRQ(U8(2), n)
	return n
}

// each emits a loop over the rows of some columns, from the first one in each matrix. The
// body gets the addresses in a row of each matrix.
func (c columns) each(l lanes, at index, matrices []Register, body func([]Mem)) {
	*c.loops++
	label := fmt.Sprintf("rows%d", *c.loops)
	rest := GP64()
	MOVQ(c.rows, rest)
	addresses := make([]Mem, len(matrices))
	for i, m := range matrices {
		p := GP64()
		LEAQ(at.of(m), p)
		addresses[i] = Mem{Base: p}
	}
	Label(label)
	body(addresses)
	for _, m := range addresses {
		ADDQ(c.stride, m.Base)
	}
	DECQ(rest)
	JNZ(LabelRef(label))
}
