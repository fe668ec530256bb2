package graph

import (
	"fmt"

	"gorgonia.org/gorgonia"

	"croupier/nn"
	"croupier/nn/kernel"
)

func attentionNode(b *builder, l *nn.AttentionLayer, x *gorgonia.Node) *gorgonia.Node {
	if trained(x) {
		b.err = fmt.Errorf("%s: attention reads the observation alone, not what other layers give", l.W.Name)
		return nil
	}
	return b.attention(l.W.Name, l.AttentionShape, x, b.parameter(l.W), b.parameter(l.O))
}

// attention is multi-head attention over tokens of the observation as one operation,
// kernel.AttentionShape on every row: x is [n, features·tokens], feature by feature, w
// [features+tokens, columns], o [size, output]; the result is [n, tokens·output]. There is
// no gradient in x, which belongs to the batch.
//
// The matrices between input and result would be much larger than either, so each row
// computes its own in a small memory and discards them; the gradient recomputes them.
func (a *applier) attention(name string, s kernel.AttentionShape, x, w, o *gorgonia.Node) *gorgonia.Node {
	if a.err != nil {
		return nil
	}
	in, out, extent := s.Features*s.Tokens, s.Tokens*s.Output, a.extent
	weights, memory := kernel.NewAttentionWeights(s), kernel.NewAttention(s)
	op := newOp(fmt.Sprintf("attention %s %+v", name, s), x.Shape()[0], out, func(y []float32, args [][]float32) {
		weights.Pack(args[1], args[2])
		for i := range extent.decisions() {
			memory.Forward(weights, y[i*out:][:out], args[0][i*in:][:in])
		}
	})
	op.wrt = []bool{false, true, true}
	op.diff = func(a *applier, args gorgonia.Nodes, _, grad *gorgonia.Node) gorgonia.Nodes {
		do := make([]float32, s.Size*s.Output)
		dw := a.attentionGradient(name, s, do, args, grad)
		return gorgonia.Nodes{nil, dw, a.attentionOutputGradient(name, s, do, dw)}
	}
	return a.apply(op, x, w, o)
}

// attentionGradient is the gradient in w. It leaves the gradient in o in do.
func (a *applier) attentionGradient(
	name string, s kernel.AttentionShape, do []float32, args gorgonia.Nodes, grad *gorgonia.Node,
) *gorgonia.Node {
	in, out, extent := s.Features*s.Tokens, s.Tokens*s.Output, a.extent
	gradient := kernel.NewAttentionGradient(s)
	run := func(dw []float32, args [][]float32) {
		x, dy := args[0], args[3]
		clear(dw)
		clear(do)
		gradient.Pack(args[1], args[2])
		for i := range extent.decisions() {
			gradient.Add(dw, do, x[i*in:][:in], dy[i*out:][:out])
		}
	}
	return a.apply(newOp("attention gradient "+name, s.Features+s.Tokens, s.Columns(), run), append(args, grad)...)
}

// attentionOutputGradient is the gradient in o. dw is an input only to make it run first.
func (a *applier) attentionOutputGradient(
	name string, s kernel.AttentionShape, do []float32, dw *gorgonia.Node,
) *gorgonia.Node {
	return a.apply(newOp("attention output gradient "+name, s.Size, s.Output, func(dst []float32, _ [][]float32) {
		copy(dst, do)
	}), dw)
}
