package train

// gae computes the advantages of generalized advantage estimation (Schulman et al. 2016,
// arXiv 1506.02438, equation 16) for the samples of one seat in one game, and the matching
// value targets (TD(λ) returns: advantage + value). A reward follows each sample; the
// result also follows the last decision, after which the value is 0.
//
// Samples are the decisions of a semi-Markov decision process (Sutton, Precup and Singh
// 1999, "Between MDPs and semi-MDPs", Artificial Intelligence 112): from a sample to the
// next its span of decisions passes, of which only the first was a choice. γ discounts each
// of these decisions, so a game's return is the same as if all were samples; λ weighs the
// values that replace the rest of the game, of which there is one for each sample. Rows
// with span 0 are no samples: their values are not used, their advantages and targets are 0.
func gae(values, rewards []float32, spans []int32, result, gamma, lambda float32, advantages, targets []float32) {
	var advantage float32
	next, last := float32(0), result
	for t := len(values) - 1; t >= 0; t-- {
		if spans[t] == 0 {
			advantages[t], targets[t] = 0, 0
			continue
		}
		forced := power(gamma, spans[t]-1) // discount over the decisions that were no choice
		discount := gamma * forced
		delta := rewards[t] + forced*last + discount*next - values[t]
		advantage = delta + discount*lambda*advantage
		advantages[t] = advantage
		targets[t] = advantage + values[t]
		next, last = values[t], 0
	}
}
