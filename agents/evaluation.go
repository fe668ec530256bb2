package agents

import (
	"context"
	"errors"
	"fmt"

	"croupier/league"
	"croupier/nn"
	"croupier/policy"
	"croupier/solver"
)

// measure compares a network with the exact answer and returns curve values by series name.
type measure func(context.Context, *nn.Network) (map[string]float64, error)

// Evaluation returns a function that measures the file of a network of the game with the given
// description, as it is rated (engine.Spec.Temperature), against the exact answer and returns curve values by series
// name.
// Game trees have at most that many nodes. The error reports why such networks of the game are not measured.
func (a *Agents) Evaluation(
	network nn.Description, nodes int,
) (func(ctx context.Context, data []byte) (map[string]float64, error), error) {
	exactly := a.ownMeasure(network)
	if exactly == nil {
		var err error
		if exactly, err = a.treeMeasure(network, nodes); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context, data []byte) (map[string]float64, error) {
		n, err := a.decode(data)
		if err != nil {
			return nil, err
		}
		return exactly(ctx, n)
	}, nil
}

// MeasuresExploitability returns nil if [Evaluation] measures it for such networks by the game's tree, and else why
// not.
func (a *Agents) MeasuresExploitability(network nn.Description, nodes int) error {
	if a.ownMeasure(network) != nil {
		return fmt.Errorf("in %s exploitability is measured for hands, not for the whole game", a.entry.Name)
	}
	_, err := a.treeMeasure(network, nodes)
	return err
}

// treeMeasure measures on the whole tree, or on all positions, of a small two-player game.
func (a *Agents) treeMeasure(network nn.Description, nodes int) (measure, error) {
	spec := a.game.Spec()
	if spec.Seats != 2 {
		return nil, fmt.Errorf("it is computed in games for two, and %s has %d seats", spec.Name, spec.Seats)
	}
	layout, err := nn.NewLayout(network, spec)
	if err != nil {
		return nil, err
	}
	memory := layout.StateSize > 0
	exploitability, err := solver.NewMeasure(a.game, nodes, memory)
	what := "the tree of " + spec.Name + " has"
	if spec.PerfectInformation && !memory {
		what = spec.Name + " has"
	}
	switch {
	case errors.Is(err, solver.ErrNodes):
		return nil, fmt.Errorf("%s more than %d nodes, the limit that is set by league.curve_nodes", what, nodes)
	case err != nil:
		return nil, fmt.Errorf("the tree of %s is not walked: %w", spec.Name, err)
	}
	return func(_ context.Context, n *nn.Network) (map[string]float64, error) {
		value, err := exploitability(a.bestPlay(n))
		if err != nil {
			return nil, err
		}
		return map[string]float64{league.Exploitability: value}, nil
	}, nil
}

// ownMeasure is how the game measures networks without memory; nil where it does not. The first version waits until the
// game is solved.
func (a *Agents) ownMeasure(network nn.Description) measure {
	if a.entry.Exact.Measure == nil {
		return nil
	}
	if layout, err := nn.NewLayout(network, a.game.Spec()); err != nil || layout.StateSize > 0 {
		return nil
	}
	ofPolicy, err := a.entry.Exact.Measure(a.game)
	if err != nil {
		return nil
	}
	return func(ctx context.Context, n *nn.Network) (map[string]float64, error) {
		return ofPolicy(ctx, a.bestPlay(n))
	}
}

// bestPlay makes policies that play a network as it is rated.
func (a *Agents) bestPlay(n *nn.Network) func() policy.Policy {
	t := policy.Temperature(a.game.Spec().Temperature)
	return func() policy.Policy { return nn.NewPolicy(n, t) }
}
