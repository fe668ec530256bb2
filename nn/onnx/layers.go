package onnx

import (
	"fmt"
	"math"

	"croupier/nn"
)

// layer adds a layer's operators and returns the name of its outputs, [batch, Out]. A new kind of layer gets
// its case here.
func (g *graph) layer(layer nn.Layer, x string) string {
	switch l := layer.(type) {
	case *nn.DenseLayer:
		return g.dense(l, x)
	case *nn.LSTMLayer:
		return g.lstm(l, x)
	case *nn.AttentionLayer:
		return g.attention(l, x)
	}
	if g.err == nil {
		g.err = fmt.Errorf("layers of type %T have no operators", layer)
	}
	return x
}

func (g *graph) dense(l *nn.DenseLayer, x string) string {
	var parts []string
	for _, p := range l.Parts {
		parts = append(parts, g.add("Gemm", x, p.Weight.Name, p.Bias.Name))
	}
	y := g.concat(parts)
	if l.ReLU {
		return g.add("Relu", y)
	}
	return y
}

// lstm adds one step, gate by gate: the operator LSTM would want the gates in another order, transposed, and a
// dimension for time.
func (g *graph) lstm(l *nn.LSTMLayer, x string) string {
	h, c := g.states[0], g.states[1]
	g.states = g.states[2:]
	sums := g.add("Add", g.add("Gemm", x, l.W.Name, l.B.Name), g.add("MatMul", h, l.U.Name))
	gate := g.split(sums, 1, l.Hidden, l.Hidden, l.Hidden, l.Hidden)
	kept := g.add("Mul", g.add("Sigmoid", gate[1]), c)
	written := g.add("Mul", g.add("Sigmoid", gate[0]), g.add("Tanh", gate[2]))
	c = g.add("Add", kept, written)
	h = g.add("Mul", g.add("Sigmoid", gate[3]), g.add("Tanh", c))
	g.next = append(g.next, h, c)
	return h
}

// attention adds kernel.AttentionShape's formulas. The product of a token's one-hot vector with w is a row of w.
func (g *graph) attention(l *nn.AttentionLayer, x string) string {
	d := l.Size / l.Heads
	w := g.split(l.W.Name, 0, l.Features, l.Tokens)
	features := g.transpose(g.reshape(x, 0, l.Features, l.Tokens), 0, 2, 1)
	projections := g.add("Add", g.add("MatMul", features, w[0]), w[1])
	parts := g.split(projections, 2, l.Size, l.Size, l.Size, l.Output)
	byHead := func(part string, axes ...int64) string {
		return g.transpose(g.reshape(part, 0, l.Tokens, l.Heads, d), axes...)
	}
	scores := g.add("MatMul", byHead(parts[0], 0, 2, 1, 3), byHead(parts[1], 0, 2, 3, 1))
	scaled := g.add("Mul", scores, g.constant(float32(1/math.Sqrt(float64(d)))))
	shares := g.with("Softmax", []string{scaled}, integer("axis", -1))
	context := g.add("MatMul", shares, byHead(parts[2], 0, 2, 1, 3))
	joined := g.reshape(g.transpose(context, 0, 2, 1, 3), 0, l.Tokens, l.Size)
	y := g.add("Relu", g.add("Add", g.add("MatMul", joined, l.O.Name), parts[3]))
	return g.reshape(y, 0, l.Tokens*l.Output)
}
