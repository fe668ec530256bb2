package agentfile

import (
	"math"

	. "croupier/engine/wasm/asm"
)

// maths are functions that the forward pass needs, by their indices. Vectors are numbers of type F32 in memory.
type maths struct{ exp, sigmoid, addScaled, affine, relu, cell int }

func (w *writer) writeMaths() {
	w.exp = w.add(exponential())
	w.sigmoid = w.add(w.sigmoidOf())
	w.addScaled = w.add(addScaled())
	w.affine = w.add(w.affineOf())
	w.relu = w.add(relu())
	w.cell = w.add(w.cellOf())
}

// terms of the power series, enough for |x| ≤ ln 2 / 2.
const terms = 13

// exponential is e^x to about 15 digits: 2^k · e^r with x = k · ln 2 + r. Beyond ±700 it stays what it is there.
func exponential() Function {
	const x, k, sum = 0, 1, 2
	const high, low = 0x1.62e42feep-1, 0x1.a39ef35793c76p-33 // of ln 2; k · high is exact
	body := Join(
		Set(x, Op(F64Min, Op(F64Max, Get(x), Float(-700)), Float(700))),
		Set(k, Op(F64Nearest, Op(F64Mul, Get(x), Float(math.Log2E)))),
		Set(x, Op(F64Sub, Op(F64Sub, Get(x), Op(F64Mul, Get(k), Float(high))), Op(F64Mul, Get(k), Float(low)))),
		Set(sum, Float(1)),
	)
	for i := terms; i > 0; i-- {
		body = append(body, Set(sum, Op(F64Add, Float(1), Op(F64Div, Op(F64Mul, Get(sum), Get(x)), Float(float64(i)))))...)
	}
	power := Op(F64ReinterpretI64, Op(I64Shl, Op(I64Add, Op(I64TruncF64S, Get(k)), Long(1023)), Long(52)))
	return Function{Parameters: []Type{F64}, Results: []Type{F64}, Locals: []Type{F64, F64},
		Body: append(body, Op(F64Mul, Get(sum), power)...)}
}

// sigmoidOf is 1 / (1 + e^-x).
func (w *writer) sigmoidOf() Function {
	return Function{Parameters: []Type{F64}, Results: []Type{F64}, Body: Op(F64Div, Float(1),
		Op(F64Add, Float(1), Call(w.exp, Op(F64Sub, Float(0), Get(0)))))}
}

// tanh is 2σ(2x) − 1.
func (w *writer) tanh(x Code) Code {
	return Op(F64Sub, Op(F64Mul, Float(2), Call(w.sigmoid, Op(F64Mul, Float(2), x))), Float(1))
}

// next advances an address by one number.
func next(local int) Code { return Set(local, Op(I32Add, Get(local), Int(4))) }

// addScaled adds v·x to y, vectors of n numbers: (y, v, x, n).
func addScaled() Function {
	const y, v, x, n, i = 0, 1, 2, 3, 4
	product := Op(F32Mul, Get(v), Load(F32Load, Get(x), 0))
	return Function{Parameters: []Type{I32, F32, I32, I32}, Locals: []Type{I32}, Body: For(i, Get(n),
		Store(F32Store, Get(y), 0, Op(F32Add, Load(F32Load, Get(y), 0), product)), next(y), next(x),
	)}
}

// affineOf adds x·w to y, where w has a row of m numbers for each of the n of x: (y, x, n, m, w).
func (w *writer) affineOf() Function {
	const y, x, n, m, weights, i, v = 0, 1, 2, 3, 4, 5, 6
	return Function{Parameters: []Type{I32, I32, I32, I32, I32}, Locals: []Type{I32, F32}, Body: For(i, Get(n),
		Set(v, Load(F32Load, Get(x), 0)),
		If(Op(F32Ne, Get(v), Op(F32DemoteF64, Float(0))), Call(w.addScaled, Get(y), Get(v), Get(weights), Get(m))),
		next(x), Set(weights, Op(I32Add, Get(weights), Op(I32Shl, Get(m), Int(2)))),
	)}
}

// relu makes what is below 0 in y 0: (y, n).
func relu() Function {
	const y, n, i = 0, 1, 2
	positive := Op(F32Max, Load(F32Load, Get(y), 0), Op(F32DemoteF64, Float(0)))
	return Function{Parameters: []Type{I32, I32}, Locals: []Type{I32},
		Body: For(i, Get(n), Store(F32Store, Get(y), 0, positive), next(y))}
}

// read is a number of a vector as F64.
func read(address Code, offset int) Code { return Op(F64PromoteF32, Load(F32Load, address, offset)) }

// write writes one.
func write(address Code, offset int, v Code) Code {
	return Store(F32Store, address, offset, Op(F32DemoteF64, v))
}

// cellOf makes a step of an LSTM of n units: (sums, state, n). The sums of the gates are input, forget, cell and
// output, and the state is h and c.
func (w *writer) cellOf() Function {
	const sums, state, n, i, c, stride = 0, 1, 2, 3, 4, 5
	gate := func(k int) Code {
		return read(Op(I32Add, Get(sums), Op(I32Mul, Get(stride), Int(k))), 0)
	}
	cellAt := Op(I32Add, Get(state), Get(stride))
	kept := Op(F64Mul, Call(w.sigmoid, gate(1)), read(cellAt, 0))
	added := Op(F64Mul, Call(w.sigmoid, gate(0)), w.tanh(gate(2)))
	return Function{Parameters: []Type{I32, I32, I32}, Locals: []Type{I32, F64, I32}, Body: Join(
		Set(stride, Op(I32Shl, Get(n), Int(2))),
		For(i, Get(n),
			Set(c, Op(F64Add, kept, added)),
			write(cellAt, 0, Get(c)),
			write(Get(state), 0, Op(F64Mul, Call(w.sigmoid, gate(3)), w.tanh(Get(c)))),
			next(sums), next(state),
		))}
}
