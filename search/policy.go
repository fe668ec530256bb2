package search

import (
	"fmt"

	"croupier/engine"
	"croupier/policy"
)

// Options say how far the search looks ahead, and how many times.
type Options struct {
	// Depth is the number of decisions, including the one to be made, after which the model judges
	// the position: 1 to 64.
	Depth int
	// Samples is the number of worlds wherever the search samples: 1 to 4096.
	Samples int
}

// The limits of Options.
const (
	maxDepth   = 64
	maxSamples = 4096
)

// DefaultOptions take a few milliseconds a move in the dice games and a few tens in the card
// games; docs/algorithms/search.md shows what such settings gain and lose.
func DefaultOptions(spec *engine.Spec) Options {
	if !spec.PerfectInformation {
		return Options{Depth: 32, Samples: 64}
	}
	return Options{Depth: 1, Samples: 256}
}

// Validate names the first option that is out of range.
func (o Options) Validate() error {
	switch {
	case o.Depth < 1 || o.Depth > maxDepth:
		return fmt.Errorf("depth is %d, not in 1..%d", o.Depth, maxDepth)
	case o.Samples < 1 || o.Samples > maxSamples:
		return fmt.Errorf("samples is %d, not in 1..%d", o.Samples, maxSamples)
	}
	return nil
}

// Check says why a game cannot be searched, or nil.
func Check(game engine.Game) error {
	spec := game.Spec()
	if spec.PerfectInformation || spec.Determinisable {
		return nil
	}
	return fmt.Errorf("%s cannot be searched: it hides cards, and what the others do reveals them", spec.Name)
}

// Policy chooses the action for which the search finds the greatest value, the first among
// equals. It belongs to one goroutine.
type Policy struct {
	spec   *engine.Spec
	tree   *tree
	values []policy.Value
}

var _ policy.Valuer = (*Policy)(nil)

// New returns a policy for a game that passes Check, with valid options.
func New(game engine.Game, model Model, o Options) *Policy {
	return &Policy{
		spec:   game.Spec(),
		tree:   newTree(game, model, o),
		values: make([]policy.Value, game.Spec().Actions),
	}
}

// Reset does nothing: nothing is remembered.
func (p *Policy) Reset() {}

// Choose searches, unless there is no choice.
func (p *Policy) Choose(s engine.State, legal []int, _ *engine.RNG) int {
	if len(legal) == 1 {
		return legal[0]
	}
	values := p.values[:len(legal)]
	p.tree.search(s, legal, values)
	best := 0
	for i, v := range values {
		if v.Mean > values[best].Mean {
			best = i
		}
	}
	return legal[best]
}

// Scale says that values are estimates, in the game's unit.
func (p *Policy) Scale() policy.Scale { return policy.Scale{Unit: p.spec.Unit} }

// Values searches. Intervals cover the sampling error, not the errors of the model. In games
// that are won or lost, a return r counts as the share of the win (1 + r·(seats-1)) / seats.
func (p *Policy) Values(s engine.State, legal []int, dst []policy.Value) {
	p.tree.search(s, legal, dst)
	if p.spec.Payoff != engine.WinLoss {
		return
	}
	n := float64(p.spec.Seats)
	share := func(v *float64) { *v = min(max((1+*v*(n-1))/n, 0), 1) }
	for i := range legal {
		share(&dst[i].Mean)
		share(&dst[i].Low)
		share(&dst[i].High)
	}
}
