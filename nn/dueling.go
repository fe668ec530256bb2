package nn

import "math"

// ActionValues returns what each action of the row is worth to the seat that
// observes, in units of Spec.MaxReturn, -Inf for illegal ones. Those of a dueling
// network are
//
//	Q(s, a) = V(s) + A(s, a) − mean of A(s, a') over the legal a'
//
// (Wang et al. 2016, arXiv 1511.06581, equation 9, with the mean over what is
// legal). They hold until the next Forward. Only a network of which
// [Description.ActionValues] is true has them.
func (e *Evaluator) ActionValues(row int) []float32 {
	return e.logits.Row(row, e.logits.Stride)
}

// valueActions turns the heads' outputs of a row into action values, with the greatest as
// the value, and into the log-probabilities of ε-greedy play. Of equal actions the
// first is the greedy one.
func (e *Evaluator) valueActions(row int) {
	q, legal := e.ActionValues(row), e.legalOf(row)
	greedy := e.network.Layout.Description.ValueActions(q, q, e.values.Data[row], legal)
	e.values.Data[row] = q[greedy]

	share := e.exploration / float64(len(legal))
	other, best := float32(math.Log(share)), float32(math.Log(min(1-e.exploration+share, 1)))
	logProbs := e.LogProbs(row)
	for a := range logProbs {
		logProbs[a] = negativeInfinity
	}
	for _, a := range legal {
		logProbs[a] = other
	}
	logProbs[greedy] = best
}

var negativeInfinity = float32(math.Inf(-1))

// ValueActions writes the action values to q, of one element for each action, from what
// the policy heads and the value head gave: see [Evaluator.ActionValues]. legal ascends
// and is not empty. It returns the first of the best legal actions. q may be the same
// slice as heads.
func (d *Description) ValueActions(q, heads []float32, value float32, legal []int) (best int) {
	var base float32
	if d.Dueling {
		var sum float32
		for _, a := range legal {
			sum += heads[a]
		}
		base = value - sum/float32(len(legal))
	}
	next := 0
	best = legal[0]
	for a := range q {
		if next == len(legal) || a != legal[next] {
			q[a] = negativeInfinity
			continue
		}
		q[a] = base + heads[a]
		if q[a] > q[best] {
			best = a
		}
		next++
	}
	return best
}
