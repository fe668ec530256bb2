package graph

import (
	"gorgonia.org/gorgonia"

	"croupier/nn"
	"croupier/nn/kernel"
)

// Loss is a loss over the outputs of the policy heads and the value head. The graph
// computes it as one operation together with its gradient in these outputs, which costs
// little more than the loss itself. A Loss holds only coefficients, so that several graphs
// may use the same one at once.
type Loss interface {
	// Compute fills the terms for all decisions of their batch. The outputs, [n, Actions+1],
	// are those of the policy heads and, last, of the value head.
	Compute(t *Terms, outputs []float32)
}

// Terms are what a [Loss] reads and writes; for a decision with weight 0 it writes only the
// outputs. They belong to one graph.
type Terms struct {
	Batch       *Batch
	Description *nn.Description
	Actions     int // Spec.Actions

	// Written by the loss, each for all n decisions of the batch. The gradient is 0 at
	// the beginning of each run; it is the one in the outputs and includes the weights.
	Stats   Stats     // Stats.Loss is the sum whose gradient is taken
	Results []float32 // [n, Actions]: log-probabilities or action values, -Inf where illegal
	// Probabilities, [n, Actions], are those of [Terms.LogSoftmax]: e to the power of the results.
	Probabilities []float32
	Values        []float32 // [n]
	Gradient      []float32 // [n, Actions+1]
}

// Stats are sums over the decisions, each times its weight; divided by Weight they are
// means. A loss leaves terms that it does not have at 0.
type Stats struct {
	Weight     float64 // sum of the weights
	Loss       float64 // the whole loss, the sum whose gradient is taken
	PolicyLoss float64 // of PPO: the clipped surrogate, negated
	ValueLoss  float64 // ½(v − target)²; with clipping the larger of that and the clipped loss
	Entropy    float64 // of the masked policy, nats
	// KL sums (r − 1) − log r, with r the ratio to the behaviour policy: an unbiased, never
	// negative estimate of KL(behaviour ‖ π).
	KL       float64
	Clipped  float64 // decisions whose ratio lies outside 1 ± ClipRange
	MagnetKL float64 // KL(π ‖ reference), nats; 0 if its coefficient is 0
	// Taught counts the decisions that a teacher was asked about, TeacherLoss sums their cross-entropy
	// between teacher and policy, nats; both are 0 if its coefficient is 0.
	Taught, TeacherLoss float64
}

// Add adds the sums of another batch.
func (s *Stats) Add(o Stats) {
	s.Weight += o.Weight
	s.Loss += o.Loss
	s.PolicyLoss += o.PolicyLoss
	s.ValueLoss += o.ValueLoss
	s.Entropy += o.Entropy
	s.KL += o.KL
	s.Clipped += o.Clipped
	s.MagnetKL += o.MagnetKL
	s.Taught += o.Taught
	s.TeacherLoss += o.TeacherLoss
}

// newTerms makes room for the decisions of a batch.
func newTerms(l *nn.Layout, b *Batch) *Terms {
	n, actions := b.Rows*b.Steps, l.Spec.Actions
	return &Terms{
		Batch:         b,
		Description:   &l.Description,
		Actions:       actions,
		Results:       make([]float32, n*actions),
		Probabilities: make([]float32, n*actions),
		Values:        make([]float32, n),
		Gradient:      make([]float32, n*(actions+1)),
	}
}

// compute empties the terms and lets the loss fill them for n decisions.
func (t *Terms) compute(l Loss, outputs []float32, n int) {
	t.Results, t.Values, t.Gradient = t.Results[:n*t.Actions], t.Values[:n], t.Gradient[:n*(t.Actions+1)]
	t.Stats = Stats{}
	clear(t.Gradient)
	l.Compute(t, outputs[:n*(t.Actions+1)])
}

// Decision returns the parts of decision i: what the heads say of its actions and its value, its results,
// and the gradient in the former.
func (t *Terms) Decision(i int, outputs []float32) (heads []float32, value float32, results, gradient []float32) {
	from := i * (t.Actions + 1)
	row := outputs[from:][:t.Actions+1]
	return row[:t.Actions], row[t.Actions], t.Results[i*t.Actions:][:t.Actions], t.Gradient[from:][:t.Actions+1]
}

// LogSoftmax makes the results the log-probabilities of the softmax of the policy heads' outputs over the legal
// actions, and sets the probabilities.
func (t *Terms) LogSoftmax(outputs []float32) {
	kernel.MaskedLogSoftmax(kernel.Rows{Data: t.Results, Stride: t.Actions},
		kernel.Rows{Data: outputs, Stride: t.Actions + 1},
		len(t.Values), t.Actions, t.Batch.Legal)
	kernel.Exps(t.Probabilities[:len(t.Results)], t.Results)
}

// loss is the sum of the weighted losses of the decisions, a scalar. Every run uses the
// Loss that l then points to. outputs is [n, actions+1].
func (a *applier) loss(t *Terms, l *Loss, outputs *gorgonia.Node) *gorgonia.Node {
	extent := a.extent
	o := newScalarOp("loss", func(out []float32, args [][]float32) {
		t.compute(*l, args[0], extent.decisions())
		out[0] = float32(t.Stats.Loss)
	})
	o.wrt = []bool{true}
	o.diff = func(a *applier, args gorgonia.Nodes, out, _ *gorgonia.Node) gorgonia.Nodes {
		// The forward run has left it: the loss is the last operation, so the gradient in the loss
		// itself is 1. out is an input only to make the forward run come first.
		left := newOpIn(t.Gradient, "loss gradient", args[0].Shape()[0], args[0].Shape()[1], func([]float32, [][]float32) {})
		return gorgonia.Nodes{a.apply(left, out)}
	}
	return a.apply(o, outputs)
}
