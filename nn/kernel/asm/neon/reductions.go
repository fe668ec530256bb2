package main

import "fmt"

// expSum returns the largest value and the sum of the exponentials of the differences from
// it. It adds 16 values at a time in the order of the kernels for amd64.
func (a *assembler) expSum() {
	a.begin("expSum", "x []float32", " (top, sum float32)")
	inner := a.copier()
	x, n := a.pointer("x"), a.length("x")

	tops := a.infinity(fixed(4))
	a.blocks("top", inner, x, n, tops, func(values []*vector) {
		for i, v := range values {
			a.raise(tops[i], v)
		}
	})
	a.fold(tops, a.raise)
	a.emit("FMOVS F%d, top+%d(FP)", tops[0], a.offsets["top"])
	top := &vector{fixed: true}
	a.emit("VDUP V%d.S[0], V%d.S4", tops[0], top)

	a.emit("MOVD x_base+0(FP), %s", x)
	a.emit("MOVD x_len+8(FP), %s", n)
	sums, none := a.zero(fixed(4)), a.infinity(fixed(4))
	a.blocks("sum", inner, x, n, none, func(values []*vector) {
		for i, v := range values {
			a.addTo(sums[i], a.expOf(a.minus(v, top)))
		}
	})
	a.fold(sums, a.addTo)
	a.emit("FMOVS F%d, sum+%d(FP)", sums[0], a.offsets["sum"])
	a.emit("RET")
}

// blocks emits a loop over n values from x, as many at a time as the registers of fill hold.
// The last block takes what it lacks from fill. The loop consumes x and n.
func (a *assembler) blocks(label string, inner copier, x, n string, fill []*vector, body func(values []*vector)) {
	size := 4 * len(fill)
	a.label(label)
	a.emit("CMP $%d, %s", size, n)
	a.emit("BLT %sRest", label)
	values := temporary(len(fill))
	a.loadAll(values, x)
	body(values)
	a.emit("ADD $%d, %s", 4*size, x)
	a.emit("SUB $%d, %s", size, n)
	a.emit("B %s", label)
	a.label(label + "Rest")
	a.emit("CBZ %s, %sDone", n, label)
	a.storeAll(fill, inner.buffer)
	inner.in(label+"Copy", x, n)
	values = temporary(len(fill))
	a.loadAll(values, inner.buffer)
	body(values)
	a.label(label + "Done")
}

// fold combines 16 values into the first lane, halving their number in each step.
func (a *assembler) fold(list []*vector, combine func(x, y *vector)) {
	combine(list[0], list[2])
	combine(list[1], list[3])
	combine(list[0], list[1])
	other := &vector{}
	a.emit("VEXT $8, V%d.B16, V%d.B16, V%d.B16", list[0], list[0], other)
	combine(list[0], other)
	other = &vector{}
	a.emit("VDUP V%d.S[1], V%d.S4", list[0], other)
	combine(list[0], other)
}

// sumSquares adds in float64, eight values at a time, in the order of AVX2.
func (a *assembler) sumSquares() {
	a.begin("sumSquares", "x []float32", " (sum float64)")
	inner := a.copier()
	x, n := a.pointer("x"), a.length("x")
	sums, none := a.zero(fixed(4)), a.zero(fixed(2))
	a.blocks("sum", inner, x, n, none, func(values []*vector) {
		for i, v := range values {
			low, high := a.two(0x0e617800, "FCVTL.2D", v), a.two(0x4e617800, "FCVTL2.2D", v)
			a.emit("VFMLA V%d.D2, V%d.D2, V%d.D2", low, low, sums[2*i])
			a.emit("VFMLA V%d.D2, V%d.D2, V%d.D2", high, high, sums[2*i+1])
		}
	})
	for _, pair := range [][2]int{{0, 2}, {1, 3}, {0, 1}} {
		sum, x := sums[pair[0]], sums[pair[1]]
		a.encoded(0x4e60d400, "FADD.2D V%d, V%d, V%d", sum, sum, x)
	}
	a.encoded(0x7e70d800, "FADDP.2D V%d, V%d", sums[0], sums[0])
	a.emit("FMOVD F%d, sum+%d(FP)", sums[0], a.offsets["sum"])
	a.emit("RET")
}

// softmaxColumns and its gradient treat the columns of a gapless row-major matrix each in
// its own lane.
func (a *assembler) softmaxColumns() {
	a.begin("softmaxColumns", "x []float32, rows, columns int, scale float32", "")
	x, c := a.pointer("x"), a.newColumns(1)
	scale := a.broadcast("scale")
	a.forEach(c.count, []string{x}, func(l lanes) {
		top := a.infinity(fixed(1))[0]
		c.each(l, []string{x}, func(m []string) { a.raise(top, l.load(m[0])) })
		sum := a.zero(fixed(1))[0]
		c.each(l, []string{x}, func(m []string) {
			v := a.expOf(a.times(a.minus(l.load(m[0]), top), scale))
			l.store(v, m[0])
			a.addTo(sum, v)
		})
		inverse := a.over(a.constant(1), sum)
		inverse.fixed = true
		c.each(l, []string{x}, func(m []string) { l.store(a.times(l.load(m[0]), inverse), m[0]) })
	})
}

func (a *assembler) softmaxColumnsGradient() {
	a.begin("softmaxColumnsGradient", "dy, y []float32, rows, columns int, scale float32", "")
	dy, y, c := a.pointer("dy"), a.pointer("y"), a.newColumns(2)
	scale := a.broadcast("scale")
	a.forEach(c.count, []string{dy, y}, func(l lanes) {
		mean := a.zero(fixed(1))[0]
		c.each(l, []string{dy, y}, func(m []string) { a.fuse(mean, l.load(m[0]), l.load(m[1])) })
		c.each(l, []string{dy, y}, func(m []string) {
			v := a.minus(l.load(m[0]), mean)
			l.store(a.times(v, a.times(l.load(m[1]), scale)), m[0])
		})
	})
}

// columns are the columns of matrices whose size is given by the parameters rows and
// columns.
type columns struct {
	rows, stride, count string // stride in bytes
	rest                string
	at                  []string
	loops               *int // for labels
}

func (a *assembler) newColumns(matrices int) columns {
	c := columns{a.integer("rows"), a.stride("columns"), a.integer("columns"), a.register(), nil, new(int)}
	for range matrices {
		c.at = append(c.at, a.register())
	}
	return c
}

// each emits a loop over the rows of some columns, from the address in each matrix. The
// body gets the addresses in a row of each matrix.
func (c columns) each(l lanes, matrices []string, body func(at []string)) {
	*c.loops++
	label := fmt.Sprintf("rows%d", *c.loops)
	l.emit("MOVD %s, %s", c.rows, c.rest)
	for i, m := range matrices {
		l.emit("MOVD %s, %s", m, c.at[i])
	}
	l.label(label)
	body(c.at)
	for i := range matrices {
		l.emit("ADD %s, %s", c.stride, c.at[i])
	}
	l.emit("SUB $1, %s", c.rest)
	l.emit("CBNZ %s, %s", c.rest, label)
}
