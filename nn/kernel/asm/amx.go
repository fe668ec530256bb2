package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// tiles multiplies pairs of BF16 in the tile registers of AMX, which hold 16 rows of 16 numbers of 32 bits. The product
// and its parameters are those of [set.tile]; both factors are steps·16 pairs deep. The sums of up
// to 32 rows and 32 columns are in four tiles, the factors in two each: a step of 16 pairs is four loads and four
// products. The configuration says how many rows and columns there are, so nothing else is read or written.
func (s set) tiles() {
	s.function("tiles",
		"config *[64]byte, a, b, c, start []float32, rows, aRow, aTile, cRow, startRow, steps, width, tiles int, floor float32")
	emit(tileConfigure, Mem{Base: Load(Param("config"), GP64())})
	width, rows := Load(Param("width"), GP64()), Load(Param("rows"), GP64())
	CMPQ(rows, U8(s.width))
	JBE(LabelRef("low"))
	for high := 2; high > 0; high-- {
		label := []string{"low", "high"}[high-1]
		Label(label)
		CMPQ(width, U8(s.width))
		JBE(LabelRef(label + "Narrow"))
		s.products(label+"Wide", high, 2)
		JMP(LabelRef("done"))
		Label(label + "Narrow")
		s.products(label+"Narrow", high, 1)
		if high == 2 {
			JMP(LabelRef("done"))
		}
	}
	Label("done")
	emit(tileRelease)
	end()
}

// The tiles: sums first, by row and column, then the left factor's and the right one's.
func sums(row, column int) Op { return LabelRef(fmt.Sprintf("TMM%d", 2*row+column)) }
func left(row int) Op         { return LabelRef(fmt.Sprintf("TMM%d", 4+row)) }
func right(column int) Op     { return LabelRef(fmt.Sprintf("TMM%d", 6+column)) }

// products emits a loop over blocks of that many tiles, one block below the other.
func (s set) products(label string, high, wide int) {
	a, c, start := pointer("a"), pointer("c"), pointer("start")
	tiles := Load(Param("tiles"), GP64())
	eachSum := func(name string, base Register, stride Register) {
		below := GP64()
		MOVQ(base, below)
		for i := range high {
			if i > 0 {
				offset := GP64()
				MOVQ(stride, offset)
				SHLQ(U8(4), offset)
				ADDQ(offset, below)
			}
			for j := range wide {
				place := Mem{Base: below, Index: stride, Scale: 1, Disp: j * s.bytes()}
				if name == tileLoad {
					emit(name, place, sums(i, j))
				} else {
					emit(name, sums(i, j), place)
				}
			}
		}
	}
	Label(label + "Block")
	eachSum(tileLoad, start, loadStride("startRow"))

	aRow, bRow := loadStride("aRow"), GP64()
	MOVQ(U32(2*s.bytes()), bRow)
	lefts := []Register{GP64(), GP64()}[:high]
	MOVQ(a, lefts[0])
	if high == 2 {
		MOVQ(aRow, lefts[1])
		SHLQ(U8(4), lefts[1])
		ADDQ(a, lefts[1])
	}
	b, steps := pointer("b"), Load(Param("steps"), GP64())
	TESTQ(steps, steps)
	JZ(LabelRef(label + "Summed"))
	Label(label + "Step")
	for j := range wide {
		emit(tileLoad, Mem{Base: b, Index: bRow, Scale: 1, Disp: j * s.bytes()}, right(j))
	}
	for i := range high {
		emit(tileLoad, Mem{Base: lefts[i], Index: aRow, Scale: 1}, left(i))
		for j := range wide {
			emit(tileDotProduct, right(j), left(i), sums(i, j))
		}
		ADDQ(U8(s.bytes()), lefts[i])
	}
	ADDQ(U32(2*s.bytes()*s.width), b)
	DECQ(steps)
	JNZ(LabelRef(label + "Step"))
	Label(label + "Summed")

	cRow := loadStride("cRow")
	eachSum(tileStore, c, cRow)
	s.floorRows(label, c, cRow, wide)
	ADDQ(loadStride("aTile"), a)
	for _, p := range []struct {
		base   Register
		stride string
	}{{c, "cRow"}, {start, "startRow"}} {
		offset := loadStride(p.stride)
		IMULQ(Load(Param("rows"), GP64()), offset)
		ADDQ(offset, p.base)
	}
	DECQ(tiles)
	JNZ(LabelRef(label + "Block"))
}

