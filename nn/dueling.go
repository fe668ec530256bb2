package nn

import "math"

// ActionValues returns the value of each of the Spec.Actions actions of the row to the observing
// seat, in units of Spec.MaxReturn, and -Inf for illegal ones. For a dueling network they are
//
//	Q(s, a) = V(s) + A(s, a) − mean of A(s, a') over the legal a'
//
// (Wang et al. 2016, arXiv 1511.06581, equation 9, with the mean over the legal actions).
// They are valid until the next Forward. Only networks whose [Description.ActionValues] is
// true have them.
func (e *Evaluator) ActionValues(row int) []float32 {
	return e.heads(row)
}

// valueActions turns the heads' outputs of a row into action values, the row's value into
// the greatest of them, and the log-probabilities into those of ε-greedy play. Of several
// best actions the first is the greedy one.
func (e *Evaluator) valueActions(row int) {
	q, legal := e.ActionValues(row), e.legalOf(row)
	greedy := e.network.Layout.Description.ValueActions(q, q, e.Value(row), legal)
	*e.value(row) = q[greedy]

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

// ValueActions writes the action values (see [Evaluator.ActionValues]) that follow from the
// outputs of the policy heads and the value head to q, which has one element for each
// action. legal is ascending and not empty. It returns the first of the best legal actions.
// q may be the same slice as heads.
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
