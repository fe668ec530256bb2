package nn

import (
	"fmt"
	"slices"

	"croupier/engine"
)

// Carry returns parameters for a layout with which its network computes what another one does: those of the other, and
// 0 for what is read of segments of the observation, or parts of them, that the other does not have. The error says
// what does not fit: apart from what they observe, both must have the same layers and actions.
func (l *Layout) Carry(from *Network) ([]float32, error) {
	old := from.Layout
	if l.Description.ActionValues() != old.Description.ActionValues() {
		return nil, fmt.Errorf("one has action values and the other a policy")
	}
	if len(l.Parameters) != len(old.Parameters) {
		return nil, fmt.Errorf("it has other layers")
	}
	rows, oldRows := l.inputs(), old.inputs()
	weights := make([]float32, l.Size)
	for i, p := range l.Parameters {
		q := old.Parameters[i]
		if p.Name != q.Name {
			return nil, fmt.Errorf("it has the layer %s in place of %s", q.Name, p.Name)
		}
		to, values := p.Of(weights), q.Of(from.Weights)
		reads, oldReads := rows[p.Index], oldRows[q.Index]
		switch {
		case slices.Equal(p.Shape, q.Shape) && slices.Equal(reads, oldReads):
			copy(to, values)
		case reads == nil || oldReads == nil || !slices.Equal(p.Shape[1:], q.Shape[1:]):
			return nil, fmt.Errorf("its %s has the shape %v instead of %v", q.Name, q.Shape, p.Shape)
		default:
			width := product(p.Shape[1:])
			for row, input := range oldReads {
				at := slices.Index(reads, input)
				if at < 0 {
					return nil, fmt.Errorf("it reads value %d of %s, which is not observed here", input.column, input.of)
				}
				copy(to[at*width:][:width], values[row*width:][:width])
			}
		}
	}
	return weights, nil
}

// input is what a row of a weight matrix belongs to: a column of a segment of the observation, or of a branch's output.
type input struct {
	of     string
	column int
}

// inputs returns what the rows belong to of each parameter, by its index, that is multiplied with columns of the
// observation.
func (l *Layout) inputs() map[int][]input {
	of := map[int][]input{}
	var concatenation []input
	for _, b := range l.Layers.Branches {
		var reads []input
		for _, span := range b.Input {
			reads = append(reads, columns(l.Spec, span)...)
		}
		if len(b.Layers) == 0 {
			concatenation = append(concatenation, reads...)
			continue
		}
		l.multiplied(b.Layers[0], reads, of)
		for column := range b.Width() {
			concatenation = append(concatenation, input{"the branch " + b.Name, column})
		}
	}
	first := l.Layers.Trunk
	for _, h := range l.Layers.Heads {
		if len(l.Layers.Trunk) > 0 {
			break
		}
		first = append(first, h.Layers[0])
	}
	for i, layer := range first {
		if i == 0 || len(l.Layers.Trunk) == 0 {
			l.multiplied(layer, concatenation, of)
		}
	}
	return of
}

// multiplied notes what the rows of a layer's weights belong to, if they are one for each of its inputs.
func (l *Layout) multiplied(layer Layer, reads []input, of map[int][]input) {
	switch layer := layer.(type) {
	case *DenseLayer:
		for _, p := range layer.Parts {
			of[p.Weight.Index] = reads
		}
	case *LSTMLayer:
		of[layer.W.Index] = reads
	}
}

// columns lists the columns of a span of the observation.
func columns(spec *engine.Spec, span Span) (list []input) {
	for _, s := range spec.Segments {
		for column := range s.Size {
			if at := s.Offset + column; at >= span.Offset && at < span.Offset+span.Size {
				list = append(list, input{s.Name, column})
			}
		}
	}
	return list
}
