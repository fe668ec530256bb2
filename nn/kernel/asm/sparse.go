package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// sparseAffine and sparseOuter look at the values of a row of x, a register at a time, and touch a row of the other
// matrix for each value that is not 0, some registers of its columns at a time.

// sparseAffine computes y = max(floor, bias + x·w). The sums stay in registers.
func (s set) sparseAffine() {
	s.function("sparseAffine", "y, x, w, bias []float32, yStride, xStride, rows, inputs, outputs int, floor float32")
	s.chunks(func(c chunk) {
		y := c.pointer("y")
		x, rows := pointer("x"), Load(Param("rows"), GP64())
		Label(c.label + "Row")
		bias := c.pointer("bias")
		var sums []VecVirtual
		for j, l := range c.lanes {
			sums = append(sums, l.load(Mem{Base: bias, Disp: j * s.bytes()}))
		}
		c.nonzeros(x, c.pointer("w"), func(value VecVirtual, w Mem) {
			for j, l := range c.lanes {
				VFMADD231PS(l.load(w.Offset(j*s.bytes())), value, sums[j])
			}
		})
		floor := s.broadcast("floor")
		for j, l := range c.lanes {
			VMAXPS(sums[j], floor, sums[j])
			l.store(sums[j], Mem{Base: y, Disp: j * s.bytes()})
		}
		ADDQ(loadStride("xStride"), x)
		ADDQ(loadStride("yStride"), y)
		DECQ(rows)
		JNZ(LabelRef(c.label + "Row"))
	})
	end()
}

// sparseOuter adds xᵀ·dz to dw, row by row of x and dz.
func (s set) sparseOuter() {
	s.function("sparseOuter", "dw, x, dz []float32, xStride, rows, inputs, outputs int")
	s.chunks(func(c chunk) {
		dz := c.pointer("dz")
		x, rows := pointer("x"), Load(Param("rows"), GP64())
		Label(c.label + "Row")
		var factors []VecVirtual
		for j, l := range c.lanes {
			factors = append(factors, l.load(Mem{Base: dz, Disp: j * s.bytes()}))
		}
		c.nonzeros(x, c.pointer("dw"), func(value VecVirtual, dw Mem) {
			for j, l := range c.lanes {
				m := dw.Offset(j * s.bytes())
				sum := l.load(m)
				VFMADD231PS(factors[j], value, sum)
				l.store(sum, m)
			}
		})
		ADDQ(loadStride("xStride"), x)
		ADDQ(loadStride("outputs"), dz)
		DECQ(rows)
		JNZ(LabelRef(c.label + "Row"))
	})
	end()
}

// chunk is a range of columns.
type chunk struct {
	set
	label string   // before all labels
	first Register // column, in bytes
	lanes []lanes
}

// pointer loads the address of the chunk in the first row of a slice parameter.
func (c chunk) pointer(parameter string) Register {
	p := pointer(parameter)
	ADDQ(c.first, p)
	return p
}

// chunks emits loops over the columns, whose number is the parameter outputs: four full registers at a time, then two,
// then what is left, with masks, which some processors with AVX2 are slow to store.
func (s set) chunks(body func(chunk)) {
	first, rest := GP64(), Load(Param("outputs"), GP64()).(GPVirtual)
	XORQ(first, first)
	for _, registers := range []int{4, 2} {
		label := fmt.Sprintf("full%d", registers)
		Label(label)
		CMPQ(rest, U8(registers*s.width))
		JB(LabelRef(label + "Done"))
		full := make([]lanes, registers)
		for i := range full {
			full[i] = lanes{set: s}
		}
		body(chunk{s, label, first, full})
		ADDQ(U32(registers*s.bytes()), first)
		SUBQ(U8(registers*s.width), rest)
		JMP(LabelRef(label))
		Label(label + "Done")
	}
	TESTQ(rest, rest)
	JZ(LabelRef("done"))
	body(chunk{s, "rest", first, s.first(rest, 2)})
	Label("done")
}

// nonzeros emits a loop over the values of a row, as many as the parameter inputs says, that are not 0. The body gets
// the value in all lanes, and the address of its row in a matrix of as many columns as the parameter outputs says,
// which begins at w. It consumes w.
func (c chunk) nonzeros(x, w Register, body func(value VecVirtual, row Mem)) {
	s := c.set
	at, rest, stride := GP64(), Load(Param("inputs"), GP64()), loadStride("outputs")
	MOVQ(x, at)
	Label(c.label + "Block")
	count, bits := GP64(), GP64()
	MOVQ(U32(s.width), count)
	CMPQ(rest, count)
	CMOVQLT(rest, count)
	values := s.first(count, 1)[0].load(Mem{Base: at})
	if s.width == 16 {
		mask := K()
		VCMPPS(U8(notEqual), s.zero(), values, mask)
		KMOVW(mask, bits.As32())
	} else {
		mask := s.reg()
		VCMPPS(U8(notEqual), s.zero(), values, mask)
		VMOVMSKPS(mask, bits.As32())
	}
	TESTQ(bits, bits)
	JZ(LabelRef(c.label + "None"))
	Label(c.label + "Bit")
	row, value := GP64(), s.reg()
	TZCNTQ(bits, row)
	VBROADCASTSS(Mem{Base: at, Index: row, Scale: 4}, value)
	IMULQ(stride, row)
	ADDQ(w, row)
	body(value, Mem{Base: row})
	BLSRQ(bits, bits)
	JNZ(LabelRef(c.label + "Bit"))
	Label(c.label + "None")
	ADDQ(U8(s.bytes()), at)
	step := GP64()
	MOVQ(stride, step)
	SHLQ(U8(map[int]int{8: 3, 16: 4}[s.width]), step)
	ADDQ(step, w)
	SUBQ(U8(s.width), rest)
	JGT(LabelRef(c.label + "Block"))
}
