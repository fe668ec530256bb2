package graph

import (
	"gorgonia.org/gorgonia"

	"croupier/nn"
)

// criterion is a loss over the outputs of policy heads and value head as one
// operation. The forward run leaves the statistics and the gradient in the terms,
// which costs little more than the loss itself.
type criterion interface {
	name() string
	// forward computes terms from the heads' outputs, [n, actions] and [n].
	forward(logits, values []float32)
	common() *terms
}

// terms are what every criterion reads and leaves. The batch and the coefficients
// are constants of a run, set before it.
type terms struct {
	actions int
	batch   *Batch
	loss    Loss

	stats     Stats
	outputs   []float32 // [n, actions], -Inf where illegal: log-probabilities or action values
	values    []float32 // [n]
	logitGrad []float32 // [n, actions]
	valueGrad []float32 // [n]

	legal []int // actions of the decision at hand
}

// newCriterion returns the loss that trains a network of the layout: the TD error for
// action values, else PPO's.
func newCriterion(l *nn.Layout, n int) criterion {
	t := terms{
		actions:   l.Spec.Actions,
		outputs:   make([]float32, n*l.Spec.Actions),
		values:    make([]float32, n),
		logitGrad: make([]float32, n*l.Spec.Actions),
		valueGrad: make([]float32, n),
		legal:     make([]int, 0, l.Spec.Actions),
	}
	if l.Description.Dueling {
		return &temporalDifference{t}
	}
	return &ppo{
		terms:       t,
		probability: make([]float64, t.actions),
		logRatio:    make([]float64, t.actions),
	}
}

func (t *terms) common() *terms { return t }

// setLegal takes the legal actions of decision i.
func (t *terms) setLegal(i int) {
	t.legal = t.legal[:0]
	for a, l := range t.batch.Legal[i*t.actions : (i+1)*t.actions] {
		if l != 0 {
			t.legal = append(t.legal, a)
		}
	}
}

// loss is the sum of the weighted losses (see [Loss]) of the decisions, a scalar.
// logits is [n, actions], values [n, 1].
func (a *applier) loss(c criterion, logits, values *gorgonia.Node) *gorgonia.Node {
	t := c.common()
	o := newScalarOp(c.name()+" loss", func(out []float32, args [][]float32) {
		c.forward(args[0], args[1])
		out[0] = float32(t.stats.Loss)
	})
	o.wrt = []bool{true, true}
	o.diff = func(a *applier, args gorgonia.Nodes, out, grad *gorgonia.Node) gorgonia.Nodes {
		return gorgonia.Nodes{
			a.lossGradient(c.name()+" gradient logits", t.logitGrad, t.actions, out, grad),
			a.lossGradient(c.name()+" gradient values", t.valueGrad, 1, out, grad),
		}
	}
	return a.apply(o, logits, values)
}

// lossGradient is the gradient left by the forward run, times the one in the loss.
// The output is an input only so that the forward run comes first.
func (a *applier) lossGradient(name string, gradient []float32, width int, out, grad *gorgonia.Node) *gorgonia.Node {
	return a.apply(newOp(name, len(gradient)/width, width, func(dst []float32, args [][]float32) {
		for i, g := range gradient {
			dst[i] = args[1][0] * g
		}
	}), out, grad)
}
