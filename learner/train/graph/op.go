package graph

import (
	"fmt"
	"hash"
	"hash/fnv"
	"slices"

	"github.com/chewxy/hm"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// op is a fused operation: a function of float32 tensors and scalars with one
// result, a matrix or a scalar. It implements gorgonia.Op and gorgonia.SDOp.
//
// An op belongs to one node of one graph and owns the memory of its result, overwriting it
// in every run.
type op struct {
	// name contains the kind, the layer and all attributes. The graph takes two nodes with
	// equal names and equal inputs for the same node.
	name  string
	types []hm.Type    // of the inputs
	shape tensor.Shape // of the result
	// run computes the result from the inputs. A scalar is a slice of one element.
	run func(out []float32, in [][]float32)
	// wrt says in which inputs the op is differentiable; nil means in none.
	wrt []bool
	// diff applies the operations that compute the gradient in each input from the gradient
	// in the result, returning nil where wrt is false. It is nil if wrt is.
	diff func(a *applier, in gorgonia.Nodes, out, grad *gorgonia.Node) gorgonia.Nodes

	extent *extent
	out    []float32
	value  gorgonia.Value // the result: a tensor over out, or scalar
	scalar *gorgonia.F32  // nil for a matrix
	in     [][]float32
}

// newOp returns an op with a rows×columns matrix as its result.
func newOp(name string, rows, columns int, run func(out []float32, in [][]float32)) *op {
	return newOpIn(make([]float32, rows*columns), name, rows, columns, run)
}

// newOpIn is newOp with the memory of the result.
func newOpIn(out []float32, name string, rows, columns int, run func(out []float32, in [][]float32)) *op {
	o := &op{name: name, shape: tensor.Shape{rows, columns}, run: run, out: out}
	o.value = tensor.New(tensor.WithShape(rows, columns), tensor.WithBacking(o.out))
	return o
}

// newScalarOp returns an op with a scalar as its result.
func newScalarOp(name string, run func(out []float32, in [][]float32)) *op {
	o := &op{name: name, shape: tensor.ScalarShape(), run: run, out: make([]float32, 1), scalar: gorgonia.NewF32(0)}
	o.value = o.scalar
	return o
}

// Arity is the number of inputs.
func (o *op) Arity() int { return len(o.types) }

// Type is a function type from the types of the op's inputs.
func (o *op) Type() hm.Type {
	var result hm.Type = gorgonia.TensorType{Dims: o.shape.Dims(), Of: tensor.Float32}
	if o.scalar != nil {
		result = tensor.Float32
	}
	return hm.NewFnType(append(slices.Clone(o.types), result)...)
}

// InferShape returns the fixed shape of the result.
func (o *op) InferShape(...gorgonia.DimSizer) (tensor.Shape, error) { return o.shape, nil }

// Do runs the op. The result is valid until the next Do.
func (o *op) Do(inputs ...gorgonia.Value) (gorgonia.Value, error) {
	for i, v := range inputs {
		switch v := v.(type) {
		case *tensor.Dense:
			o.in[i] = v.Float32s()
		case *gorgonia.F32:
			o.in[i] = append(o.in[i][:0], float32(*v))
		default:
			return nil, fmt.Errorf("%s: input %d is a %T", o.name, i, v)
		}
	}
	o.run(o.out, o.in)
	if o.scalar != nil {
		*o.scalar = gorgonia.F32(o.out[0])
	}
	return o.value, nil
}

// ReturnsPtr reports that the result is not a copy.
func (o *op) ReturnsPtr() bool { return true }

// CallsExtern is false: no cgo.
func (o *op) CallsExtern() bool { return false }

// OverwritesInput is -1: no input is changed.
func (o *op) OverwritesInput() int { return -1 }

// WriteHash writes the name.
func (o *op) WriteHash(h hash.Hash) { fmt.Fprint(h, o.name) }

// Hashcode is the hash of the name.
func (o *op) Hashcode() uint32 {
	h := fnv.New32a()
	o.WriteHash(h)
	return h.Sum32()
}

func (o *op) String() string { return o.name }

// DiffWRT says in which inputs the op is differentiable.
func (o *op) DiffWRT(int) []bool { return o.wrt }

// SymDiff applies the operations of the gradient.
func (o *op) SymDiff(inputs gorgonia.Nodes, output, grad *gorgonia.Node) (gorgonia.Nodes, error) {
	a := applier{extent: o.extent}
	grads := o.diff(&a, inputs, output, grad)
	return grads, a.err
}

// applier applies operations until the first error, which it keeps; after that it returns
// nil nodes.
type applier struct {
	extent *extent
	err    error
}

func (a *applier) apply(o *op, inputs ...*gorgonia.Node) *gorgonia.Node {
	if a.err != nil {
		return nil
	}
	for _, n := range inputs {
		o.types = append(o.types, n.Type())
	}
	o.in, o.extent = make([][]float32, len(inputs)), a.extent
	node, err := gorgonia.ApplyOp(o, inputs...)
	if err != nil {
		a.err = fmt.Errorf("%s: %w", o.name, err)
	}
	return node
}

// trained reports whether a node depends on parameters and so needs a gradient: every node
// of the forward pass does, except the batch's own arrays.
func trained(n *gorgonia.Node) bool { return n.Op() != nil }