// floorRows raises values below the floor to it and keeps NaN, in the rows that begin at c; not if it is -Inf.
func (s set) floorRows(label string, c, cRow Register, wide int) {
	bits := GP32()
	address, err := Param("floor").Resolve()
	if err != nil {
		panic(err)
	}
	MOVL(address.Addr, bits)
	CMPL(bits, U32(0xff800000))
	JEQ(LabelRef(label + "Floored"))
	floor := s.broadcast("floor")
	columns := s.first(Load(Param("width"), GP64()).(GPVirtual), wide)
	row, rows := GP64(), Load(Param("rows"), GP64())
	MOVQ(c, row)
	Label(label + "Floor")
	for j, l := range columns {
		place := Mem{Base: row, Disp: j * s.bytes()}
		value := l.load(place)
		VMAXPS(value, floor, value)
		l.store(value, place)
	}
	ADDQ(cRow, row)
	DECQ(rows)
	JNZ(LabelRef(label + "Floor"))
	Label(label + "Floored")
}

// transpose transposes count squares of 16×16 values that lie one below the other, and puts them side by side.
func (s set) transpose() {
	s.function("transpose", "dst, src []float32, dstStride, count int")
	dst, src, stride := pointer("dst"), pointer("src"), loadStride("dstStride")
	count := Load(Param("count"), GP64())
	TESTQ(count, count)
	JZ(LabelRef("done"))
	Label("square")
	var rows, quarters [16]VecVirtual
	for i := range rows {
		rows[i] = s.reg()
		VMOVUPS(Mem{Base: src, Disp: i * s.bytes()}, rows[i])
	}
	// In groups of four rows: lane of 128 bits l of the c-th result has column 4l+c.
	for i := 0; i < 16; i += 4 {
		low, high, low2, high2 := s.reg(), s.reg(), s.reg(), s.reg()
		VUNPCKLPS(rows[i+1], rows[i], low)
		VUNPCKHPS(rows[i+1], rows[i], high)
		VUNPCKLPS(rows[i+3], rows[i+2], low2)
		VUNPCKHPS(rows[i+3], rows[i+2], high2)
		for c, pair := range [][2]VecVirtual{{low, low2}, {high, high2}} {
			quarters[i+2*c], quarters[i+2*c+1] = s.reg(), s.reg()
			VUNPCKLPD(pair[1], pair[0], quarters[i+2*c])
			VUNPCKHPD(pair[1], pair[0], quarters[i+2*c+1])
		}
	}
	const even, odd = 0x88, 0xdd // of the lanes of two registers
	var columns [16]VecVirtual
	for c := range 4 {
		for l, lanes := range []uint8{even, odd} {
			upper, lower := s.reg(), s.reg()
			VSHUFF32X4(U8(lanes), quarters[4+c], quarters[c], upper)
			VSHUFF32X4(U8(lanes), quarters[12+c], quarters[8+c], lower)
			columns[4*l+c], columns[8+4*l+c] = s.reg(), s.reg()
			VSHUFF32X4(U8(even), lower, upper, columns[4*l+c])
			VSHUFF32X4(U8(odd), lower, upper, columns[8+4*l+c])
		}
	}
	to := GP64()
	MOVQ(dst, to)
	for _, column := range columns {
		VMOVUPS(column, Mem{Base: to})
		ADDQ(stride, to)
	}
	ADDQ(U32(16*s.bytes()), src)
	ADDQ(U8(s.bytes()), dst)
	DECQ(count)
	JNZ(LabelRef("square"))
	Label("done")
	end()
}
