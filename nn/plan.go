package nn

import (
	"slices"

	"croupier/nn/kernel"
)

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
	var features kernel.Rows
	if len(l.Trunk) == 0 {
		features = p.concatenation(l.Branches, readers...)
	} else {
		x := p.concatenation(l.Branches, l.Trunk[0])
		features = p.inputs(readers...)
		p.stack(l.Trunk, x, features)
	}
	for _, h := range l.Heads {
		p.stack(h.Layers, features, e.outputs.From(h.First))
	}
	return p
}

// concatenation plans the branches and returns their outputs, side by side, for the readers.
func (p *plan) concatenation(branches []Branch, readers ...Layer) kernel.Rows {
	if len(branches) == 1 && len(branches[0].Layers) == 0 {
		return p.observed(branches[0].Columns(), readers...)
	}
	y := p.inputs(readers...)
	column := 0
	for _, b := range branches {
		if dst := y.From(column); len(b.Layers) == 0 {
			p.copy(b.Columns(), dst)
		} else {
			p.stack(b.Layers, p.observed(b.Columns(), b.Layers[0]), dst)
		}
		column += b.Width()
	}
	return y
}

// observed returns columns of the observation, side by side, for the readers: where they are, if they are
// neighbours and no reader needs room behind them, else a copy.
func (p *plan) observed(columns []Span, readers ...Layer) kernel.Rows {
	room := slices.ContainsFunc(readers, func(l Layer) bool { return l.Dimensions().Room > 0 })
	if len(columns) == 1 && !room {
		return p.evaluator.observations.From(columns[0].Offset)
	}
	x := p.inputs(readers...)
	p.copy(columns, x)
	return x
}

// copy plans copies of columns of the observation.
func (p *plan) copy(columns []Span, dst kernel.Rows) {
	for _, s := range columns {
		p.copies = append(p.copies, copyStep{s, dst})
		dst = dst.From(s.Size)
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
