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
	layout      *nn.Layout
	kinds       []kind
	rows, steps int // of the largest batch

	graph      *gorgonia.ExprGraph
	parameters gorgonia.Nodes // by index into Layout.Parameters
	feeds      []feed
	reset      *gorgonia.Node // see resets; nil before its first use
	states     int            // number of initial states that have nodes
}

// newBuilder returns a builder with the parameter nodes, which are views of flat.
func newBuilder(l *nn.Layout, kinds []kind, rows, steps int, flat []float32) *builder {
	b := &builder{layout: l, kinds: kinds, rows: rows, steps: steps, graph: gorgonia.NewGraph()}
	b.extent = &extent{rows: rows, steps: steps}
	for _, p := range l.Parameters {
		b.parameters = append(b.parameters, b.input(p.Name, p.Of(flat), p.Shape...))
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
		parts[i] = b.stack(b.observation("observation."+branch.Name, branch.Input), branch.Layers)
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

// observation adds an input for some columns of the observation; the graph itself never
// slices.
func (b *builder) observation(name string, spans []nn.Span) *gorgonia.Node {
	n, width, stride := b.rows*b.steps, 0, b.layout.Spec.ObservationSize
	for _, s := range spans {
		width += s.Size
	}
	data := make([]float32, n*width)
	b.feeds = append(b.feeds, func(batch *Batch) {
		first := 0
		for _, s := range spans {
			copyColumns(data[first:], width, batch.Observations[s.Offset:], stride, s.Size, batch.Rows*batch.Steps)
			first += s.Size
		}
	})
	return b.input(name, data, n, width)
}

// resets returns the node of the flags that mark where sequences begin, [steps·rows, 1].
func (b *builder) resets() *gorgonia.Node {
	if b.reset == nil {
		b.reset = b.copied("reset", b.rows*b.steps, 1, func(batch *Batch) []float32 { return batch.Reset })
	}
	return b.reset
}

// initialState adds the node of one part of a layer's recurrent states before step 0,
// [rows, width]. A layer takes the parts that its nn.Dimensions list, in the same order.
func (b *builder) initialState(name string, width int) *gorgonia.Node {
	part := b.states
	b.states++
	return b.copied(name, b.rows, width, func(batch *Batch) []float32 { return batch.InitialState[part] })
}

// copied adds an input for a whole array of the batch.
func (b *builder) copied(name string, rows, columns int, array func(*Batch) []float32) *gorgonia.Node {
	data := make([]float32, rows*columns)
	b.feeds = append(b.feeds, func(batch *Batch) { copy(data, array(batch)) })
	return b.input(name, data, rows, columns)
}
