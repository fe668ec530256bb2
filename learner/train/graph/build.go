package graph

import (
	"fmt"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"croupier/nn"
)

// kinds lists how each kind of layer becomes nodes of the graph.
var kinds = []kind{of(denseNode), of(lstmNode), of(attentionNode)}

// kind returns the node of a layer's outputs, [steps·rows, out], given that of its inputs,
// [steps·rows, in]. It returns false if the layer is of another kind.
type kind func(b *builder, layer nn.Layer, x *gorgonia.Node) (y *gorgonia.Node, ok bool)

func of[L nn.Layer](node func(b *builder, layer L, x *gorgonia.Node) *gorgonia.Node) kind {
	return func(b *builder, layer nn.Layer, x *gorgonia.Node) (*gorgonia.Node, bool) {
		l, ok := layer.(L)
		if !ok {
			return nil, false
		}
		return node(b, l, x), true
	}
}

// builder builds the network's nodes from its layout.
type builder struct {
	applier
	layout *nn.Layout
	kinds  []kind
	batch  *Batch // the largest one

	graph      *gorgonia.ExprGraph
	parameters gorgonia.Nodes // by index into Layout.Parameters
	reset      *gorgonia.Node // see resets; nil before its first use
	states     int            // number of initial states that have nodes
}

// newBuilder returns a builder with the parameter nodes, which are views of the weights; other inputs are the arrays of
// the batch.
func newBuilder(w *Weights, kinds []kind, batch *Batch) *builder {
	b := &builder{layout: w.layout, kinds: kinds, batch: batch, graph: gorgonia.NewGraph()}
	b.extent = &extent{weights: w, rows: batch.Rows, steps: batch.Steps}
	for _, p := range w.layout.Parameters {
		b.parameters = append(b.parameters, b.input(p.Name, p.Of(w.Flat), p.Shape...))
	}
	return b
}

// parameter returns the node of a layer's parameter.
func (b *builder) parameter(p nn.Parameter) *gorgonia.Node { return b.parameters[p.Index] }

// input adds an input whose value is data.
func (b *builder) input(name string, data []float32, shape ...int) *gorgonia.Node {
	value := tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data))
	return gorgonia.NewTensor(b.graph, tensor.Float32, len(shape),
		gorgonia.WithName(name), gorgonia.WithShape(shape...), gorgonia.WithValue(value))
}

// network returns the outputs of the policy heads and the value, [steps·rows, actions+1]. It walks the
// layers in the order of nn.Layers.All.
func (b *builder) network() *gorgonia.Node {
	layers := &b.layout.Layers
	parts := make([]*gorgonia.Node, len(layers.Branches))
	for i, branch := range layers.Branches {
		x := b.inputOf("observation."+branch.Name, b.batch.Observations[i], b.batch.Rows*b.batch.Steps)
		parts[i] = b.stack(x, branch.Layers)
	}
	x := b.stack(b.concat("observation", parts...), layers.Trunk)
	heads := make([]*gorgonia.Node, len(layers.Heads))
	for i, h := range layers.Heads {
		heads[i] = b.stack(x, h.Layers)
	}
	return b.concat("outputs", heads...)
}

// stack applies layers one after the other.
func (b *builder) stack(x *gorgonia.Node, layers []nn.Layer) *gorgonia.Node {
	for _, layer := range layers {
		x = b.node(layer, x)
	}
	return x
}

func (b *builder) node(layer nn.Layer, x *gorgonia.Node) *gorgonia.Node {
	if b.err != nil {
		return nil
	}
	for _, k := range b.kinds {
		if y, ok := k(b, layer, x); ok {
			return y
		}
	}
	b.err = fmt.Errorf("layers of type %T have no node", layer)
	return nil
}

// resets returns the node of the flags that mark where sequences begin, [steps·rows, 1].
func (b *builder) resets() *gorgonia.Node {
	if b.reset == nil {
		b.reset = b.inputOf("reset", b.batch.Reset, b.batch.Rows*b.batch.Steps)
	}
	return b.reset
}

// initialState adds the node of one part of a layer's recurrent states before step 0,
// [rows, width]. A layer takes the parts that its nn.Dimensions list, in the same order.
func (b *builder) initialState(name string) *gorgonia.Node {
	part := b.states
	b.states++
	return b.inputOf(name, b.batch.InitialState[part], b.batch.Rows)
}

// inputOf adds an input for an array of the batch, a matrix with the given number of rows.
func (b *builder) inputOf(name string, array []float32, rows int) *gorgonia.Node {
	return b.input(name, array, rows, len(array)/rows)
}
