package advice

import (
	"context"
	"math"

	"croupier/archive"
	"croupier/catalog"
	"croupier/engine"
)

// Costs reviews a game of the archive and returns its most expensive decision, to be stored
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
	worst := archive.Review{Judge: reviewer.Agent.Name, Step: -1, Loss: math.Inf(-1)}
	err = reviewer.Review(ctx, rec, func(d *Decision) error {
		if d.Loss > worst.Loss {
			worst.Loss, worst.Step, worst.Seat, worst.Taken, worst.Best = d.Loss, d.Step, d.Seat, d.TakenName, d.BestName
		}
		return nil
	})
	worst.Loss = max(0, worst.Loss) // an estimate may be below 0 by chance
	worst.Unit, worst.Exact = reviewer.Unit, reviewer.Exact
	return worst, err
}
