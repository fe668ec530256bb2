package pig

import (
	"math"

	"croupier/engine"
)

// bots always hold when holding wins. "keep-pace" is from Neller and Presser, "Practical Play
// of the Dice Game Pig", The UMAP Journal 31(1), 2010.
var bots = engine.Bots{
	Game: "pig",
	Table: []engine.NamedBot{
		{Call: "hold(N)", Help: "holds with N or more points in the turn", New: engine.OneNumber("N", 1, maxTarget, newHold)},
		{
			Call: "keep-pace",
			Help: "keeps pace and ends the race: holds at 21 + (its deficit) / 8, rounded, and never short " +
				"of winning once a score is within 29 of the target",
			New: engine.NoNumbers(holdAt(keepPace)),
		},
	},
	References: []string{"hold(20)", "hold(25)", "keep-pace"},
}

// Bots returns the game's bots.
func (g *Game) Bots() *engine.Bots { return &bots }

func newHold(n float64) engine.Bot { return holdAt(func(*State) float64 { return n }) }

// holdAt holds with that many points in the turn, or when holding wins.
func holdAt(points func(*State) float64) engine.BotFunc {
	return func(state engine.State, _ []int, _ *engine.RNG) int {
		s := state.(*State)
		if s.scores[s.seat]+s.turn >= s.target() || float64(s.turn) >= points(s) {
			return Hold
		}
		return Roll
	}
}

func keepPace(s *State) float64 {
	own, other := s.scores[s.seat], s.scores[1-s.seat]
	if max(own, other) >= s.target()-29 {
		return math.Inf(1)
	}
	// At least 1, so that a seat far ahead does not hold with nothing for ever.
	return max(1, 21+math.Round(float64(other-own)/8))
}
