package advice

import (
	"cmp"
	"context"
	"math"
	"slices"

	"croupier/archive"
	"croupier/catalog"
	"croupier/engine"
)

// Costs reviews a game of the archive and returns its most expensive decision and the certain mistakes, to be stored
// next to it; begin makes the reviewer of a game.
func Costs(
	ctx context.Context, games *catalog.Catalog, g *archive.Game, begin func(engine.Game) (*Reviewer, error),
) (archive.Review, error) {
	game, rec, err := g.Record(games)
	if err != nil {
		return archive.Review{}, err
	}
	reviewer, err := begin(game)
	if err != nil {
		return archive.Review{}, err
	}
	worst := archive.Review{Judge: reviewer.Agent.Name, Why: reviewer.Agent.Adviser.Why, Step: -1, Loss: math.Inf(-1),
		Mistakes: []archive.Mistake{}}
	err = reviewer.Review(ctx, rec, func(d *Decision) error {
		if d.Loss > worst.Loss {
			worst.Loss, worst.Step, worst.Seat, worst.Taken, worst.Best = d.Loss, d.Step, d.Seat, d.TakenName, d.BestName
		}
		if d.Mistake && d.Loss > 0 {
			worst.Mistakes = addMistake(worst.Mistakes, d)
		}
		return nil
	})
	slices.SortStableFunc(worst.Mistakes, func(a, b archive.Mistake) int { return cmp.Compare(b.Loss, a.Loss) })
	worst.Loss = max(0, worst.Loss) // an estimate may be below 0 by chance
	worst.Unit, worst.Exact = reviewer.Unit, reviewer.Exact
	return worst, err
}

// addMistake keeps the most expensive mistake of each seat.
func addMistake(list []archive.Mistake, d *Decision) []archive.Mistake {
	m := archive.Mistake{Loss: d.Loss, Step: d.Step, Seat: d.Seat, Taken: d.TakenName, Best: d.BestName}
	i := slices.IndexFunc(list, func(o archive.Mistake) bool { return o.Seat == m.Seat })
	switch {
	case i < 0:
		return append(list, m)
	case list[i].Loss < m.Loss:
		list[i] = m
	}
	return list
}
