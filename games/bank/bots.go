package bank

import "croupier/engine"

var bots = engine.Bots{
	Game: "bank",
	Table: []engine.NamedBot{
		{
			Call: "threshold(N)",
			Help: "banks at the first poll with a bank of at least N points",
			New: engine.OneNumber("N", 0, MaxBank, func(n float64) engine.Bot {
				return bankWhen(func(s *State) bool { return float64(s.bank) >= n })
			}),
		},
		{
			Call: "rolls(K)",
			Help: "banks after roll K of the round, or later",
			New: engine.OneNumber("K", 0, mostRolls, func(k float64) engine.Bot {
				return bankWhen(func(s *State) bool { return float64(s.roll) >= k })
			}),
		},
		{
			Call: "leader-chaser",
			Help: "uses a threshold that depends on its distance to the best other seat and on the rounds left",
			New:  engine.NoNumbers(bankWhen(leaderChaser)),
		},
	},
	References: []string{"threshold(100)", "rolls(6)", "leader-chaser"},
}

// Bots returns the game's bots.
func (g *Game) Bots() *engine.Bots { return &bots }

func bankWhen(enough func(*State) bool) engine.BotFunc {
	return func(s engine.State, _ []int, _ *engine.RNG) int {
		if enough(s.(*State)) {
			return Bank
		}
		return Pass
	}
}

// The leader-chaser's thresholds: the bank it takes when the scores are level, and the least it
// takes when it leads.
const (
	levelThreshold = 200
	leastThreshold = 75
)

// mostRolls is the largest K of rolls(K), which then never banks: no round has that many rolls in practice.
const mostRolls = 1000

// leaderChaser never banks before the next roll can bust. It wants levelThreshold points plus
// its deficit divided by the rounds left, and less when it leads; in the last round the bank
// must put it ahead.
func leaderChaser(s *State) bool {
	if s.roll < safeRolls {
		return false
	}
	seat := int(s.player)
	behind := s.bestOther(seat) - s.totals[seat]
	left := int64(s.game.rules.Rounds) - int64(s.round)
	if left == 1 && s.bank <= behind {
		return false
	}
	return s.bank >= max(leastThreshold, levelThreshold+behind/left)
}
