package graph

import (
	"math"

	"croupier/nn"
)

// temporalDifference is the loss of action values (nn.Duel) against their targets:
// Huber's, which limits the gradient of a large error (Mnih et al. 2015 clip it so).
type temporalDifference struct{ terms }

// huberLimit is the error, in units of Spec.MaxReturn, beyond which the loss grows
// linearly.
const huberLimit = 1

func (*temporalDifference) name() string { return "td" }

// forward has, with δ = Q(s, a) − target and m legal actions, for a legal one
//
//	∂/∂A_j = w·clip(δ, ±1)·(δ_aj − 1/m),  ∂/∂V = w·clip(δ, ±1)
func (d *temporalDifference) forward(advantages, values []float32) {
	d.stats = Stats{}
	clear(d.logitGrad)
	for i, w := range d.batch.Weight {
		from, to := i*d.actions, (i+1)*d.actions
		d.setLegal(i)
		q := d.outputs[from:to]
		d.values[i] = q[dueling.ValueActions(q, advantages[from:to], values[i], d.legal)]
		d.valueGrad[i] = 0
		if w == 0 {
			continue
		}
		action := d.batch.Actions[i]
		delta := float64(q[action] - d.batch.Targets[i])
		d.stats.Weight += float64(w)
		d.stats.Loss += float64(w) * huber(delta)
		slope := w * float32(min(max(delta, -huberLimit), huberLimit))
		d.valueGrad[i] = slope
		grad := d.logitGrad[from:to]
		for _, a := range d.legal {
			grad[a] = -slope / float32(len(d.legal))
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

// dueling is how the policy heads and the value head make action values.
var dueling = nn.Description{Dueling: true}
