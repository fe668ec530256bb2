package langestrasse

import (
	"context"
	"fmt"
	"math"

	"croupier/engine"
	"croupier/engine/langestrasse"
)

// Estimate is a mean with its 95 % interval, Mean ± Half.
type Estimate struct {
	Mean float64 `json:"mean"`
	Half float64 `json:"half_width"`
}

func (e Estimate) String() string { return fmt.Sprintf("%.5g ± %.2g", e.Mean, e.Half) }

// estimate is that of a mean of n values with the given sum and sum of squares.
func estimate(sum, squares, n float64) Estimate {
	mean := sum / n
	return Estimate{mean, 1.96 * math.Sqrt(max(squares/n-mean*mean, 0)/n)}
}

// Simulation is what turns came to that were played through the engine.
type Simulation struct {
	Turns  uint64   `json:"turns"`
	Points Estimate `json:"expected_points"`
	Strich Estimate `json:"strich_probability"`
}

// Simulate plays first turns of games with a bot.
func Simulate(ctx context.Context, game engine.Game, bot engine.Bot, turns, seed uint64) (*Simulation, error) {
	s, ok := game.NewState().(*langestrasse.State)
	if !ok {
		return nil, fmt.Errorf("simulation: the game is %s, not lange-strasse", game.Spec().Name)
	}
	chance, choices := engine.NewRNG(seed, engine.ChanceStream), engine.NewRNG(seed, engine.ActionStream)
	var legal []int
	var points, squares, strich float64
	for turn := range turns {
		if turn%1024 == 0 && ctx.Err() != nil {
			return nil, fmt.Errorf("simulation: stopped after %d of %d turns", turn, turns)
		}
		for s.Reset(); s.Standing().Seat == 0; {
			step := 0
			if s.Player() == engine.Chance {
				step = s.SampleChance(chance)
			} else {
				legal = s.LegalActions(legal[:0])
				step = bot.Choose(s, legal, choices)
			}
			if err := s.Apply(step); err != nil {
				return nil, fmt.Errorf("simulation: %w", err)
			}
		}
		end := s.Standing()
		score := float64(end.Points[0])
		points += score
		squares += score * score
		strich += float64(end.Strich)
	}
	n := float64(turns)
	return &Simulation{Turns: turns, Points: estimate(points, squares, n), Strich: estimate(strich, strich, n)}, nil
}
