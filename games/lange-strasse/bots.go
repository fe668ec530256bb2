package langestrasse

import (
	"math/bits"

	"croupier/engine"
)

// bots do not look at the other players.
var bots = engine.Bots{
	Game: "lange-strasse",
	Table: []engine.NamedBot{
		{
			Call: "greedy-stop",
			Help: "takes a Lange Strasse, else a Talheim, else every die that scores, and ends the turn as soon " +
				"as it may",
			New: engine.NoNumbers(threshold(0)),
		},
		{
			Call: "threshold(N)",
			Help: "keeps the same dice, and ends the turn as soon as it may with at least N points in the " +
				"turn",
			New: engine.OneNumber("N", 0, mostThreshold, func(n float64) engine.Bot { return threshold(n) }),
		},
		{Call: "turn-optimum", Help: "maximises the expected points of each turn", New: newTurnOptimum},
	},
	References: []string{"greedy-stop", "threshold(500)", "turn-optimum"},
}

// Bots returns the game's bots.
func (g *Game) Bots() *engine.Bots { return &bots }

// mostThreshold is the largest N of threshold(N): ten times the points that end the game.
const mostThreshold = 100_000

// newTurnOptimum plays by [Optimum], which is computed for the first such bot.
func newTurnOptimum([]float64) (engine.Bot, error) {
	best := TurnOptimum()
	return engine.BotFunc(func(state engine.State, _ []int, _ *engine.RNG) int {
		s := state.(*State)
		m, _ := best.choose(int(s.turn), s.node)
		return int(m.Action)
	}), nil
}

// threshold keeps all that scores and stops with that many points in the turn.
func threshold(enough float64) engine.BotFunc {
	return func(state engine.State, legal []int, _ *engine.RNG) int {
		s := state.(*State)
		moves := s.tables.at(s.node)
		if last := moves[len(moves)-1]; last.Action >= Straight {
			return int(last.Action)
		}
		best := moves[0] // does not stop: the same keep with a roll precedes it
		for _, m := range moves[1:] {
			more := bits.OnesCount8(m.Action/2) - bits.OnesCount8(best.Action/2)
			if more > 0 || more == 0 && m.Stops() && float64(s.turn)+float64(m.Points) >= enough {
				best = m
			}
		}
		return int(best.Action)
	}
}
