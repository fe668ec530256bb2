package solve

import (
	"context"

	"croupier/engine"
	"croupier/internal/stat"
	"croupier/policy"
)

// Simulate plays games of the response against its opponents through the engine and
// returns the mean return of its seat with the half width of the 95 % interval. The
// response must have its tables, see [Respond].
func (r *Response) Simulate(ctx context.Context, games int, seed uint64) (mean, half float64, err error) {
	seats := make([]policy.Policy, r.game.Spec().Seats)
	for i := range seats {
		seats[i] = policy.Random{}
		if r.opponents.bot != nil {
			seats[i] = policy.Bot(r.opponents.bot)
		}
	}
	seats[r.seat] = r.Policy()
	return simulate(ctx, r.game, games, seed, r.seat, seats)
}

// simulate plays games and returns the mean return of a seat with the half width of its
// 95 % interval.
func simulate(
	ctx context.Context, g engine.Game, games int, seed uint64, seat int, seats []policy.Policy,
) (mean, half float64, err error) {
	s, returns := g.NewState(), make([]float64, len(seats))
	chance, actions := engine.NewRNG(seed, engine.ChanceStream), engine.NewRNG(seed, engine.ActionStream)
	play := engine.Play{State: s, Chance: chance, Choose: func(seat int, legal []int) int {
		return seats[seat].Choose(s, legal, actions)
	}}
	var results stat.Moments
	for range games {
		if ctx.Err() != nil {
			return 0, 0, ctx.Err()
		}
		s.Reset()
		if err := play.ToEnd(); err != nil {
			return 0, 0, err
		}
		s.Returns(returns)
		results.Add(returns[seat])
	}
	return results.Mean, results.Margin(), nil
}
