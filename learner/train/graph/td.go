package graph

import "math"

// TemporalDifference is the loss of the values of the actions taken against Batch.Targets:
// Huber's, which limits the gradient of a large error (Mnih et al. 2015 clip it for the
// same effect).
type TemporalDifference struct{}

// huberLimit is the error, in units of Spec.MaxReturn, beyond which the loss grows
// linearly.
const huberLimit = 1

// Compute implements [Loss]. With δ = Q(s, a) − target and m legal actions, the gradients
// in the legal actions and the value of a dueling network are
//
//	∂/∂A_j = w·clip(δ, ±1)·(δ_aj − 1/m),  ∂/∂V = w·clip(δ, ±1)
//
// and for other networks only w·clip(δ, ±1)·δ_aj.
func (TemporalDifference) Compute(t *Terms, outputs []float32) {
	for i, w := range t.Batch.Weight {
		heads, value, q, grad := t.Decision(i, outputs)
		legal := t.Batch.Legal(i)
		t.Values[i] = q[t.Description.ValueActions(q, heads, value, legal)]
		if w == 0 {
			continue
		}
		action := t.Batch.Actions[i]
		delta := float64(q[action] - t.Batch.Targets[i])
		t.Stats.Weight += float64(w)
		t.Stats.Loss += float64(w) * huber(delta)
		slope := w * float32(min(max(delta, -huberLimit), huberLimit))
		if t.Description.Dueling {
			grad[t.Actions] = slope
			for _, a := range legal {
				grad[a] = -slope / float32(len(legal))
			}
		}
		grad[action] += slope
	}
}

func huber(x float64) float64 {
	if x = math.Abs(x); x > huberLimit {
		return huberLimit * (x - huberLimit/2.)
	}
	return x * x / 2
}
