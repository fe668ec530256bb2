package graph

import (
	"fmt"

	"gorgonia.org/gorgonia"
)

// concat puts matrices with equal numbers of rows side by side; it returns a single one
// unchanged.
func (a *applier) concat(name string, parts ...*gorgonia.Node) *gorgonia.Node {
	if a.err != nil || len(parts) == 1 {
		return parts[0]
	}
	capacity, width, extent := parts[0].Shape()[0], 0, a.extent
	wrt := make([]bool, len(parts))
	for i, p := range parts {
		width += p.Shape()[1]
		wrt[i] = trained(p)
	}
	o := newOp("concat "+name, capacity, width, func(y []float32, args [][]float32) {
		first := 0
		for _, part := range args {
			w := len(part) / capacity
			copyColumns(y[first:], width, part, w, w, extent.decisions())
			first += w
		}
	})
	o.wrt = wrt
	o.diff = func(a *applier, args gorgonia.Nodes, _, grad *gorgonia.Node) gorgonia.Nodes {
		grads := make(gorgonia.Nodes, len(args))
		first := 0
		for i, p := range args {
			w := p.Shape()[1]
			if wrt[i] {
				grads[i] = a.columns(name, grad, first, w)
			}
			first += w
		}
		return grads
	}
	return a.apply(o, parts...)
}

// columns is the matrix of columns first..first+width-1 of x.
func (a *applier) columns(name string, x *gorgonia.Node, first, width int) *gorgonia.Node {
	stride, extent := x.Shape()[1], a.extent
	name = fmt.Sprintf("columns %s first=%d width=%d", name, first, width)
	o := newOp(name, x.Shape()[0], width, func(y []float32, args [][]float32) {
		copyColumns(y, width, args[0][first:], stride, width, extent.decisions())
	})
	return a.apply(o, x)
}
