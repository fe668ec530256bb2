package bench

import (
	"context"

	"croupier/engine"
	"croupier/engine/games"
)

// playoutGames is how many games are played between two looks at the clock.
const playoutGames = 100

// Engine measures random play of every game.
func (o *Options) Engine(ctx context.Context) ([]Playouts, error) {
	var (
		results  []Playouts
		subjects []subject
	)
	for _, entry := range games.All {
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

// playouts plays games to their end, every legal action alike, and counts decisions.
func playouts(game engine.Game, observe bool) func() (float64, error) {
	var (
		state       = game.NewState()
		rng         = engine.NewRNG(1, engine.ChanceStream)
		legal       = make([]int, 0, game.Spec().Actions)
		observation = make([]float32, game.Spec().ObservationSize)
	)
	return func() (float64, error) {
		decisions := 0
		for range playoutGames {
			state.Reset()
			for player := state.Player(); player != engine.Terminal; player = state.Player() {
				var step int
				if player == engine.Chance {
					step = state.SampleChance(rng)
				} else {
					decisions++
					if observe {
						state.Observe(player, observation)
					}
					legal = state.LegalActions(legal[:0])
					step = legal[rng.IntN(len(legal))]
				}
				if err := state.Apply(step); err != nil {
					return 0, err
				}
			}
		}
		return float64(decisions), nil
	}
}
