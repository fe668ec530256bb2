package graph

import (
	"fmt"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"croupier/nn"
)

// builder builds the network's nodes from its layout.
type builder struct {
	applier
	layout      *nn.Layout
	rows, steps int

	graph      *gorgonia.ExprGraph
	parameters gorgonia.Nodes // by index into Layout.Parameters
	feeds      []feed
}

// newBuilder returns a builder with the parameter nodes, which are views of flat.
func newBuilder(l *nn.Layout, rows, steps int, flat []float32) *builder {
	b := &builder{layout: l, rows: rows, steps: steps, graph: gorgonia.NewGraph()}
	for i, p := range l.Parameters {
		b.parameters = append(b.parameters, b.input(p.Name, l.Slice(flat, i), p.Shape...))
	}
	return b
}

// input adds an input whose value is kept in data.
func (b *builder) input(name string, data []float32, shape ...int) *gorgonia.Node {
	value := tensor.New(tensor.WithShape(shape...), tensor.WithBacking(data))
	return gorgonia.NewTensor(b.graph, tensor.Float32, len(shape), gorgonia.WithName(name), gorgonia.WithShape(shape...), gorgonia.WithValue(value))
}

// network returns the logits [steps·rows, actions] and the values [steps·rows, 1].
func (b *builder) network() (logits, values *gorgonia.Node) {
	layers := &b.layout.Layers
	x := b.stack(b.concatenation(), layers.Dense)
	if len(layers.LSTM) > 0 {
		x = b.recurrent(x)
	}
	heads := make([]*gorgonia.Node, len(layers.Policy))
	for i, h := range layers.Policy {
		heads[i] = b.stack(x, h.Dense)
	}
	return b.concat("logits", heads...), b.stack(x, layers.Value)
}

// concatenation returns the outputs of the encoders and of the attention and the
// direct observation, side by side.
func (b *builder) concatenation() *gorgonia.Node {
	var parts []*gorgonia.Node
	for i, e := range b.layout.Layers.Encoders {
		parts = append(parts, b.stack(b.observation(fmt.Sprintf("observation.encoder.%d", i), e.Input), e.Dense))
	}
	if at := b.layout.Layers.Attention; at != nil {
		x := b.observation("observation.attention", at.Input)
		parts = append(parts, b.attention("attention", at.AttentionShape, x, b.parameters[at.W], b.parameters[at.O]))
	}
	if direct := b.layout.Layers.Direct; len(direct) > 0 {
		parts = append(parts, b.observation("observation.direct", direct))
	}
	return b.concat("observation", parts...)
}

// observation adds an input for some columns of the observation: the graph itself
// never slices.
func (b *builder) observation(name string, spans []nn.Span) *gorgonia.Node {
	n, width, stride := b.rows*b.steps, 0, b.layout.Spec.ObservationSize
	for _, s := range spans {
		width += s.Size
	}
	data := make([]float32, n*width)
	b.feeds = append(b.feeds, func(batch *Batch) {
		first := 0
		for _, s := range spans {
			copyColumns(data[first:], width, batch.Observations[s.Offset:], stride, s.Size, n)
			first += s.Size
		}
	})
	return b.input(name, data, n, width)
}

func (b *builder) stack(x *gorgonia.Node, layers []nn.DenseLayer) *gorgonia.Node {
	for _, d := range layers {
		x = b.dense(b.layout.Parameters[d.Weight].Name, x, b.parameters[d.Weight], b.parameters[d.Bias], d.ReLU)
	}
	return x
}

func (b *builder) recurrent(x *gorgonia.Node) *gorgonia.Node {
	n := b.rows * b.steps
	reset := b.copied("reset", n, 1, func(batch *Batch) []float32 { return batch.Reset })
	for i, r := range b.layout.Layers.LSTM {
		name := b.layout.Parameters[r.W].Name
		h := b.copied(name+".hidden", b.rows, r.Hidden, func(batch *Batch) []float32 { return batch.InitialState[2*i] })
		c := b.copied(name+".cell", b.rows, r.Hidden, func(batch *Batch) []float32 { return batch.InitialState[2*i+1] })
		x = b.lstm(name, b.steps, x, b.parameters[r.W], b.parameters[r.U], b.parameters[r.B], h, c, reset)
	}
	return x
}

// copied adds an input for a whole array of the batch.
func (b *builder) copied(name string, rows, columns int, array func(*Batch) []float32) *gorgonia.Node {
	data := make([]float32, rows*columns)
	b.feeds = append(b.feeds, func(batch *Batch) { copy(data, array(batch)) })
	return b.input(name, data, rows, columns)
}
