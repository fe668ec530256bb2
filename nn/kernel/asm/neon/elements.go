package main

import (
	"fmt"
	"math"
)

// lanes is how many elements loads and stores touch: 4, or 1 at the end of a slice.
type lanes struct {
	*assembler
	count int
}

func (l lanes) load(address string) *vector {
	v := &vector{}
	l.emit("FMOV%s (%s), F%d", map[int]string{4: "Q", 1: "S"}[l.count], address, v)
	return v
}

func (l lanes) store(v *vector, address string) {
	l.emit("FMOV%s F%d, (%s)", map[int]string{4: "Q", 1: "S"}[l.count], v, address)
}

// forEach emits a loop over count elements, four at a time, then one at a time, and the
// function's end. It consumes count and the pointers, which advance.
func (a *assembler) forEach(count string, pointers []string, body func(l lanes)) {
	for _, l := range []lanes{{a, 4}, {a, 1}} {
		a.label(fmt.Sprintf("by%d", l.count))
		a.emit("CMP $%d, %s", l.count, count)
		a.emit("BLT by%dDone", l.count)
		body(l)
		for _, p := range pointers {
			a.emit("ADD $%d, %s", 4*l.count, p)
		}
		a.emit("SUB $%d, %s", l.count, count)
		a.emit("B by%d", l.count)
		a.label(fmt.Sprintf("by%dDone", l.count))
	}
	a.emit("RET")
}

// exp sets dst[i] to e^x[i].
func (a *assembler) exp() {
	a.begin("exp", "dst, x []float32", "")
	dst, x := a.pointer("dst"), a.pointer("x")
	a.forEach(a.length("x"), []string{dst, x}, func(l lanes) { l.store(a.expOf(l.load(x)), dst) })
}

// gateBases returns the addresses of the four gates of n units.
func (a *assembler) gateBases(n string) []string {
	bases := []string{a.pointer("gates")}
	for i := 1; i < 4; i++ {
		base := a.register()
		a.emit("ADD %s<<2, %s, %s", n, bases[i-1], base)
		bases = append(bases, base)
	}
	return bases
}

// lstmCell saves divisions: σ(i)·tanh(g) and σ(o)·tanh(c) take one each.
func (a *assembler) lstmCell() {
	a.begin("lstmCell", "gates, h, c []float32", "")
	h, c, n := a.pointer("h"), a.pointer("c"), a.length("h")
	gates := a.gateBases(n)
	gated := func(gate, x *vector) *vector { // σ(gate)·tanh(x)
		e, d := a.tanhFraction(x)
		return a.over(e, a.times(a.onePlusExp(a.negate(gate)), d))
	}
	a.forEach(n, append(gates, h, c), func(l lanes) {
		added := gated(l.load(gates[0]), l.load(gates[2]))
		kept := a.over(l.load(c), a.onePlusExp(a.negate(l.load(gates[1]))))
		cell := a.plus(added, kept)
		l.store(cell, c)
		l.store(gated(l.load(gates[3]), cell), h)
	})
}

func (a *assembler) lstmForward() {
	a.begin("lstmForward", "gates, previousCell, cell, tanhCell, h []float32", "")
	n := a.length("h")
	gates, previous := a.gateBases(n), a.pointer("previousCell")
	cells, tanhs, h := a.pointer("cell"), a.pointer("tanhCell"), a.pointer("h")
	a.forEach(n, append(gates, previous, cells, tanhs, h), func(l lanes) {
		activated := func(i int, f func(*vector) *vector) *vector {
			y := f(l.load(gates[i]))
			l.store(y, gates[i])
			return y
		}
		cell := a.times(activated(1, a.sigmoidOf), l.load(previous))
		update := activated(2, a.tanhOf)
		a.fuse(cell, update, activated(0, a.sigmoidOf))
		l.store(cell, cells)
		y := a.tanhOf(cell)
		l.store(y, tanhs)
		l.store(a.times(y, activated(3, a.sigmoidOf)), h)
	})
}

