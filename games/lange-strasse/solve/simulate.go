package solve

import (
	"context"
	"fmt"
	"math"

	"croupier/engine"
	langestrasse "croupier/games/lange-strasse"
	"croupier/internal/stat"
	"croupier/internal/texttable"
)

// Estimate is a mean with its 95 % interval, Mean ± Half.
type Estimate struct {
	Mean float64 `json:"mean"`
	Half float64 `json:"half_width"`
}

func (e Estimate) String() string {
	decimals := 0
	if e.Half > 0 {
		decimals = max(0, 1-int(math.Floor(math.Log10(e.Half)))) // two digits of the error
	}
	return texttable.Number(e.Mean, decimals) + " ± " + texttable.Number(e.Half, decimals)
}

func newEstimate(m stat.Moments) Estimate { return Estimate{m.Mean, m.Margin()} }

// Simulation is the outcome of turns played through the engine.
type Simulation struct {
	Turns  uint64   `json:"turns"`
	Points Estimate `json:"expected_points"`
	Strich Estimate `json:"strich_probability"`
}

// Simulate plays first turns of games with a bot. It calls progress, unless that is nil, now and then.
func Simulate(
	ctx context.Context, game engine.Game, bot engine.Bot, turns, seed uint64, progress func(done uint64),
) (*Simulation, error) {
	s, ok := game.NewState().(*langestrasse.State)
	if !ok {
		return nil, fmt.Errorf("simulation: the game is %s, not lange-strasse", game.Spec().Name)
	}
	chance, choices := engine.NewRNG(seed, engine.ChanceStream), engine.NewRNG(seed, engine.ActionStream)
	choose := func(_ int, legal []int) int { return bot.Choose(s, legal, choices) }
	play := engine.Play{State: s, Chance: chance, Choose: choose}
	var points, strich stat.Moments
	for turn := range turns {
		if turn%1024 == 0 && ctx.Err() != nil {
			return nil, fmt.Errorf("simulation: stopped after %d of %d turns", turn, turns)
		}
		for s.Reset(); s.Standing().Seat == 0; {
			if _, err := play.Step(); err != nil {
				return nil, fmt.Errorf("simulation: %w", err)
			}
		}
		end := s.Standing()
		points.Add(float64(end.Points[0]))
		strich.Add(float64(end.Strich))
		if progress != nil && ((turn+1)%1024 == 0 || turn == turns-1) {
			progress(turn + 1)
		}
	}
	return &Simulation{Turns: turns, Points: newEstimate(points), Strich: newEstimate(strich)}, nil
}
