package bench

import (
	"context"

	"croupier/engine/games"
	"croupier/solver"
)

// CFR measures CFR+ iterations on the poker games that are small enough.
func (o *Options) CFR(ctx context.Context) ([]CFR, error) {
	var (
		results  []CFR
		subjects []subject
	)
	for _, g := range []struct {
		name       string
		iterations int // between two looks at the clock
	}{{"kuhn", 1000}, {"leduc", 10}} {
		game, err := games.New(g.name, nil)
		if err != nil {
			return nil, err
		}
		tree, err := solver.NewTree(game, solver.MaxNodes)
		if err != nil {
			return nil, err
		}
		cfr, err := solver.NewCFR(tree, solver.Plus)
		if err != nil {
			return nil, err
		}
		results = append(results, CFR{Game: g.name})
		subjects = append(subjects, subject{1, func() (float64, error) {
			cfr.Run(g.iterations)
			return float64(g.iterations), nil
		}})
	}
	spreads, err := o.measure(ctx, "cfr", subjects)
	if err != nil {
		return nil, err
	}
	for i, s := range spreads {
		results[i].IterationsPerSecond, results[i].Spread = s.Median, s
	}
	return results, nil
}