func (a *assembler) lstmBackward() {
	a.begin("lstmBackward", "gates, previousCell, tanhCell, hiddenGrad, cellGrad []float32", "")
	n := a.length("hiddenGrad")
	gates, previous := a.gateBases(n), a.pointer("previousCell")
	tanhs, hiddenGrad, cellGrad := a.pointer("tanhCell"), a.pointer("hiddenGrad"), a.pointer("cellGrad")
	// slope multiplies y by x(1-x).
	slope := func(x, y *vector) *vector {
		xy := a.times(x, y)
		return a.fuseNegative(xy, xy, x)
	}
	// fall multiplies y by 1-x², consuming y.
	fall := func(x, y *vector) *vector { return a.fuseNegative(y, a.times(x, y), x) }
	a.forEach(n, append(gates, previous, tanhs, hiddenGrad, cellGrad), func(l lanes) {
		dh, o, tanh := l.load(hiddenGrad), l.load(gates[3]), l.load(tanhs)
		dc := a.plus(fall(tanh, a.times(dh, o)), l.load(cellGrad))
		l.store(slope(o, a.times(dh, tanh)), gates[3])
		i, g := l.load(gates[0]), l.load(gates[2])
		l.store(slope(i, a.times(dc, g)), gates[0])
		l.store(fall(g, a.times(dc, i)), gates[2])
		f := l.load(gates[1])
		l.store(a.times(dc, f), cellGrad)
		l.store(slope(f, a.times(dc, l.load(previous))), gates[1])
	})
}

// add adds x to y.
func (a *assembler) add() {
	a.begin("add", "y, x []float32", "")
	y, x := a.pointer("y"), a.pointer("x")
	a.forEach(a.length("x"), []string{y, x}, func(l lanes) { l.store(a.plus(l.load(y), l.load(x)), y) })
}

// reluGradient sets dz to dy where y is not 0, and to 0 elsewhere.
func (a *assembler) reluGradient() {
	a.begin("reluGradient", "dz, y, dy []float32", "")
	dz, y, dy := a.pointer("dz"), a.pointer("y"), a.pointer("dy")
	a.forEach(a.length("y"), []string{dz, y, dy}, func(l lanes) {
		l.store(a.without(l.load(dy), a.isZero(l.load(y))), dz)
	})
}

// adam takes one step on every parameter; see AdamStep of package kernel.
func (a *assembler) adam() {
	a.begin("adam", "parameters, gradient, m, v []float32, scale, beta1, beta2, size, epsilon float32", "")
	parameters, gradient, ms, vs := a.pointer("parameters"), a.pointer("gradient"), a.pointer("m"), a.pointer("v")
	scale, beta1, beta2 := a.broadcast("scale"), a.broadcast("beta1"), a.broadcast("beta2")
	size, epsilon := a.broadcast("size"), a.broadcast("epsilon")
	rest1, rest2 := a.minus(a.constant(1), beta1), a.minus(a.constant(1), beta2)
	rest1.fixed, rest2.fixed = true, true
	a.forEach(a.length("parameters"), []string{parameters, gradient, ms, vs}, func(l lanes) {
		g := a.times(l.load(gradient), scale)
		m := a.fuse(a.times(l.load(ms), beta1), g, rest1)
		l.store(m, ms)
		v := a.fuse(a.times(l.load(vs), beta2), a.times(g, g), rest2)
		l.store(v, vs)
		step := a.over(a.times(m, size), a.plus(a.sqrt(v), epsilon))
		l.store(a.minus(l.load(parameters), step), parameters)
	})
}

// infinity returns registers of -∞.
func (a *assembler) infinity(list []*vector) []*vector {
	for _, v := range list {
		a.constantTo(v, math.Float32bits(float32(math.Inf(-1))))
	}
	return list
}

func (a *assembler) zero(list []*vector) []*vector {
	for _, v := range list {
		a.emit("VEOR V%d.B16, V%d.B16, V%d.B16", v, v, v)
	}
	return list
}

// prefetch asks for every cache line that has a part of x, if lines have 64 bytes or more.
func (a *assembler) prefetch() {
	const line = 64
	a.begin("prefetch", "x []byte", "")
	x, last := a.pointer("x"), a.length("x")
	a.emit("ADD %s, %s", x, last)
	a.emit("AND $-%d, %s", line, x)
	a.label("line")
	a.emit("CMP %s, %s", last, x)
	a.emit("BHS done")
	a.emit("PRFM (%s), PLDL1KEEP", x)
	a.emit("ADD $%d, %s", line, x)
	a.emit("B line")
	a.label("done")
	a.emit("RET")
}
