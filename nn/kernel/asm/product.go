package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const tileParameters = "a, b, c, start []float32, aRow, aColumn, aTile, cRow, startRow, depth, width, tiles int, floor float32"

// tile is the innermost part of the matrix product (Goto and van de Geijn 2008, "Anatomy of
// high-performance matrix multiplication"; BLIS calls it the micro-kernel). All sums stay
// in registers; for each k it loads two registers of the panel b and adds their products
// with one value of each row of a. It computes several tiles, one below the other. Where the first
// register of the panel holds all columns, it leaves the second one out.
func (s set) tile(rows int) {
	s.function(fmt.Sprintf("tile%d", rows), tileParameters)
	width := Load(Param("width"), GP64())
	CMPQ(width, U8(s.width))
	JBE(LabelRef("narrow"))
	s.stack("wide", rows, 2)
	JMP(LabelRef("done"))
	Label("narrow")
	s.stack("slim", rows, 1)
	Label("done")
	end()
}

// stack emits a loop over the tiles with the given number of registers to a row.
func (s set) stack(label string, rows, registers int) {
	t := &tile{set: s, label: label, rows: rows, registers: registers, a: pointer("a"), c: pointer("c"),
		start: pointer("start")}
	for range rows {
		var sums []VecVirtual
		for range registers {
			sums = append(sums, s.reg())
		}
		t.sums = append(t.sums, sums)
	}
	tiles := Load(Param("tiles"), GP64())
	Label(label + "Tile")
	t.either("Begin", t.begin)
	t.accumulate()
	t.floor()
	t.either("End", t.end)
	ADDQ(loadStride("aTile"), t.a)
	DECQ(tiles)
	JNZ(LabelRef(label + "Tile"))
}

type tile struct {
	set
	label           string // before all labels
	rows, registers int
	a, c, start     Register       // addresses of the tile's first row
	sums            [][]VecVirtual // by row
}

// either calls emit with the lanes of the tile's columns. Masks cost nothing with AVX-512;
// with AVX2 a tile of full width does without them.
func (t *tile) either(label string, emit func(l []lanes)) {
	width := Load(Param("width"), GP64()).(GPVirtual)
	if t.width == 16 {
		emit(t.first(width, t.registers))
		return
	}
	label = t.label + label
	CMPQ(width, U8(t.registers*t.width))
	JNE(LabelRef(label + "Masked"))
	full := make([]lanes, t.registers)
	for i := range full {
		full[i] = lanes{set: t.set}
	}
	emit(full)
	JMP(LabelRef(label + "Done"))
	Label(label + "Masked")
	emit(t.first(width, t.registers))
	Label(label + "Done")
}

func (t *tile) begin(l []lanes) {
	stride := loadStride("startRow")
	for _, sums := range t.sums {
		for j, sum := range sums {
			l[j].loadTo(sum, Mem{Base: t.start, Disp: j * t.bytes()})
		}
		ADDQ(stride, t.start)
	}
}

func (t *tile) end(l []lanes) {
	stride := loadStride("cRow")
	for _, sums := range t.sums {
		for j, sum := range sums {
			l[j].store(sum, Mem{Base: t.c, Disp: j * t.bytes()})
		}
		ADDQ(stride, t.c)
	}
}

// loadStride loads a parameter that counts float32 values, converted to bytes.
func loadStride(parameter string) Register {
	r := Load(Param(parameter), GP64())
	SHLQ(U8(2), r)
	return r
}

func (t *tile) accumulate() {
	row, column := loadStride("aRow"), loadStride("aColumn")
	b, depth := pointer("b"), Load(Param("depth"), GP64())
	// An address is a base plus 0, 1 or 2 times the row stride, so there is a base for
	// every 3 rows.
	bases := []Register{GP64()}
	MOVQ(t.a, bases[0])
	for i := 3; i < t.rows; i += 3 {
		base := GP64()
		LEAQ(Mem{Base: bases[len(bases)-1], Index: row, Scale: 2}, base)
		ADDQ(row, base)
		bases = append(bases, base)
	}
	if t.unrolled {
		t.unroll(b, depth, row, column, bases)
	}
	TESTQ(depth, depth)
	JZ(LabelRef(t.label + "Accumulated"))
	Label(t.label + "Next")
	t.step(0, b, func(i int) Mem { return valueOfRow(bases, row, i) })
	for _, base := range bases {
		ADDQ(column, base)
	}
	ADDQ(U32(2*t.bytes()), b)
	DECQ(depth)
	JNZ(LabelRef(t.label + "Next"))
	Label(t.label + "Accumulated")
}

