package solver

import (
	"context"
	"fmt"

	"croupier/catalog"
	"croupier/engine"
	"croupier/policy"
)

// equal is the difference from which on two values of actions are not rounded versions of the same.
const equal = 1e-9

// Optimum is best play of a game of perfect information, from every position.
type Optimum struct {
	positions *Positions
	worth     []float64 // by node, to seat 0
}

// Optimum computes best play by backward induction.
func (p *Positions) Optimum() *Optimum { return &Optimum{p, p.fold(best)} }

// Value is what the beginning of the game is worth to seat 0, in the game's unit.
func (o *Optimum) Value() float64 { return o.worth[len(o.worth)-1] }

// Policy returns a policy that draws one of the best actions, each with the same probability. It knows what actions
// are worth.
func (o *Optimum) Policy() policy.Stochastic {
	n := o.positions.game.Spec().Actions
	return &optimal{Optimum: o, values: make([]float64, n), distribution: make([]float64, n)}
}

// values writes what the actions of a decision are worth to the seat to move.
func (o *Optimum) values(n node, dst []float64) []float64 {
	edges := o.positions.after(n)
	for i, e := range edges {
		dst[i] = o.worth[e.to]
		if n.player == 1 {
			dst[i] = 0 - dst[i]
		}
	}
	return dst[:len(edges)]
}

// shares writes the probabilities with which actions of these values are drawn.
func shares(values, dst []float64) {
	top, n := values[0], 0.0
	for _, v := range values {
		top = max(top, v)
	}
	for i, v := range values {
		if dst[i] = 0; v >= top-equal {
			dst[i] = 1
			n++
		}
	}
	for i := range values {
		dst[i] /= n
	}
}

// Entries lists best play by position and action.
func (o *Optimum) Entries() (entries []Entry) {
	p, state := o.positions, o.positions.game.NewState()
	n := p.game.Spec().Actions
	buffer, drawn := make([]float64, n), make([]float64, n)
	for i, at := range p.nodes {
		if at.player < 0 {
			continue
		}
		values := o.values(at, buffer)
		shares(values, drawn)
		seen := seenBy(state, at.player, p.history(int32(i)))
		for j, e := range p.after(at) {
			action := int(e.step)
			entries = append(entries, Entry{at.player, seen, action, state.ActionName(action), drawn[j], values[j]})
		}
	}
	return entries
}

// optimal plays an Optimum.
type optimal struct {
	*Optimum
	key                  []byte
	values, distribution []float64
}

func (p *optimal) Reset() {}

func (p *optimal) Choose(s engine.State, legal []int, rng *engine.RNG) int {
	dst := p.distribution[:len(legal)]
	p.Distribution(s, legal, dst)
	return legal[policy.Sample(dst, rng)]
}

func (p *optimal) Distribution(s engine.State, _ []int, dst []float64) {
	shares(p.Optimum.values(p.find(s), p.values), dst)
}

// Scale reports that values are exact.
func (p *optimal) Scale() policy.Scale { return scale(p.positions.game.Spec(), 0) }

// Values looks up the values of the actions.
func (p *optimal) Values(s engine.State, _ []int, dst []policy.Value) {
	for i, v := range p.Optimum.values(p.find(s), p.values) {
		dst[i] = inUnit(p.positions.game.Spec(), v)
	}
}

func (p *optimal) find(s engine.State) node {
	p.key = positionKey(s, p.key[:0])
	number, ok := p.positions.index[string(p.key)]
	if !ok {
		panic(fmt.Sprintf("solver: the optimum of %s is asked about a state of another game: %s",
			p.positions.game.Spec().Name, s))
	}
	return p.positions.nodes[number]
}

// Optimal is what a catalog has of a game for two of perfect information with at most [MaxNodes] positions.
var Optimal = catalog.Solution{
	Agent: catalog.Optimal,
	Solve: func(_ context.Context, g engine.Game) (catalog.Players, any, error) {
		p, err := NewPositions(g, MaxNodes)
		if err != nil {
			return nil, nil, err
		}
		return p.Optimum().Policy, nil, nil
	},
}

// NewMeasure returns what measures the exploitability of policies exactly, on at most that many nodes: of a game of
// perfect information its positions, of others and for policies with a memory the whole tree.
func NewMeasure(g engine.Game, nodes int, memory bool) (func(newPolicy func() policy.Policy) (float64, error), error) {
	if g.Spec().PerfectInformation && !memory {
		p, err := NewPositions(g, nodes)
		if err != nil {
			return nil, err
		}
		return p.Exploitability, nil
	}
	tree, err := walkTree(g, nodes, g.Spec().PerfectInformation)
	if err != nil {
		return nil, err
	}
	return func(newPolicy func() policy.Policy) (float64, error) {
		s, err := StrategyOf(tree, newPolicy)
		if err != nil {
			return 0, err
		}
		return s.Exploitability(), nil
	}, nil
}
