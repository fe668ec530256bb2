package bench

import (
	"context"

	"croupier/engine"
)

// playoutGames is how many games are played between two looks at the clock.
const playoutGames = 100

// Engine measures random play of every game.
func (o *Options) Engine(ctx context.Context) ([]Playouts, error) {
	var (
		results  []Playouts
		subjects []subject
	)
	for _, entry := range o.Catalog.Games() {
		game, err := entry.New(nil)
		if err != nil {
			return nil, err
		}
		for _, mode := range []string{"playout", "observe"} {
			results = append(results, Playouts{Game: entry.Name, Mode: mode})
			subjects = append(subjects, subject{1, playouts(game, mode == "observe")})
		}
	}
	spreads, err := o.measure(ctx, "engine", subjects)
	if err != nil {
		return nil, err
	}
	for i, s := range spreads {
		results[i].DecisionsPerSecond, results[i].Spread = s.Median, s
	}
	return results, nil
}

// playouts plays games to their end by uniformly random legal actions, and counts decisions.
func playouts(game engine.Game, observe bool) func() (float64, error) {
	var (
		state       = game.NewState()
		rng         = engine.NewRNG(1, engine.ChanceStream)
		legal       = make([]int, 0, game.Spec().Actions)
		observation []float32
	)
	if observe {
		observation = make([]float32, game.Spec().ObservationSize)
	}
	return func() (float64, error) {
		decisions, err := engine.Playouts(state, playoutGames, rng, legal, observation)
		return float64(decisions), err
	}
}
