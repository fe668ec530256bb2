package nn

import "croupier/nn/kernel"

// Layer is one layer of a network, with its place in the flat list of parameters. A kind of
// layer is a type with these methods in a file of its own; the rest of this package works
// on lists of layers and knows no particular kind. Package learner/train/graph has the graph
// nodes of each kind, which must compute the same.
//
// A Layer is immutable and holds plain data: layers that reflect.DeepEqual finds equal
// compute the same from the same parameters.
type Layer interface {
	// Dimensions returns the layer's sizes; all batches have the same.
	Dimensions() Dimensions
	// Init writes the initial values of the layer's parameters into the flat list, which
	// holds zeros there. The same seed gives the same values.
	Init(flat []float32, seed uint64)
	// Pack arranges the layer's parameters in the order in which its steps read them. The
	// flat list never changes, so the result may be a view of it. Goroutines share it.
	Pack(flat []float32) Packed
	// NewStep returns the layer's forward pass between the buffers. It makes all the memory
	// the pass needs, because a step must not allocate.
	NewStep(b Buffers) Step
}

// Dimensions are the sizes of a layer that its surroundings must know.
type Dimensions struct {
	In, Out int // values that a row reads and writes
	// Room is the number of columns after the inputs in each row of Buffers.X that the
	// layer needs for itself. Layers that read the same inputs share them, so what a step
	// writes there lasts only as long as the step.
	Room int
	// State holds the sizes of the parts of one recurrent state, such as the h and c of an
	// LSTM layer; it is empty for a layer without memory.
	State []int
}

// Rows are the vectors of a batch: that of row i begins at Data[i*Stride].
type Rows = kernel.Rows

// Packed is a result of [Layer.Pack].
type Packed any

// Step computes the first rows of an evaluator's batch with the parameters packed by the
// layer or an equal one. A row's results must not depend on the other rows.
type Step func(weights Packed, rows int)

// Buffers are what a step reads and writes, with MaxBatch rows each.
type Buffers struct {
	MaxBatch int    // rows of each buffer
	X        Rows   // Dimensions.In inputs, followed by Dimensions.Room columns
	Y        Rows   // Dimensions.Out outputs; the columns after them belong to others
	States   States // recurrent states, Dimensions.State; empty for a layer without memory
}

// Make returns memory with the given number of values for each row.
func (b *Buffers) Make(width int) Rows { return kernel.MakeRows(b.MaxBatch, width) }

// States are the recurrent states of one layer.
type States struct {
	evaluator   *Evaluator
	first, size int // columns of Evaluator.states
}

// Row returns the state that the row reads and advances, its parts in order. It is not a
// copy.
func (s *States) Row(row int) []float32 {
	return s.evaluator.State(s.evaluator.slot[row])[s.first:][:s.size]
}

// Parameter is one tensor in the flat list, row-major from Offset. Each kind of layer
// documents its own parameters.
type Parameter struct {
	Name   string // unique in the network, as in its file: "dense.0.weight"
	Shape  []int  // lengths of its dimensions, the last one contiguous
	Index  int    // in Layout.Parameters
	Offset int    // in the flat list, in values
}

// Size is the number of values.
func (p Parameter) Size() int { return product(p.Shape) }

// Of returns the parameter's values within a flat list.
func (p Parameter) Of(flat []float32) []float32 { return flat[p.Offset : p.Offset+p.Size()] }

// Parameters are all tensors in the order of the flat list, which has no gaps.
type Parameters []Parameter

// Add appends a tensor with the given lengths of its dimensions. Its name must be unique.
func (p *Parameters) Add(name string, shape ...int) Parameter {
	added := Parameter{Name: name, Shape: shape, Index: len(*p), Offset: p.Size()}
	*p = append(*p, added)
	return added
}

// Size is the length of the flat list.
func (p Parameters) Size() int {
	if len(p) == 0 {
		return 0
	}
	last := p[len(p)-1]
	return last.Offset + last.Size()
}

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}
