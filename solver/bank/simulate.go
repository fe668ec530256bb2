package bank

import (
	"context"
	"math"

	"croupier/engine"
	game "croupier/engine/bank"
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
func simulate(ctx context.Context, g engine.Game, games int, seed uint64, seat int, seats []policy.Policy) (mean, half float64, err error) {
	s, returns, legal := g.NewState(), make([]float64, len(seats)), []int{game.Pass, game.Bank}
	chance, actions := engine.NewRNG(seed, engine.ChanceStream), engine.NewRNG(seed, engine.ActionStream)
	sum, squares := 0.0, 0.0
	for range games {
		if ctx.Err() != nil {
			return 0, 0, ctx.Err()
		}
		for s.Reset(); s.Player() != engine.Terminal; {
			step := 0
			if player := s.Player(); player == engine.Chance {
				step = s.SampleChance(chance)
			} else {
				step = seats[player].Choose(s, legal, actions)
			}
			if err := s.Apply(step); err != nil {
				return 0, 0, err
			}
		}
		s.Returns(returns)
		sum, squares = sum+returns[seat], squares+returns[seat]*returns[seat]
	}
	n := float64(games)
	mean = sum / n
	return mean, 1.96 * math.Sqrt(max(0, squares/n-mean*mean)/n), nil
}
