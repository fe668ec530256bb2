package agentfile

import (
	"fmt"
	"math"

	. "croupier/engine/wasm/asm"
	"croupier/nn"
)

// forward is the forward pass: from what is at w.observation, it computes what is at w.outputs, and advances the memory
// at w.memory.
func (w *writer) forwardOf() (Function, error) {
	l, state := w.layout, w.memory
	var body Code
	stack := func(layers []nn.Layer, x int) int {
		for _, layer := range layers {
			var step Code
			step, x = w.layer(layer, x, state)
			body = append(body, step...)
			for _, size := range layer.Dimensions().State {
				state += 4 * size
			}
		}
		return x
	}
	features := w.room(4 * l.Layers.Concatenated)
	for i, at := 0, features; i < len(l.Layers.Branches); i++ {
		b := &l.Layers.Branches[i]
		from, width := 0, 0
		for _, span := range b.Columns() {
			width += span.Size
		}
		from = w.room(4 * width)
		to := from
		for _, span := range b.Columns() {
			body = append(body, Copy(Int(to), Int(w.observation+4*span.Offset), Int(4*span.Size))...)
			to += 4 * span.Size
		}
		y := stack(b.Layers, from)
		if n := len(b.Layers); n > 0 {
			width = b.Layers[n-1].Dimensions().Out
		}
		body = append(body, Copy(Int(at), Int(y), Int(4*width))...)
		at += 4 * width
	}
	features = stack(l.Layers.Trunk, features)
	to := w.outputs
	for _, head := range l.Layers.Heads {
		y := stack(head.Layers, features)
		width := 4 * head.Layers[len(head.Layers)-1].Dimensions().Out
		body = append(body, Copy(Int(to), Int(y), Int(width))...)
		to += width
	}
	return Function{Body: body}, w.err
}

// at is the address of a parameter.
func (w *writer) at(p nn.Parameter) Code { return Int(w.weights + 4*p.Offset) }

// layer computes a layer of the vector at an address. A new kind of layer gets its case here.
func (w *writer) layer(layer nn.Layer, x, state int) (c Code, y int) {
	switch l := layer.(type) {
	case *nn.DenseLayer:
		y = w.room(4 * l.Out)
		to := y
		for _, p := range l.Parts {
			n := p.Bias.Size()
			c = Join(c, Copy(Int(to), w.at(p.Bias), Int(4*n)),
				Call(w.affine, Int(to), Int(x), Int(l.In), Int(n), w.at(p.Weight)))
			to += 4 * n
		}
		if l.ReLU {
			c = Join(c, Call(w.relu, Int(y), Int(l.Out)))
		}
	case *nn.LSTMLayer:
		n := l.Hidden
		sums := w.room(16 * n)
		c = Join(Copy(Int(sums), w.at(l.B), Int(16*n)),
			Call(w.affine, Int(sums), Int(x), Int(l.In), Int(4*n), w.at(l.W)),
			Call(w.affine, Int(sums), Int(state), Int(n), Int(4*n), w.at(l.U)),
			Call(w.cell, Int(sums), Int(state), Int(n)))
		y = state // h
	case *nn.AttentionLayer:
		y = w.room(4 * l.Tokens * l.Output)
		c = Call(w.add(w.attention(l, x, y)))
	default:
		w.err = fmt.Errorf("layers of type %T cannot be written", layer)
	}
	return c, y
}

// attention is multi-head attention ([nn.AttentionLayer]) of the vector x, written to y.
func (w *writer) attention(l *nn.AttentionLayer, x, y int) Function {
	const t, u, head, i, dot, top, sum, first = 0, 1, 2, 3, 4, 5, 6, 7
	width, d := 3*l.Size+l.Output, l.Size/l.Heads
	rows, context, scores := w.room(4*l.Tokens*width), w.room(4*l.Size), w.room(8*l.Tokens)
	row := func(token int) Code { return Op(I32Add, Int(rows), Op(I32Mul, Get(token), Int(4*width))) }
	number := func(of int) Code { return Op(I32Shl, Get(of), Int(2)) }
	score := Op(I32Add, Int(scores), Op(I32Shl, Get(u), Int(3)))
	byToken := func(base, each int) Code { return Op(I32Add, Int(base), Op(I32Mul, Get(t), Int(each))) }

	var project Code // a row for each token: query, key, value and shortcut
	project = append(project, Copy(row(t), byToken(w.weights+4*(l.W.Offset+l.Features*width), 4*width), Int(4*width))...)
	for f := range l.Features {
		v := Load(F32Load, Op(I32Add, Int(x+4*f*l.Tokens), number(t)), 0)
		project = append(project, Call(w.addScaled, row(t), v, Int(w.weights+4*(l.W.Offset+f*width)), Int(width))...)
	}
	product := Op(F64Mul, read(Op(I32Add, Op(I32Add, row(t), Get(first)), number(i)), 0),
		read(Op(I32Add, Op(I32Add, row(u), Get(first)), number(i)), 4*l.Size))
	share := Op(F32DemoteF64, Op(F64Div, Load(F64Load, score, 0), Get(sum)))
	attend := Join(
		Set(first, Op(I32Mul, Get(head), Int(4*d))),
		Set(top, Float(math.Inf(-1))),
		For(u, Int(l.Tokens),
			Set(dot, Float(0)),
			For(i, Int(d), Set(dot, Op(F64Add, Get(dot), product))),
			Set(dot, Op(F64Div, Get(dot), Float(math.Sqrt(float64(d))))),
			Store(F64Store, score, 0, Get(dot)),
			Set(top, Op(F64Max, Get(top), Get(dot)))),
		Set(sum, Float(0)),
		For(u, Int(l.Tokens),
			Store(F64Store, score, 0, Call(w.exp, Op(F64Sub, Load(F64Load, score, 0), Get(top)))),
			Set(sum, Op(F64Add, Get(sum), Load(F64Load, score, 0)))),
		For(u, Int(l.Tokens), Call(w.addScaled, Op(I32Add, Int(context), Get(first)), share,
			Op(I32Add, Op(I32Add, row(u), Get(first)), Int(8*l.Size)), Int(d))),
	)
	out := byToken(y, 4*l.Output)
	return Function{Locals: []Type{I32, I32, I32, I32, F64, F64, F64, I32}, Body: Join(
		For(t, Int(l.Tokens), project),
		For(t, Int(l.Tokens),
			Fill(Int(context), Int(0), Int(4*l.Size)),
			For(head, Int(l.Heads), attend),
			Copy(out, Op(I32Add, row(t), Int(12*l.Size)), Int(4*l.Output)),
			Call(w.affine, out, Int(context), Int(l.Size), Int(l.Output), w.at(l.O)),
			Call(w.relu, out, Int(l.Output))),
	)}
}
