package train

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"croupier/internal/stat"
	"croupier/nn"
)

// New weights are tried on some games of the rollout next to the weights before them. They are
// refused if one iteration did what many iterations of sound training do not do together. The
// limits leave a factor of about ten, for ratios in their logarithms, to what all games show with
// their default settings (docs/explain/algorithms/ppo.md, limits of an iteration).
const (
	// probeSequences is on how many sequences they are tried, and probeDecisions after how many
	// decisions it is enough: what it costs stays small next to an iteration, also where games are
	// long. Weights that overflow show it in any game.
	probeSequences = 32
	probeDecisions = 512
	// maxValue is the greatest magnitude of a value, in units of the largest return.
	maxValue = 10.0
	// maxLossRise is by what factor the value loss may rise. It counts as leastLoss where it was
	// smaller: values that were nearly exact may be off by some more.
	maxLossRise = 10.0
	leastLoss   = 0.01 // values off by a seventh of the largest return
	// maxMove is how far one iteration may move the policy: the mean of KL(before ‖ after)
	// in nats. PPO stops at ppo.kl_stop, a thirtieth of it.
	maxMove = 1.0
	// maxSharpening is by what factor the policy's entropy may fall. It counts as leastEntropy
	// where it is smaller: what remains to a policy that has made its choices may go. KL sees little
	// of a policy that gives up the rarer ones of its actions, since they hardly count in its mean.
	maxSharpening = 4.0
	leastEntropy  = 0.01 // nats: of two actions, one in 750 times the other
)

// accept makes the changed weights the network if they are finite and what they give on games of
// the rollout, whose targets are known, is finite and within the limits. (It overwrites the columns
// of values and of the reference of these games.)
func (d *Descent) accept(r *Rollout) error {
	n, err := nn.NewNetwork(d.Network.Layout, slices.Clone(d.weights))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnsound, err)
	}
	values, before := d.try(d.Network, r)
	loss, before := r.valueLoss(values), slices.Clone(before)
	values, after := d.try(n, r)
	if !Finite(values) || !Finite(after) {
		return fmt.Errorf("%w: values or log-probabilities are not finite", ErrUnsound)
	}
	if largest := magnitude(values); largest > maxValue {
		return fmt.Errorf("%w: the value of a decision is %.3g, where the largest return is 1", ErrUnsound, largest)
	}
	if limit, now := maxLossRise*max(loss, leastLoss), r.valueLoss(values); !(now <= limit) {
		return fmt.Errorf("%w: one iteration raised the value loss from %.3g to %.3g, the limit is %.3g",
			ErrUnsound, loss, now, limit)
	}
	if d.Network.Layout.Description.ActionValues() {
		if largest := magnitude(after); largest > maxValue {
			return fmt.Errorf("%w: the value of an action is %.3g, where the largest return is 1", ErrUnsound, largest)
		}
	} else if err := r.acceptPolicy(before, after); err != nil {
		return err
	}
	d.Network = n
	return nil
}

// acceptPolicy returns an error if the policy has changed beyond the limits, given the
// log-probabilities of the legal actions of the first decisions.
func (r *Rollout) acceptPolicy(before, after []float32) error {
	if move := r.divergence(before, after); !(move <= maxMove) {
		return fmt.Errorf("%w: one iteration moved the policy by %.3g nats, the limit is %g", ErrUnsound, move, maxMove)
	}
	entropy, now := r.entropy(before), r.entropy(after)
	if limit := entropy / maxSharpening; max(now, leastEntropy) < limit {
		return fmt.Errorf("%w: one iteration lowered the policy's entropy from %.3g to %.3g nats, the limit is %.3g",
			ErrUnsound, entropy, now, limit)
	}
	return nil
}

// try evaluates a network on the rollout's first games. It returns the columns of the values that
// are trained on the targets, by decision, and of log-probabilities, or action values, by legal action.
func (d *Descent) try(n *nn.Network, r *Rollout) (values, reference []float32) {
	sample, decisions := 0, 0
	for sample < min(len(r.Sequences), probeSequences) && decisions < probeDecisions {
		decisions += r.Sequences[sample].Length
		sample++
	}
	d.evaluateParts(n, r, r.parts(sample, decisions, len(d.workers)), takeTrained)
	_, legal := r.LegalRange(decisions - 1)
	return r.Values[:decisions], r.reference[:legal]
}

// takeTrained is takeAll, except that of action values the one of the action taken is the value of
// the decision: that is the one which has a target.
func takeTrained(e *Evaluation, r *Rollout, i, row int) {
	takeAll(e, r, i, row)
	if e.values {
		r.Values[i] = e.ActionValues(row)[r.Actions[i]]
	}
}

// valueLoss returns half the mean squared difference between values and targets over the samples
// among the first decisions, which have the given values.
func (r *Rollout) valueLoss(values []float32) float64 {
	var squares stat.Moments
	for i, v := range values {
		if r.Spans[i] > 0 {
			miss := float64(v - r.Targets[i])
			squares.Add(miss * miss)
		}
	}
	return squares.Mean / 2
}

// divergence returns the mean of KL(p ‖ q) in nats over the decisions with a choice, of the
// first ones, whose legal actions have the given log-probabilities.
func (r *Rollout) divergence(p, q []float32) float64 {
	return r.meanOfChoices(len(p), func(k int) float64 { return math.Exp(float64(p[k])) * float64(p[k]-q[k]) })
}

// entropy returns the mean entropy in nats of the decisions with a choice, of the first ones,
// whose legal actions have the given log-probabilities.
func (r *Rollout) entropy(p []float32) float64 {
	return r.meanOfChoices(len(p), func(k int) float64 { return -math.Exp(float64(p[k])) * float64(p[k]) })
}

// meanOfChoices returns the mean over the decisions with a choice, among those that have the first n
// elements of the legal column, of a sum over these elements.
func (r *Rollout) meanOfChoices(n int, term func(k int) float64) float64 {
	sum, choices, start := 0.0, 0, 0
	for _, end := range r.LegalEnd {
		if end > n {
			break
		}
		if end-start > 1 {
			for k := start; k < end; k++ {
				sum += term(k)
			}
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

// Caution scales the learning rate: down after iterations that were undone and after setbacks, and up
// again after many iterations that were not undone.
type Caution struct {
	Scale    float64 `json:"scale"`    // above 0, at most 1
	Accepted int     `json:"accepted"` // iterations since it changed
}

const (
	cautious  = 4   // divides the scale after an iteration that was undone
	confident = 100 // iterations after which the scale doubles
)

func (c *Caution) lower() { *c = Caution{Scale: c.Scale / cautious} }

// heed changes the scale after an iteration with that error.
func (c *Caution) heed(err error) {
	switch {
	case errors.Is(err, ErrUnsound):
		c.lower()
	case err != nil:
	default:
		if c.Accepted++; c.Accepted >= confident {
			*c = Caution{Scale: min(1, c.Scale*2)}
		}
	}
}
