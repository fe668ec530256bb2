package main

import "fmt"

const (
	tileRows      = 6 // most rows of a tile: 24 of 32 registers hold its sums
	tileRegisters = 4 // registers to a row
	// bufferBytes is the size of each function's frame, in which incomplete rows are
	// completed.
	bufferBytes = 16 * tileRegisters
)

// tile is the innermost part of the matrix product (Goto and van de Geijn 2008, "Anatomy of
// high-performance matrix multiplication"; BLIS calls it the micro-kernel). All sums stay
// in registers; for each k it loads four registers of the panel b and adds their products
// with one value of each row of a.
func (a *assembler) tile(rows int) {
	a.begin(fmt.Sprintf("tile%d", rows),
		"a, b, c, start []float32, aRow, aColumn, cRow, startRow, depth, width int, floor float32", "")
	sums := make([][]*vector, rows)
	for i := range sums {
		sums[i] = fixed(tileRegisters)
	}
	width := a.integer("width")
	row, stride := a.pointer("start"), a.stride("startRow")
	inner := a.copier()
	a.eachRow(sums, "begin", width, row, stride, func(label string, sums []*vector) {
		inner.in(label, row, width)
		a.loadAll(sums, inner.buffer)
	}, func(sums []*vector) { a.loadAll(sums, row) })
	a.accumulate(sums)
	floor := a.broadcast("floor")
	for _, sums := range sums {
		for _, sum := range sums {
			a.emit("VBIT V%d.B16, V%d.B16, V%d.B16", a.greater(floor, sum), floor, sum)
		}
	}
	a.emit("MOVD c_base+%d(FP), %s", a.offsets["c"], row)
	a.emit("MOVD cRow+%d(FP), %s", a.offsets["cRow"], stride)
	a.emit("LSL $2, %s", stride)
	a.eachRow(sums, "end", width, row, stride, func(label string, sums []*vector) {
		a.storeAll(sums, inner.buffer)
		inner.out(label, row, width)
	}, func(sums []*vector) { a.storeAll(sums, row) })
	a.emit("RET")
}

// eachRow emits full or part for every row of the tile, according to the width.
func (a *assembler) eachRow(sums [][]*vector, label, width, row, stride string,
	part func(label string, sums []*vector), full func(sums []*vector)) {
	a.emit("CMP $%d, %s", 4*tileRegisters, width)
	a.emit("BNE %sPart", label)
	for _, sums := range sums {
		full(sums)
		a.emit("ADD %s, %s", stride, row)
	}
	a.emit("B %sDone", label)
	a.label(label + "Part")
	for i, sums := range sums {
		part(fmt.Sprintf("%s%d", label, i), sums)
		a.emit("ADD %s, %s", stride, row)
	}
	a.label(label + "Done")
}

func (a *assembler) accumulate(sums [][]*vector) {
	row, column, offset := a.stride("aRow"), a.stride("aColumn"), a.register()
	b, depth := a.pointer("b"), a.integer("depth")
	bases := []string{a.pointer("a")}
	for range sums[1:] {
		base := a.register()
		a.emit("ADD %s, %s, %s", row, bases[len(bases)-1], base)
		bases = append(bases, base)
	}
	a.emit("MOVD ZR, %s", offset)
	a.emit("CBZ %s, accumulated", depth)
	a.label("next")
	right := []*vector{{}, {}, {}, {}}
	a.emit("FLDPQ.P 32(%s), (F%d, F%d)", b, right[0], right[1])
	a.emit("FLDPQ.P 32(%s), (F%d, F%d)", b, right[2], right[3])
	for i, sums := range sums {
		left := &vector{}
		a.emit("FMOVS (%s)(%s), F%d", bases[i], offset, left)
		for j, sum := range sums {
			a.encoded(0x4f801000, "FMLA.4S V%d, V%d, V%d[0]", sum, right[j], left)
		}
	}
	a.emit("ADD %s, %s", column, offset)
	a.emit("SUB $1, %s", depth)
	a.emit("CBNZ %s, next", depth)
	a.label("accumulated")
}

// fixed returns registers that keep their values.
func fixed(n int) []*vector {
	list := make([]*vector, n)
	for i := range list {
		list[i] = &vector{fixed: true}
	}
	return list
}

func temporary(n int) []*vector {
	list := make([]*vector, n)
	for i := range list {
		list[i] = &vector{}
	}
	return list
}

// loadAll loads registers side by side from the address; storeAll stores them.
func (a *assembler) loadAll(list []*vector, address string) {
	for i, v := range list {
		a.emit("FMOVQ %d(%s), F%d", 16*i, address, v)
	}
}

func (a *assembler) storeAll(list []*vector, address string) {
	for i, v := range list {
		a.emit("FMOVQ F%d, %d(%s)", v, 16*i, address)
	}
}

// copier copies incomplete rows to the buffer in the frame and back.
type copier struct {
	*assembler
	buffer, from, to, rest, value string
}

func (a *assembler) copier() copier {
	c := copier{a, a.register(), a.register(), a.register(), a.register(), a.register()}
	a.emit("MOVD $buffer-%d(SP), %s", bufferBytes, c.buffer)
	return c
}

func (c copier) in(label, from, count string) { c.copy(label, from, c.buffer, count) }
func (c copier) out(label, to, count string)  { c.copy(label, c.buffer, to, count) }
func (c copier) copy(label, from, to, count string) {
	c.emit("MOVD %s, %s", from, c.from)
	c.emit("MOVD %s, %s", to, c.to)
	c.emit("MOVD %s, %s", count, c.rest)
	c.label(label)
	c.emit("MOVWU.P 4(%s), %s", c.from, c.value)
	c.emit("MOVW.P %s, 4(%s)", c.value, c.to)
	c.emit("SUB $1, %s", c.rest)
	c.emit("CBNZ %s, %s", c.rest, label)
}
