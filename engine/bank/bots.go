package bank

import (
	"fmt"

	"croupier/engine"
)

// Bot returns one of the game's bots:
//
//   - threshold(N): banks at the first poll with a bank of at least N points.
//   - rolls(K): banks after roll K of the round, or later.
//   - leader-chaser: a threshold that follows the difference to the best other seat
//     and the rounds left, see [leaderChaser].
func (g *Game) Bot(name string) (engine.Bot, error) {
	call, args, err := engine.ParseCall(name)
	if err != nil {
		return nil, err
	}
	switch {
	case call == "threshold" && len(args) == 1:
		return bankWhen(func(s *State) bool { return float64(s.bank) >= args[0] }), nil
	case call == "rolls" && len(args) == 1:
		return bankWhen(func(s *State) bool { return float64(s.roll) >= args[0] }), nil
	case call == "leader-chaser" && args == nil:
		return bankWhen(leaderChaser), nil
	}
	return nil, fmt.Errorf("unknown bank bot %q; the bots are threshold(N), rolls(K), leader-chaser", name)
}

// ReferenceBots names the bots on every ladder.
func (g *Game) ReferenceBots() []string {
	return []string{"threshold(100)", "rolls(6)", "leader-chaser"}
}

func bankWhen(enough func(*State) bool) engine.BotFunc {
	return func(s engine.State, _ []int, _ *engine.RNG) int {
		if enough(s.(*State)) {
			return Bank
		}
		return Pass
	}
}

// The leader-chaser's threshold: what it takes when the scores are level, and the
// least that it takes when it leads.
const (
	levelThreshold = 200
	leastThreshold = 75
)

// leaderChaser never banks before the next roll can bust. It wants levelThreshold
// points, more by its share of what it is behind for each round left, less when it
// leads; in the last round what it takes must put it ahead.
func leaderChaser(s *State) bool {
	if s.roll < safeRolls {
		return false
	}
	seat := int(s.player)
	best := int64(-1)
	for other, total := range s.totals[:s.game.rules.Players] {
		if other != seat {
			best = max(best, total)
		}
	}
	behind := best - s.totals[seat]
	left := int64(s.game.rules.Rounds) - int64(s.round)
	if left == 1 && s.bank <= behind {
		return false
	}
	return s.bank >= max(leastThreshold, levelThreshold+behind/left)
}
