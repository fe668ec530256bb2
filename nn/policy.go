package nn

import (
	"math"

	"croupier/engine"
	"croupier/policy"
)

// Policy plays one seat with a network. It implements [policy.Stochastic].
type Policy struct {
	evaluator *Evaluator
}

var _ policy.Stochastic = (*Policy)(nil)

// NewPolicy returns a policy for games with the specification of the network's layout. It
// belongs to one goroutine.
func NewPolicy(n *Network) *Policy { return &Policy{n.NewEvaluator(1, 1)} }

// Reset clears the recurrent state.
func (p *Policy) Reset() { p.evaluator.ResetSlot(0) }

// Choose draws an action from the network's distribution.
func (p *Policy) Choose(s engine.State, legal []int, rng *engine.RNG) int {
	p.forward(s, legal)
	action, _ := p.evaluator.Sample(0, rng)
	return action
}

// Distribution writes the network's probability of legal[i] to dst[i].
func (p *Policy) Distribution(s engine.State, legal []int, dst []float64) {
	p.forward(s, legal)
	logProbs := p.evaluator.LogProbs(0)
	sum := 0.0
	for i, a := range legal {
		dst[i] = math.Exp(float64(logProbs[a]))
		sum += dst[i]
	}
	for i := range legal {
		dst[i] /= sum
	}
}

func (p *Policy) forward(s engine.State, legal []int) {
	s.Observe(s.Player(), p.evaluator.Observation(0))
	p.evaluator.SetLegal(0, legal)
	p.evaluator.Forward(1)
}
