package graph

import (
	"fmt"

	"gorgonia.org/gorgonia"

	"croupier/nn"
)

// Graph is a gorgonia graph, made into a program. Only one goroutine may use it at a time.
type Graph struct {
	Batch *Batch // of the next run; its arrays are the graph's inputs

	layout *nn.Layout
	extent *extent // of the current run

	loss      Loss           // of the current run
	terms     *Terms         // of the loss, which reads the batch's other arrays
	gradients gorgonia.Nodes // by index into Layout.Parameters
	program   []step
}

// New builds the graph of the weights' layout for batches of steps decisions in each of up to
// the given number of rows. Graphs of the same weights are built one after the other.
func New(w *Weights, rows, steps int) (*Graph, error) {
	return newWith(kinds, w, rows, steps)
}

// newWith is New with a given list of kinds of layers.
func newWith(kinds []kind, w *Weights, rows, steps int) (*Graph, error) {
	if rows < 1 || steps < 1 {
		return nil, fmt.Errorf("training graph: %d×%d decisions: both must be at least 1", rows, steps)
	}
	g := &Graph{Batch: newBatch(w.layout, rows, steps), layout: w.layout}
	g.terms = newTerms(w.layout, g.Batch)
	if err := g.build(kinds, w); err != nil {
		return nil, fmt.Errorf("training graph: %w", err)
	}
	return g, nil
}

func (g *Graph) build(kinds []kind, w *Weights) error {
	b := newBuilder(w, kinds, g.Batch)
	cost := b.loss(g.terms, &g.loss, b.network())
	if b.err != nil {
		return b.err
	}
	g.extent = b.extent
	// Not gorgonia.Grad, which takes its constant 1 from a global node whose hash it caches
	// without a lock.
	one := gorgonia.NodeFromAny(b.graph, float32(1), gorgonia.WithName("one"))
	var err error
	if g.gradients, err = gorgonia.Backpropagate(gorgonia.Nodes{cost}, gorgonia.Nodes{one}, b.parameters); err != nil {
		return err
	}
	if err := checkHashes(b.graph); err != nil {
		return err
	}
	g.program, err = program(append(gorgonia.Nodes{cost}, g.gradients...))
	return err
}

// checkHashes refuses a graph with two nodes of equal hash: the compiler would take them
// for the same node and silently compute something else.
func checkHashes(graph *gorgonia.ExprGraph) error {
	seen := make(map[uint32]*gorgonia.Node)
	for _, n := range graph.AllNodes() {
		if other := seen[n.Hashcode()]; other != nil {
			return fmt.Errorf("nodes %v and %v have the same hash", other, n)
		}
		seen[n.Hashcode()] = n
	}
	return nil
}

// Gradient runs the graph forward and backward and sets gradient, which has the layout's
// Size, to that of the loss, a weighted sum over the decisions of [Graph.Batch]. Before the first run
// there must have been [Weights.Pack]. It does not check that the results are finite;
// the caller, who computes the norm anyway, must.
func (g *Graph) Gradient(loss Loss, gradient []float32) (Stats, error) {
	if len(gradient) != g.layout.Size {
		return Stats{}, fmt.Errorf("training graph: %d gradients where the layout has %d", len(gradient), g.layout.Size)
	}
	if err := g.Batch.checkActions(); err != nil {
		return Stats{}, fmt.Errorf("training graph: %w", err)
	}
	g.extent.rows, g.loss = g.Batch.Rows, loss
	for i, n := range g.gradients {
		n.Op().(*op).out = g.layout.Slice(gradient, i) // which no other operation reads
	}
	if err := execute(g.program); err != nil {
		return Stats{}, fmt.Errorf("training graph: %w", err)
	}
	return g.terms.Stats, nil
}

// Outputs returns the masked log-probabilities or action values, [Steps·Rows, Actions] with
// -Inf for illegal actions, and the values, [Steps·Rows], as the last call of Gradient left
// them. They are the graph's own memory.
func (g *Graph) Outputs() (actions, values []float32) { return g.terms.Results, g.terms.Values }
