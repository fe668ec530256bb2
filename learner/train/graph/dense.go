package graph

import (
	"fmt"

	"gorgonia.org/gorgonia"

	"croupier/nn"
	"croupier/nn/kernel"
)

func denseNode(b *builder, l *nn.DenseLayer, x *gorgonia.Node) *gorgonia.Node {
	var weights, biases gorgonia.Nodes
	for _, p := range l.Parts {
		weights, biases = append(weights, b.parameter(p.Weight)), append(biases, b.parameter(p.Bias))
	}
	name := l.Parts[0].Weight.Name
	w, bias := b.joined(name, l.In, weights), b.joined(l.Parts[0].Bias.Name, 1, biases)
	return b.dense(name, x, w, bias, l.ReLU)
}

// dense is y = x·w + b, or with ReLU y = max(0, x·w + b): x is [n, in], w is [in, out], b
// is [out], y is [n, out].
func (a *applier) dense(name string, x, w, b *gorgonia.Node, relu bool) *gorgonia.Node {
	if a.err != nil {
		return nil
	}
	in, out, extent := w.Shape()[0], w.Shape()[1], a.extent
	zeros := a.mayBeZero(x)
	weight := extent.weights.factor(name, w, false)
	o := newOp(fmt.Sprintf("dense %s relu=%t", name, relu), x.Shape()[0], out, func(y []float32, args [][]float32) {
		n := extent.decisions()
		if rows := (kernel.Rows{Data: args[0], Stride: in}); zeros && kernel.MostlyZero(rows, in) {
			kernel.SparseAffine(kernel.Rows{Data: y, Stride: out}, rows, n, args[1], args[2], relu)
			return
		}
		weight.Affine(kernel.NewMatrix(y, n, out), kernel.NewMatrix(args[0], n, in), args[2], relu, &weight.scratch)
	})
	o.wrt = []bool{trained(x), true, true}
	o.diff = func(a *applier, args gorgonia.Nodes, y, grad *gorgonia.Node) gorgonia.Nodes {
		if relu {
			grad = a.reluGradient(name, y, grad)
		}
		return gorgonia.Nodes{
			a.inputGradient(name, args[0], args[1], grad),
			a.weightGradient(name, args[0], grad),
			a.biasGradient(name, grad),
		}
	}
	return a.apply(o, x, w, b)
}

// reluGradient is dz = dy where y > 0, else 0.
func (a *applier) reluGradient(name string, y, dy *gorgonia.Node) *gorgonia.Node {
	width, extent := y.Shape()[1], a.extent
	return a.apply(newOp("relu gradient "+name, y.Shape()[0], width, func(dz []float32, args [][]float32) {
		n := extent.decisions() * width
		kernel.ReLUGradient(dz[:n], args[0][:n], args[1][:n])
	}), y, dy)
}

// inputGradient is dx = dz·wᵀ, or nil if x needs no gradient.
func (a *applier) inputGradient(name string, x, w, dz *gorgonia.Node) *gorgonia.Node {
	if a.err != nil || !trained(x) {
		return nil
	}
	in, out, extent := w.Shape()[0], w.Shape()[1], a.extent
	transposed := extent.weights.factor(name, w, true)
	return a.apply(newOp("input gradient "+name, x.Shape()[0], in, func(dx []float32, args [][]float32) {
		n := extent.decisions()
		transposed.Product(kernel.NewMatrix(dx, n, in), kernel.NewMatrix(args[0], n, out), &transposed.scratch)
	}), dz)
}

// weightGradient is dw = xᵀ·dz.
func (a *applier) weightGradient(name string, x, dz *gorgonia.Node) *gorgonia.Node {
	if a.err != nil {
		return nil
	}
	in, out, extent := x.Shape()[1], dz.Shape()[1], a.extent
	zeros := a.mayBeZero(x)
	multiplier := kernel.NewMultiplier(1, a.extent.weights.precision)
	return a.apply(newOp("weight gradient "+name, in, out, func(dw []float32, args [][]float32) {
		n := extent.decisions()
		if rows := (kernel.Rows{Data: args[0], Stride: in}); zeros && kernel.MostlyZero(rows, in) {
			clear(dw)
			kernel.AddSparseOuter(dw, rows, args[1][:n*out], n)
			return
		}
		x := kernel.NewMatrix(args[0], n, in)
		multiplier.Product(kernel.NewMatrix(dw, in, out), x.T(), kernel.NewMatrix(args[1], n, out))
	}), x, dz)
}

// mayBeZero reports whether most values of x may be 0, as in observations, and leaving them out is possible.
func (a *applier) mayBeZero(x *gorgonia.Node) bool {
	return !trained(x) && a.extent.weights.precision == kernel.FP32
}

// biasGradient is db, the sum of the rows of dz.
func (a *applier) biasGradient(name string, dz *gorgonia.Node) *gorgonia.Node {
	if a.err != nil {
		return nil
	}
	extent := a.extent
	return a.apply(newOp("bias gradient "+name, 1, dz.Shape()[1], func(db []float32, args [][]float32) {
		setColumnSums(db, args[0][:extent.decisions()*len(db)])
	}), dz)
}
