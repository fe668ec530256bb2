package nn

import (
	"math"

	"croupier/engine"
	"croupier/policy"
)

// Choose takes one of the row's legal actions at the temperature: as Sample does where it is
// [policy.Sampled]. A network of action values takes the same action at every temperature,
// unless it explores (see SetExploration).
func (e *Evaluator) Choose(row int, t policy.Temperature, rng *engine.RNG) int {
	switch t {
	case policy.Sampled:
		action, _ := e.Sample(row, rng)
		return action
	case policy.Greedy:
		legal := e.legalOf(row)
		return legal[likeliest(e.LogProbs(row), legal)]
	}
	legal := e.legalOf(row)
	chances := e.chances[:len(legal)]
	e.Distribution(row, t, chances)
	return legal[policy.Sample(chances, rng)]
}

// Distribution writes the probability with which Choose takes the row's i-th legal action to
// dst[i]: proportional to π^(1/t), where π are the probabilities of LogProbs.
func (e *Evaluator) Distribution(row int, t policy.Temperature, dst []float64) {
	logProbs, legal := e.LogProbs(row), e.legalOf(row)
	best := likeliest(logProbs, legal)
	if t == policy.Greedy {
		clear(dst[:len(legal)])
		dst[best] = 1
		return
	}
	top, sum := float64(logProbs[legal[best]]), 0.0
	for i, a := range legal {
		// Relative to the likeliest action, so that no temperature lets all of them vanish.
		dst[i] = math.Exp((float64(logProbs[a]) - top) / float64(t))
		sum += dst[i]
	}
	for i := range legal {
		dst[i] /= sum
	}
}

// likeliest returns the index of the likeliest legal action, the first among equals.
func likeliest(logProbs []float32, legal []int) int {
	best := 0
	for i, a := range legal {
		if logProbs[a] > logProbs[legal[best]] {
			best = i
		}
	}
	return best
}
