package graph

import (
	"fmt"

	"gorgonia.org/gorgonia"

	"croupier/nn"
	"croupier/nn/kernel"
)

// lstm is one LSTM layer over whole sequences as one operation (Hochreiter and
// Schmidhuber 1997, with the forget gate of Gers et al. 2000; the same step as
// nn.LSTMLayer):
//
//	[i f g o] = x·w + h'·u + b
//	c = σ(f)·c' + σ(i)·tanh(g),  h = σ(o)·tanh(c)
//
// h' and c' are those of the step before: zero where the sequence begins, and the initial
// state at step 0. No gradient flows across the beginning of a sequence or into the initial
// state. Arrays are time-major.
//
// The forward run leaves what the gradient needs in this structure.
type lstm struct {
	name   string
	hidden int
	extent *extent

	gates          []float32 // [steps·rows, 4·hidden], after activation; then their gradient before it
	tanhCell       []float32 // [steps·rows, hidden], tanh c
	previousHidden []float32 // [steps·rows, hidden], h'
	previousCell   []float32 // [steps·rows, hidden], c'
	reset          []float32 // [steps·rows], the forward run's input

	cell                 []float32 // [rows, hidden], c of the step
	hiddenGrad, cellGrad []float32 // [rows, hidden], what flows back in time
	recurrent            *factor
	recurrentTransposed  *factor
	gatesGrad            kernel.Packed // the gradient in the gates, for the gradients in both weights
	scratch              kernel.Scratch
}

func lstmNode(b *builder, l *nn.LSTMLayer, x *gorgonia.Node) *gorgonia.Node {
	name, reset := l.W.Name, b.resets()
	h := b.initialState(name + ".hidden")
	c := b.initialState(name + ".cell")
	return b.lstm(name, x, b.parameter(l.W), b.parameter(l.U), b.parameter(l.B), h, c, reset)
}

// lstm returns the hidden states [steps·rows, hidden]. x is [steps·rows, in], w
// [in, 4·hidden], u [hidden, 4·hidden], b [4·hidden], h and c [rows, hidden],
// reset [steps·rows, 1].
func (a *applier) lstm(name string, x, w, u, b, h, c, reset *gorgonia.Node) *gorgonia.Node {
	if a.err != nil {
		return nil
	}
	in, hidden, n := x.Shape()[1], u.Shape()[0], x.Shape()[0]
	l := newLSTM(name, n, h.Shape()[0], u, a.extent)
	weight := a.extent.weights.factor(name, w, false)
	o := newOp(fmt.Sprintf("lstm %s rows=%d", name, h.Shape()[0]), n, hidden, func(out []float32, args [][]float32) {
		n := l.extent.decisions()
		weight.Affine(kernel.NewMatrix(l.gates, n, 4*hidden), kernel.NewMatrix(args[0], n, in), args[3], false,
			&weight.scratch)
		l.forward(out, args[4], args[5], args[6])
	})
	o.wrt = []bool{trained(x), true, true, true, false, false, false}
	o.diff = func(a *applier, args gorgonia.Nodes, out, grad *gorgonia.Node) gorgonia.Nodes {
		gates := a.lstmGateGradient(l, out, grad)
		return gorgonia.Nodes{
			a.inputGradient(name, args[0], args[1], gates),
			a.lstmWeightGradient(l, "weight gradient "+name, in, func(in [][]float32) []float32 { return in[0] }, args[0],
				gates),
			a.lstmWeightGradient(l, "recurrent gradient "+name, hidden, func([][]float32) []float32 { return l.previousHidden },
				gates),
			a.biasGradient(name, gates),
			nil, nil, nil,
		}
	}
	return a.apply(o, x, w, u, b, h, c, reset)
}

// newLSTM makes room for batches of up to n decisions in rows sequences. u is the node of the recurrent weights.
func newLSTM(name string, n, rows int, u *gorgonia.Node, e *extent) *lstm {
	hidden := u.Shape()[0]
	width := rows * hidden
	return &lstm{
		name: name, hidden: hidden, extent: e,
		gates:          make([]float32, n*4*hidden),
		tanhCell:       make([]float32, n*hidden),
		previousHidden: make([]float32, n*hidden),
		previousCell:   make([]float32, n*hidden),
		cell:           make([]float32, width),
		hiddenGrad:     make([]float32, width),
		cellGrad:       make([]float32, width),

		recurrent:           e.weights.factor(name+" recurrent", u, false),
		recurrentTransposed: e.weights.factor(name+" recurrent", u, true),
	}
}

