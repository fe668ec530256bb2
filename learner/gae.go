package learner

import "croupier/internal/stat"

// gae computes the advantages of generalized advantage estimation (Schulman et al. 2016,
// arXiv 1506.02438, equation 16) for the decisions of one seat in one game, and the
// matching value targets (TD(λ) returns: advantage + value). A reward follows each
// decision; the result also follows the last decision, after which the value is 0.
func gae(values, rewards []float32, result, gamma, lambda float32, advantages, targets []float32) {
	var advantage float32
	next, last := float32(0), result
	for t := len(values) - 1; t >= 0; t-- {
		delta := rewards[t] + last + gamma*next - values[t]
		advantage = delta + gamma*lambda*advantage
		advantages[t] = advantage
		targets[t] = advantage + values[t]
		next, last = values[t], 0
	}
}

// normalise shifts and scales values to mean 0 and standard deviation 1. Values that are
// (nearly) all equal become about 0.
func normalise(values []float32) {
	m := stat.Of(values)
	scale := 1 / (m.Deviation() + 1e-8)
	for i, v := range values {
		values[i] = float32((float64(v) - m.Mean) * scale)
	}
}
