package graph

import (
	"gorgonia.org/gorgonia"

	"croupier/nn"
	"croupier/nn/kernel"
)

// Weights are the parameters of several graphs that run at the same time, and what their products need of them: each
// matrix is packed once, however many graphs there are.
type Weights struct {
	// Flat is the list of parameters, [Layout.Size]. Code that has changed it calls Pack before the next run. No graph
	// runs meanwhile.
	Flat []float32

	layout    *nn.Layout
	precision kernel.Precision
	tasks     [][]*packed // each matrix is in one
}

// NewWeights makes room for parameters, which are 0. The products of dense and LSTM layers, forward and backward, have
// the given precision: BF16 only if [kernel.HasBF16].
func NewWeights(l *nn.Layout, p kernel.Precision) *Weights {
	return &Weights{Flat: make([]float32, l.Size), layout: l, precision: p}
}

// packed is a matrix of parameters as the right factor of products.
type packed struct {
	kernel.Packed
	name          string // of the layer
	transposed    bool
	rows, columns int         // before it is transposed
	parts         [][]float32 // matrices of these rows, side by side; the weights' memory
	joined        []float32   // copies of several parts
}

// packTask is how many parameters are packed in one task, at least: fewer take less time than to hand them out.
const packTask = 1 << 13

// Pack makes the parameters those of the next runs. It calls each once, for tasks of which several may run at the
// same time.
func (w *Weights) Pack(each func(n int, do func(i int))) {
	each(len(w.tasks), func(i int) {
		for _, p := range w.tasks[i] {
			p.pack()
		}
	})
}

func (p *packed) pack() {
	data := p.parts[0]
	if len(p.parts) > 1 {
		data = p.joined
		first := 0
		for _, part := range p.parts {
			width := len(part) / p.rows
			copyColumns(data[first:], p.columns, part, width, width, p.rows)
			first += width
		}
	}
	m := kernel.NewMatrix(data, p.rows, p.columns)
	if p.transposed {
		m = m.T()
	}
	p.Pack(m)
}

// factor is the right factor of some of a graph's products: a matrix that all graphs of the weights share, and memory
// of the graph's own.
type factor struct {
	*packed
	scratch kernel.Scratch
}

// factor returns a layer's matrix as a factor, given its node: that of a parameter, or of several joined side by side.
func (w *Weights) factor(layer string, node *gorgonia.Node, transposed bool) *factor {
	size := 0 // of the last task
	for _, task := range w.tasks {
		size = 0
		for _, p := range task {
			if p.name == layer && p.transposed == transposed {
				return &factor{packed: p}
			}
			size += p.rows * p.columns
		}
	}
	p := &packed{name: layer, transposed: transposed, rows: node.Shape()[0], columns: columnsOf(node),
		parts: partsOf(node)}
	p.Precision = w.precision
	if len(p.parts) > 1 {
		p.joined = make([]float32, p.rows*p.columns)
	}
	if len(w.tasks) == 0 || size >= packTask {
		w.tasks = append(w.tasks, nil)
	}
	last := &w.tasks[len(w.tasks)-1]
	*last = append(*last, p)
	return &factor{packed: p}
}

// partsOf returns the memory of the parameters that a node puts side by side.
func partsOf(node *gorgonia.Node) (parts [][]float32) {
	if node.Op() == nil {
		return [][]float32{node.Value().Data().([]float32)}
	}
	for inputs := node.Graph().From(node.ID()); inputs.Next(); {
		parts = append(parts, partsOf(inputs.Node().(*gorgonia.Node))...)
	}
	return parts
}
