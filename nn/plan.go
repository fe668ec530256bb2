package nn

import "croupier/nn/kernel"

// plan holds the layers as steps between buffers, in order of execution.
type plan struct {
	copies []copyStep // observation columns to the inputs of the branches
	steps  []Step     // by layer, in the order of Layers.All

	evaluator *Evaluator
	maxBatch  int
	stateSize int // of the layers planned so far
}

// copyStep copies columns of the observation to the beginning of dst's rows.
type copyStep struct {
	from Span
	dst  kernel.Rows
}

// newPlan plans the layers of the evaluator's network, from its observations to its
// logits and values.
func newPlan(e *Evaluator, maxBatch int) plan {
	p := plan{evaluator: e, maxBatch: maxBatch}
	l := &e.network.Layout.Layers
	var readers []Layer // of the features
	for _, h := range l.Heads {
		readers = append(readers, h.Layers[0])
	}
	features := p.inputs(readers...)
	concatenation := features
	if len(l.Trunk) > 0 {
		concatenation = p.inputs(l.Trunk[0])
	}
	column := 0
	for _, b := range l.Branches {
		p.branch(b, concatenation.From(column))
		column += b.Width()
	}
	p.stack(l.Trunk, concatenation, features)
	for _, h := range l.Heads {
		p.stack(h.Layers, features, e.outputs.From(h.First))
	}
	return p
}

// branch plans the branch's layers, or the copy of its inputs if it has none, with dst as
// the output.
func (p *plan) branch(b Branch, dst kernel.Rows) {
	x := dst
	if len(b.Layers) > 0 {
		x = p.inputs(b.Layers[0])
	}
	p.stack(b.Layers, x, dst)
	for _, s := range b.Input {
		p.copies = append(p.copies, copyStep{s, x})
		x = x.From(s.Size)
	}
}

// stack plans layers one after the other, from x to dst.
func (p *plan) stack(layers []Layer, x, dst kernel.Rows) {
	for i, layer := range layers {
		y := dst
		if i < len(layers)-1 {
			y = p.inputs(layers[i+1])
		}
		b := Buffers{MaxBatch: p.maxBatch, X: x, Y: y, States: p.states(layer.Dimensions())}
		p.steps = append(p.steps, layer.NewStep(b))
		x = y
	}
}

// inputs returns a buffer for the inputs of layers that read the same values, including the
// room they need.
func (p *plan) inputs(readers ...Layer) kernel.Rows {
	width := 0
	for _, layer := range readers {
		d := layer.Dimensions()
		width = max(width, d.In+d.Room)
	}
	return kernel.MakeRows(p.maxBatch, width)
}

// states reserves the next columns of the recurrent states for a layer.
func (p *plan) states(d Dimensions) States {
	s := States{evaluator: p.evaluator, first: p.stateSize, size: sum(d.State)}
	p.stateSize += s.size
	return s
}
