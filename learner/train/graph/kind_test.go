package graph

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gorgonia.org/gorgonia"

	"croupier/nn"
	"croupier/nn/kernel"
	"croupier/nn/nntest"
)

// This file is all there is of a kind of layer that neither this package nor nn knows:
// parameters, memory, room after its inputs, forward pass and nodes.

// traceLayer outputs fading traces of its inputs, each with a factor of its own:
//
//	h ← x + d∘h
//
// Its parameter is "d" [width], its recurrent state [h].
type traceLayer struct {
	width int
	d     nn.Parameter
}

func (l *traceLayer) Dimensions() nn.Dimensions {
	return nn.Dimensions{In: l.width, Out: l.width, Room: l.width, State: []int{l.width}}
}

func (l *traceLayer) Init(flat []float32, _ uint64) {
	d := l.d.Of(flat)
	for i := range d {
		d[i] = 0.5
	}
}

func (l *traceLayer) Pack(flat []float32) nn.Packed { return l.d.Of(flat) }

func (l *traceLayer) NewStep(b nn.Buffers) nn.Step {
	return func(weights nn.Packed, rows int) {
		d := weights.([]float32)
		for row := range rows {
			x, h := b.X.Row(row, 2*l.width), b.States.Row(row)
			faded := x[l.width:]
			for i := range faded {
				faded[i] = d[i] * h[i]
				h[i] = x[i] + faded[i]
			}
			copy(b.Y.Row(row, l.width), h)
		}
	}
}

// traceNode is the layer as one operation, with two more for its gradient.
func traceNode(b *builder, l *traceLayer, x *gorgonia.Node) *gorgonia.Node {
	name, width, extent := l.d.Name, l.width, b.extent
	n := b.batch.Rows * b.batch.Steps
	faded := make([]float32, n*width) // h before each decision, 0 where a sequence begins
	o := newOp("trace "+name, n, width, func(h []float32, args [][]float32) {
		x, d, state, reset := args[0], args[1], args[2][:extent.rows*width], args[3]
		for i := range h[:extent.decisions()*width] {
			switch {
			case reset[i/width] != 0:
				faded[i] = 0
			case i < len(state):
				faded[i] = state[i]
			default:
				faded[i] = h[i-len(state)]
			}
			h[i] = x[i] + d[i%width]*faded[i]
		}
	})
	o.wrt = []bool{trained(x), true, false, false}
	o.diff = func(a *applier, in gorgonia.Nodes, out, grad *gorgonia.Node) gorgonia.Nodes {
		dx := a.apply(newOp("trace gradient "+name, n, width, func(dh []float32, args [][]float32) {
			copy(dh, args[0])
			for i := extent.decisions()*width - 1; i >= extent.rows*width; i-- {
				if args[2][i/width] == 0 {
					dh[i-extent.rows*width] += args[1][i%width] * dh[i]
				}
			}
		}), grad, in[1], in[3], out)
		dd := a.apply(newOp("trace factor gradient "+name, 1, width, func(dd []float32, args [][]float32) {
			clear(dd)
			for i, g := range args[0][:extent.decisions()*width] {
				dd[i%width] += g * faded[i]
			}
		}), dx)
		if !trained(in[0]) {
			return gorgonia.Nodes{nil, dd, nil, nil}
		}
		return gorgonia.Nodes{dx, dd, nil, nil}
	}
	reset := b.resets()
	return b.apply(o, x, b.parameter(l.d), b.initialState(name+".state"), reset)
}

func (r reference) trace(l *traceLayer, x, h []float64) []float64 {
	for i, d := range r.values(l.d) {
		h[i] = x[i] + d*h[i]
	}
	return slices.Clone(h)
}

// testKinds lists the program's kinds and the one in this file.
var testKinds = append(slices.Clone(kinds), of(traceNode))

// withTraces returns the network with traces after its branches and its trunk, and before
// all layers of the first head and of the last, which share their inputs.
func withTraces(t testing.TB, d nn.Description) *nn.Layout {
	l := newLayout(t, d, nntest.Spec)
	traces := 0
	trace := func(layers []nn.Layer, at, width int) []nn.Layer {
		parameter := l.Parameters.Add(fmt.Sprintf("trace.%d", traces), width)
		traces++
		return slices.Insert(layers, at, nn.Layer(&traceLayer{width, parameter}))
	}
	for i := range l.Layers.Branches {
		b := &l.Layers.Branches[i]
		b.Layers = trace(b.Layers, len(b.Layers), b.Width())
	}
	l.Layers.Trunk = trace(l.Layers.Trunk, len(l.Layers.Trunk), l.Layers.Features)
	for i := range l.Layers.Heads {
		h := &l.Layers.Heads[i]
		if i == 0 || i == len(l.Layers.Heads)-1 {
			h.Layers = trace(h.Layers, 0, l.Layers.Features)
		}
	}

	l.Size, l.States, l.StateSize = l.Parameters.Size(), nil, 0
	for _, layer := range l.Layers.All() {
		for _, size := range layer.Dimensions().State {
			l.States = append(l.States, size)
			l.StateSize += size
		}
	}
	return l
}

func TestUnknownKindOfLayer(t *testing.T) {
	_, err := New(NewWeights(withTraces(t, nn.Description{}), kernel.FP32), 1, 1)
	require.EqualError(t, err, "training graph: layers of type *graph.traceLayer have no node")
}

// TestInitOfAllKinds: every layer initialises its own parameters, whatever its kind.
func TestInitOfAllKinds(t *testing.T) {
	l := withTraces(t, nntest.Descriptions[len(nntest.Descriptions)-1])
	want := newLayout(t, l.Description, nntest.Spec).Init(3)
	got := l.Init(3)
	require.Equal(t, want, got[:len(want)])
	for _, d := range got[len(want):] {
		require.EqualValues(t, 0.5, d)
	}
	require.Greater(t, len(got), len(want))
}

// The attention operation has no gradient in its inputs, so it refuses inputs that need
// one.
func TestAttentionBehindAnotherLayer(t *testing.T) {
	l := newLayout(t, nn.Description{
		Attention: &nn.Attention{Segments: []string{"c"}, Tokens: 4, Size: 2, Heads: 1, Output: 1},
	}, nntest.Spec)
	b := &l.Layers.Branches[0]
	b.Layers = slices.Insert(b.Layers, 0, nn.Layer(&traceLayer{4, l.Parameters.Add("trace", 4)}))
	l.Size, l.States = l.Parameters.Size(), []int{4}
	_, err := newWith(testKinds, NewWeights(l, kernel.FP32), 1, 1)
	require.EqualError(t, err,
		"training graph: attention.w: attention reads the observation alone, not what other layers give")
}
