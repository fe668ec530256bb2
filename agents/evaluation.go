package agents

import (
	"context"

	"croupier/engine"
	"croupier/nn"
	"croupier/policy"
	"croupier/solver"
	"croupier/solver/banluck"
)

// measure compares a network with the exact answer and returns curve values by series name.
type measure func(context.Context, *nn.Network) (map[string]float64, error)

// Evaluation returns a function that measures the file of a network with the given
// description against the exact answer of the game and returns curve values by series name.
// It is nil for a game that is too large, or if such networks cannot be measured.
func Evaluation(
	g engine.Game, network nn.Description,
) func(ctx context.Context, data []byte) (map[string]float64, error) {
	for _, measureOf := range measures {
		if exactly := measureOf(g, network); exactly != nil {
			resolver := New(g, Sources{})
			return func(ctx context.Context, data []byte) (map[string]float64, error) {
				n, err := resolver.decode(data)
				if err != nil {
					return nil, err
				}
				return exactly(ctx, n)
			}
		}
	}
	return nil
}

// Exploitability is the series of what versions can lose to whoever knows them, of [Evaluation].
const Exploitability = "exploitability"

// MeasuresExploitability says whether [Evaluation] does for such networks.
func MeasuresExploitability(g engine.Game, network nn.Description) bool {
	return banluckMeasure(g, network) == nil && treeMeasure(g, network) != nil
}

// measures lists the ways to measure, of which the first applicable one is used. Each is
// nil for a game or for networks it does not suit.
var measures = []func(engine.Game, nn.Description) measure{banluckMeasure, treeMeasure}

// maxCurveNodes bounds the game trees on which every frozen version is compared with the
// exact answer: larger ones would take longer than a version lasts.
const maxCurveNodes = 100_000

// treeMeasure measures on the whole tree of a small two-player game.
func treeMeasure(g engine.Game, _ nn.Description) measure {
	if g.Spec().Seats != 2 {
		return nil
	}
	tree, err := solver.NewTree(g, maxCurveNodes)
	if err != nil {
		return nil
	}
	return func(_ context.Context, n *nn.Network) (map[string]float64, error) {
		strategy, err := solver.StrategyOf(tree, func() policy.Policy { return nn.NewPolicy(n, policy.Sampled) })
		if err != nil {
			return nil, err
		}
		return map[string]float64{Exploitability: strategy.Exploitability()}, nil
	}
}

// banluckMeasure measures hand by hand, in Banluck with one player and for networks without
// memory. The first version waits until the game is solved.
func banluckMeasure(g engine.Game, network nn.Description) measure {
	if layout, err := nn.NewLayout(network, g.Spec()); err != nil || layout.StateSize > 0 {
		return nil
	}
	meter, err := banluck.NewMeter(g)
	if err != nil {
		return nil
	}
	return func(ctx context.Context, n *nn.Network) (map[string]float64, error) {
		return meter.Measure(ctx, func() policy.Policy { return nn.NewPolicy(n, policy.Sampled) })
	}
}
