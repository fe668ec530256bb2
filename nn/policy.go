package nn

import (
	"croupier/engine"
	"croupier/policy"
)

// Policy plays one seat with a network at a temperature. It implements [policy.Stochastic] and [policy.Expecter].
type Policy struct {
	evaluator   *Evaluator
	temperature policy.Temperature
}

var (
	_ policy.Stochastic = (*Policy)(nil)
	_ policy.Expecter   = (*Policy)(nil)
)

// NewPolicy returns a policy for games with the specification of the network's layout. It
// belongs to one goroutine.
func NewPolicy(n *Network, t policy.Temperature) *Policy { return &Policy{n.NewEvaluator(1, 1), t} }

// Reset clears the recurrent state.
func (p *Policy) Reset() { p.evaluator.ResetSlot(0) }

// Choose takes an action at the temperature (see [Evaluator.Choose]).
func (p *Policy) Choose(s engine.State, legal []int, rng *engine.RNG) int {
	p.forward(s, legal)
	return p.evaluator.Choose(0, p.temperature, rng)
}

// Distribution writes the probability with which Choose takes legal[i] to dst[i].
func (p *Policy) Distribution(s engine.State, legal []int, dst []float64) {
	p.forward(s, legal)
	p.evaluator.Distribution(0, p.temperature, dst)
}

// Expects returns the network's value of the newest decision in the game's unit, Spec.Unit, cut to ±Spec.MaxReturn:
// value heads are not bounded. For a network of action values it is the greatest of them.
func (p *Policy) Expects() float64 {
	return min(max(float64(p.evaluator.Value(0)), -1), 1) * p.evaluator.network.Layout.Spec.MaxReturn
}

func (p *Policy) forward(s engine.State, legal []int) {
	p.evaluator.Observe(0, s, s.Player())
	p.evaluator.SetLegal(0, legal)
	p.evaluator.Forward(1)
}
