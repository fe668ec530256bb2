package learner

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"croupier/nn"
)

// New weights are tried on some games of the rollout beside the weights before them. They are
// refused if one iteration did what many iterations of sound training do not do together. The
// limits leave a factor of ten to what all games show with their default settings.
const (
	// probeSequences is on how many sequences they are tried, and probeDecisions after how many
	// decisions it is enough: what it costs stays small beside an iteration, also where games are
	// long. Weights that overflow show it in any game.
	probeSequences = 32
	probeDecisions = 512
	// maxMove is how far one iteration may move the policy: the mean of KL(before ‖ after)
	// in nats. PPO stops at ppo.kl_stop, a thirtieth of it.
	maxMove = 1.0
	// maxValue is the greatest magnitude of a value, in units of the largest return.
	maxValue = 10.0
)

// accept makes the changed weights the network if they are finite and give finite values and
// probabilities, or action values, within the limits on games of the rollout. (It overwrites
// those columns of these games.)
func (d *descent) accept(r *rollout) error {
	n, err := nn.NewNetwork(d.network.Layout, slices.Clone(d.weights))
	if err != nil {
		return fmt.Errorf("%w: %w", errUnsound, err)
	}
	_, before := d.try(d.network, r)
	before = slices.Clone(before)
	values, after := d.try(n, r)
	if !finite(values) || !finite(after) {
		return fmt.Errorf("%w: values or probabilities are not finite", errUnsound)
	}
	if largest := magnitude(values); largest > maxValue {
		return fmt.Errorf("%w: the value of a decision is %.3g, where the largest return is 1", errUnsound, largest)
	}
	if d.network.Layout.Description.ActionValues() {
		if largest := magnitude(after); largest > maxValue {
			return fmt.Errorf("%w: the value of an action is %.3g, where the largest return is 1", errUnsound, largest)
		}
	} else if move := r.divergence(before, after); !(move <= maxMove) {
		return fmt.Errorf("%w: one iteration moved the policy by %.3g nats, the limit is %g", errUnsound, move, maxMove)
	}
	d.network = n
	return nil
}

// try evaluates a network on the rollout's first games. It returns the columns of values by
// decision, and of probabilities, or action values, by legal action.
func (d *descent) try(n *nn.Network, r *rollout) (values, reference []float32) {
	sample, decisions := 0, 0
	for sample < min(len(r.sequences), probeSequences) && decisions < probeDecisions {
		decisions += r.sequences[sample].length
		sample++
	}
	probe := d.workers[0].evaluation
	probe.SetNetwork(n)
	probe.run(r, 0, sample, takeAll)
	_, legal := r.legalRange(decisions - 1)
	return r.values[:decisions], r.reference[:legal]
}

// divergence returns the mean of KL(p ‖ q) in nats over the decisions with a choice, of the
// first ones, whose legal actions have the given probabilities.
func (r *rollout) divergence(p, q []float32) float64 {
	sum, choices, start := 0.0, 0, 0
	for _, end := range r.legalEnd {
		if end > len(p) {
			break
		}
		for k := start; k < end; k++ {
			sum += float64(p[k]) * math.Log(float64(p[k])/float64(q[k]))
		}
		if end-start > 1 {
			choices++
		}
		start = end
	}
	return sum / float64(max(choices, 1))
}

// magnitude returns the largest absolute value.
func magnitude(values []float32) (largest float64) {
	for _, v := range values {
		largest = max(largest, math.Abs(float64(v)))
	}
	return largest
}

// caution scales the learning rate: down after iterations that were undone and after setbacks, and up
// again after many iterations that were not undone.
type caution struct {
	scale    float64 // 0..1
	accepted int     // iterations since it changed
}

const (
	cautious  = 4   // divides the scale after an iteration that was undone
	confident = 100 // iterations after which the scale doubles
)

func (c *caution) lower() { *c = caution{scale: c.scale / cautious} }

// heed changes the scale after an iteration with that error.
func (c *caution) heed(err error) {
	switch {
	case errors.Is(err, errUnsound):
		c.lower()
	case err != nil:
	default:
		if c.accepted++; c.accepted >= confident {
			*c = caution{scale: min(1, c.scale*2)}
		}
	}
}
