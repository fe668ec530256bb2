package enginetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/conformance"
)

// checkFigureWeights: the game has the same figures under all rules, and under some of them
// each figure gets weight from games of random players or of bots.
func checkFigureWeights(t *testing.T, games []engine.Game) {
	figures := games[0].Spec().Figures
	weights := make([]float64, len(figures))
	for _, g := range games {
		require.Equal(t, figures, g.Spec().Figures, "figures under different rules")
		addFigureWeights(t, g, weights)
	}
	for i, f := range figures {
		require.Positive(t, weights[i], "figure %s has no weight in any game", f.Name)
	}
}

// addFigureWeights measures games of each kind of player and adds up the figures' weights.
func addFigureWeights(t *testing.T, g engine.Game, weights []float64) {
	s, measured := g.NewState().(engine.Measured)
	if !measured {
		return
	}
	players := []engine.Bot{conformance.Random}
	for _, name := range g.Bots().References {
		bot, err := g.Bots().New(name)
		require.NoError(t, err)
		players = append(players, bot)
	}
	sums := engine.NewSums(g.Spec())
	for _, player := range players {
		for seed := range uint64(10) {
			rng := engine.NewRNG(seed, 0)
			for s.Reset(); s.Player() != engine.Terminal; {
				step := conformance.NextStep(s, rng)
				if s.Player() >= 0 {
					step = player.Choose(s, s.LegalActions(nil), rng)
				}
				s.MeasureStep(step, sums)
				require.NoError(t, s.Apply(step))
			}
			s.MeasureEnd(sums)
		}
	}
	for seat := range g.Spec().Seats {
		for i, sum := range sums.Of(seat) {
			weights[i] += sum.Weight
		}
	}
}
