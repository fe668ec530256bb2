package graph

import (
	"fmt"

	"gorgonia.org/gorgonia"
)

// concat puts matrices with a row for each decision side by side; it returns a single one
// unchanged.
func (a *applier) concat(name string, parts ...*gorgonia.Node) *gorgonia.Node {
	if a.err != nil {
		return nil
	}
	wrt := make([]bool, len(parts))
	for i, p := range parts {
		wrt[i] = trained(p)
	}
	return a.sideBySide(name, parts[0].Shape()[0], a.extent.decisions, wrt, parts)
}

// joined puts parameters with the given number of rows side by side, a vector as a row; it returns
// a single one unchanged.
func (a *applier) joined(name string, rows int, parameters gorgonia.Nodes) *gorgonia.Node {
	wrt := make([]bool, len(parameters))
	for i := range wrt {
		wrt[i] = true
	}
	return a.sideBySide(name, rows, func() int { return rows }, wrt, parameters)
}

// sideBySide puts matrices of at most capacity rows side by side. Of a run's rows it has the first
// ones, and gradients in the parts that wrt names.
func (a *applier) sideBySide(name string, capacity int, rows func() int, wrt []bool,
	parts gorgonia.Nodes) *gorgonia.Node {
	if a.err != nil || len(parts) == 1 {
		return parts[0]
	}
	width := 0
	for _, p := range parts {
		width += columnsOf(p)
	}
	o := newOp("concat "+name, capacity, width, func(y []float32, args [][]float32) {
		first := 0
		for _, part := range args {
			w := len(part) / capacity
			copyColumns(y[first:], width, part, w, w, rows())
			first += w
		}
	})
	o.wrt = wrt
	o.diff = func(a *applier, args gorgonia.Nodes, _, grad *gorgonia.Node) gorgonia.Nodes {
		grads := make(gorgonia.Nodes, len(args))
		first := 0
		for i, p := range args {
			if wrt[i] {
				grads[i] = a.columns(name, grad, rows, first, columnsOf(p))
			}
			first += columnsOf(p)
		}
		return grads
	}
	return a.apply(o, parts...)
}

// columnsOf is the number of columns of a matrix, or of a vector as a row.
func columnsOf(n *gorgonia.Node) int { return n.Shape()[n.Dims()-1] }

// columns is the matrix of columns first..first+width-1 of x, of which a run has the given number of rows.
func (a *applier) columns(name string, x *gorgonia.Node, rows func() int, first, width int) *gorgonia.Node {
	stride := x.Shape()[1]
	name = fmt.Sprintf("columns %s first=%d width=%d", name, first, width)
	o := newOp(name, x.Shape()[0], width, func(y []float32, args [][]float32) {
		copyColumns(y, width, args[0][first:], stride, width, rows())
	})
	return a.apply(o, x)
}
