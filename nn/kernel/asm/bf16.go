package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// emit emits an instruction that neither avo nor Go's assembler knows; its operands are in the order of Go's
// assembler, the result last. encode turns it into bytes.
func emit(name string, operands ...Op) {
	i := &ir.Instruction{Opcode: name, Operands: operands, Inputs: operands}
	if n := len(operands); n > 0 {
		if result, is := operands[n-1].(VecVirtual); is {
			i.Outputs = []Op{result}
			if name != dotProduct {
				i.Inputs = operands[:n-1]
			}
		}
	}
	Instruction(i)
}

// pairRows turns two rows at a time into one of pairs, in which the first is in the lower half; the last one stays by
// itself if their number is odd. It writes whole registers, one or two of them to a row.
func (s set) pairRows() {
	s.function("pairRows", "dst, src []float32, dstStride, srcStride, rows, width int")
	dst, src, rows := pointer("dst"), pointer("src"), Load(Param("rows"), GP64())
	dstStride, srcStride := loadStride("dstStride"), loadStride("srcStride")
	width := Load(Param("width"), GP64()).(GPVirtual)
	order := s.reg()
	VMOVUPS(s.interleaved(), order)
	pairs := func(label string, columns []lanes) {
		row := func(second bool) {
			var results []VecVirtual
			for j, l := range columns {
				lower := l.load(Mem{Base: src, Disp: j * s.bytes()})
				var upper VecVirtual
				if second {
					upper = l.load(Mem{Base: src, Index: srcStride, Scale: 1, Disp: j * s.bytes()})
				} else {
					upper = s.zero()
				}
				emit(twoToBF16, lower, upper, lower)
				VPERMW(lower, order, lower)
				results = append(results, lower)
			}
			for j, r := range results {
				VMOVUPS(r, Mem{Base: dst, Disp: j * s.bytes()})
			}
		}
		Label(label)
		CMPQ(rows, U8(2))
		JB(LabelRef(label + "Last"))
		row(true)
		LEAQ(Mem{Base: src, Index: srcStride, Scale: 2}, src)
		ADDQ(dstStride, dst)
		SUBQ(U8(2), rows)
		JMP(LabelRef(label))
		Label(label + "Last")
		TESTQ(rows, rows)
		JZ(LabelRef("done"))
		row(false)
	}
	columns := s.first(width, 2)
	CMPQ(width, U8(s.width))
	JBE(LabelRef("narrow"))
	pairs("wide", columns)
	JMP(LabelRef("done"))
	pairs("narrow", columns[:1])
	Label("done")
	end()
}

// interleaved returns the address of the numbers of the 16-bit values of a register that take turns from its two
// halves.
func (s set) interleaved() Mem {
	m := GLOBL("interleaved"+s.suffix, attr.RODATA|attr.NOPTR)
	for i := range s.width {
		DATA(4*i, U32(i|(s.width+i)<<16))
	}
	return m
}

// pairRow turns count values side by side into pairs. It writes whole registers.
func (s set) pairRow() {
	s.function("pairRow", "dst, src []float32, count int")
	dst, src, count := pointer("dst"), pointer("src"), Load(Param("count"), GP64()).(GPVirtual)
	pairs := func(l []lanes) {
		lower, upper := l[0].load(Mem{Base: src}), l[1].load(Mem{Base: src, Disp: s.bytes()})
		emit(twoToBF16, lower, upper, lower)
		VMOVUPS(lower, Mem{Base: dst})
	}
	Label("full")
	CMPQ(count, U8(2*s.width))
	JB(LabelRef("rest"))
	pairs([]lanes{{set: s}, {set: s}})
	ADDQ(U32(2*s.bytes()), src)
	ADDQ(U8(s.bytes()), dst)
	SUBQ(U8(2*s.width), count)
	JMP(LabelRef("full"))
	Label("rest")
	TESTQ(count, count)
	JZ(LabelRef("done"))
	pairs(s.first(count, 2))
	Label("done")
	end()
}
