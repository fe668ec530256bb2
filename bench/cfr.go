package bench

import (
	"context"

	"croupier/solver"
)

const (
	// smallNodes is the size of the trees that are measured.
	smallNodes = 100_000
	// visited is about how many nodes are visited between two looks at the clock.
	visited = 100_000
)

// CFR measures CFR+ iterations on the games for two that are small enough.
func (o *Options) CFR(ctx context.Context) ([]CFR, error) {
	var (
		results  []CFR
		subjects []subject
	)
	for _, entry := range o.Catalog.Games() {
		game, err := entry.New(nil)
		if err != nil {
			return nil, err
		}
		if game.Spec().Seats != 2 {
			continue
		}
		tree, err := solver.NewTree(game, smallNodes)
		if err != nil {
			continue // too large
		}
		iterations := max(1, visited/tree.Nodes())
		cfr, err := solver.NewCFR(tree, solver.Plus)
		if err != nil {
			return nil, err
		}
		results = append(results, CFR{Game: entry.Name})
		subjects = append(subjects, subject{1, func() (float64, error) {
			cfr.Run(iterations)
			return float64(iterations), nil
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