// unroll emits loops of four steps of the depth; what is left over is for the loop after them. In both layouts of the
// left factor, row by row (its column stride is 1) and tile by tile (the tile's height), the values of four steps are
// at constant distances, so four steps of six rows take 86 instructions instead of 100. With AVX2 that counts: their 48
// fused operations take 24 cycles, in which a Zen 3 starts up to 144 instructions, but 72 if another thread shares the
// core.
func (t *tile) unroll(b, depth, row, column Register, bases []Register) {
	const steps = 4
	loop := func(label string, address func(i, k int) Mem) {
		label = t.label + label
		Label(label)
		SUBQ(U8(steps), depth)
		JB(LabelRef(t.label + "Rest"))
		for k := range steps {
			t.step(k, b, func(i int) Mem { return address(i, k) })
		}
		for _, base := range bases {
			LEAQ(Mem{Base: base, Index: column, Scale: steps}, base)
		}
		ADDQ(U32(steps*2*t.bytes()), b)
		JMP(LabelRef(label))
	}
	CMPQ(column, U8(4))
	JNE(LabelRef(t.label + "Tiled"))
	loop("Rows", func(i, k int) Mem {
		m := valueOfRow(bases, row, i)
		m.Disp = 4 * k
		return m
	})
	loop("Tiled", func(i, k int) Mem { return Mem{Base: bases[i/3], Disp: 4 * (k*t.rows + i%3)} })
	Label(t.label + "Rest")
	ADDQ(U8(steps), depth)
}

// valueOfRow returns the address of the left factor's value in row i, given the bases of every third row.
func valueOfRow(bases []Register, row Register, i int) Mem {
	m := Mem{Base: bases[i/3]}
	if i%3 > 0 {
		m.Index, m.Scale = row, uint8(i%3)
	}
	return m
}

// step adds the products of the k-th row of the panel from b on with the values at the addresses of the tile's rows.
func (t *tile) step(k int, b Register, value func(i int) Mem) {
	var right []VecVirtual
	for j := range t.registers {
		right = append(right, t.reg())
		VMOVUPS(Mem{Base: b, Disp: (2*k + j) * t.bytes()}, right[j])
	}
	for i, sums := range t.sums {
		left := t.reg()
		VBROADCASTSS(value(i), left)
		for j, sum := range sums {
			if t.suffix == "BF16" {
				emit(dotProduct, right[j], left, sum)
			} else {
				VFMADD231PS(right[j], left, sum)
			}
		}
	}
}

// floor raises values below the floor to it and keeps NaN.
func (t *tile) floor() {
	floor := t.broadcast("floor")
	for _, sums := range t.sums {
		for _, sum := range sums {
			VMAXPS(sum, floor, sum)
		}
	}
}

// packRows copies rows of at most a panel's width, dstStride apart.
func (s set) packRows() {
	s.function("packRows", "dst, src []float32, dstStride, stride, depth, width int")
	dst, src, dstStride := pointer("dst"), pointer("src"), loadStride("dstStride")
	stride, depth := loadStride("stride"), Load(Param("depth"), GP64())
	columns := s.first(Load(Param("width"), GP64()).(GPVirtual), 2)
	rows := func(label string, columns []lanes) {
		Label(label)
		for j, l := range columns {
			VMOVUPS(l.load(Mem{Base: src, Disp: j * s.bytes()}), Mem{Base: dst, Disp: j * s.bytes()})
		}
		ADDQ(stride, src)
		ADDQ(dstStride, dst)
		DECQ(depth)
		JNZ(LabelRef(label))
	}
	CMPQ(dstStride, U8(s.bytes()))
	JBE(LabelRef("narrow"))
	rows("wide", columns)
	JMP(LabelRef("done"))
	rows("narrow", columns[:1])
	Label("done")
	end()
}

// packColumns gathers rows of a panel's width, dstStride apart, from columns.
func (s set) packColumns() {
	s.function("packColumns", "dst, src []float32, dstStride, stride, depth, width int")
	dst, src, stride := pointer("dst"), pointer("src"), Load(Param("stride"), GP64())
	columns := s.first(Load(Param("width"), GP64()).(GPVirtual), 2)
	depth, dstStride := Load(Param("depth"), GP64()), loadStride("dstStride")

	// Lane i of a register reads the value stride·i floats further on.
	offsets := s.reg()
	MOVQ(stride, offsets.AsX())
	VPBROADCASTD(offsets.AsX(), offsets)
	VPMULLD(s.laneNumbers(), offsets, offsets)
	second := GP64() // where the second register's lanes begin
	IMUL3Q(U32(s.bytes()), stride, second)
	ADDQ(src, second)

	Label("next")
	for j, base := range []Register{src, second} {
		r := s.zero()
		s.gather(Mem{Base: base, Index: offsets, Scale: 4}, columns[j].mask, r)
		VMOVUPS(r, Mem{Base: dst, Disp: j * s.bytes()})
		ADDQ(U8(4), base)
	}
	ADDQ(dstStride, dst)
	DECQ(depth)
	JNZ(LabelRef("next"))
	end()
}

// gather loads the lanes of the mask. The instruction clears its mask, so it gets a copy.
func (s set) gather(m Mem, mask Register, r VecVirtual) {
	if s.width == 16 {
		lanes := K()
		KMOVW(mask, lanes)
		VGATHERDPS(m, lanes, r)
		return
	}
	lanes := s.reg()
	VMOVAPS(mask, lanes)
	VGATHERDPS(lanes, m, r)
}