// lstmGateGradient is the gradient in the gates before activation, [steps·rows, 4·hidden],
// given the gradient in the hidden states; it takes the place of the gates. out is an input
// only to make the forward run come first.
func (a *applier) lstmGateGradient(l *lstm, out, grad *gorgonia.Node) *gorgonia.Node {
	l.gatesGrad.Precision = a.extent.weights.precision
	run := func(gates []float32, args [][]float32) {
		l.backward(args[1])
		l.gatesGrad.Pack(kernel.NewMatrix(gates, l.extent.decisions(), 4*l.hidden))
	}
	return a.apply(newOpIn(l.gates, "lstm gate gradient "+l.name, out.Shape()[0], 4*l.hidden, run), out, grad)
}

// lstmWeightGradient is leftᵀ·(gradient in the gates), with the left factor that the inputs of the operation give:
// the layer's inputs for dw, the states before for du.
func (a *applier) lstmWeightGradient(l *lstm, name string, width int, left func(in [][]float32) []float32,
	in ...*gorgonia.Node) *gorgonia.Node {
	return a.apply(newOp(name, width, 4*l.hidden, func(d []float32, args [][]float32) {
		left := kernel.NewMatrix(left(args), l.extent.decisions(), width)
		l.gatesGrad.Product(kernel.NewMatrix(d, width, 4*l.hidden), left.T(), &l.scratch)
	}), in...)
}

// forward expects x·w + b in l.gates and writes the hidden states to out.
func (l *lstm) forward(out, h, c, reset []float32) {
	l.reset = reset
	rows := l.extent.rows
	width := rows * l.hidden
	copy(l.cell, c[:width])
	for t := range l.extent.steps {
		from := t * width
		previous, previousCell := l.previousHidden[from:][:width], l.previousCell[from:][:width]
		copy(previous, h[:width])
		copy(previousCell, l.cell)
		l.clearReset(t, previous, previousCell)
		gates := l.gates[4*from:][:4*width]
		l.recurrent.AddProduct(kernel.NewMatrix(gates, rows, 4*l.hidden), kernel.NewMatrix(previous, rows, l.hidden),
			&l.recurrent.scratch)
		h = out[from:][:width]
		for i := 0; i < width; i += l.hidden {
			to := i + l.hidden
			kernel.LSTMForward(gates[4*i:4*to], previousCell[i:to], l.cell[i:to], l.tanhCell[from+i:from+to], h[i:to])
		}
	}
}

// clearReset zeroes the rows of states, [rows, hidden], whose sequence begins at step t.
func (l *lstm) clearReset(t int, states ...[]float32) {
	for i, reset := range l.reset[t*l.extent.rows:][:l.extent.rows] {
		if reset != 0 {
			for _, s := range states {
				clear(s[i*l.hidden:][:l.hidden])
			}
		}
	}
}

// backward turns the gates into the gradient in them before activation, given grad, the
// gradient in the hidden states (back-propagation through time).
func (l *lstm) backward(grad []float32) {
	rows := l.extent.rows
	width := rows * l.hidden
	hiddenGrad := l.hiddenGrad[:width]
	clear(hiddenGrad)
	clear(l.cellGrad)
	for t := l.extent.steps - 1; t >= 0; t-- {
		from := t * width
		step := l.gates[4*from:][:4*width]
		kernel.Add(hiddenGrad, grad[from:][:width])
		for i := 0; i < width; i += l.hidden {
			to := i + l.hidden
			previous, tanhs := l.previousCell[from+i:from+to], l.tanhCell[from+i:from+to]
			kernel.LSTMBackward(step[4*i:4*to], previous, tanhs, hiddenGrad[i:to], l.cellGrad[i:to])
		}
		if t > 0 {
			back := kernel.NewMatrix(hiddenGrad, rows, l.hidden)
			l.recurrentTransposed.Product(back, kernel.NewMatrix(step, rows, 4*l.hidden), &l.recurrentTransposed.scratch)
			l.clearReset(t, hiddenGrad, l.cellGrad)
		}
	}
}
