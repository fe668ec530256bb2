package langestrasse

import (
	"fmt"
	"math/bits"

	"croupier/engine"
)

// Bot returns one of the game's bots:
//
//   - greedy-stop takes a Lange Strasse, else a Talheim, else every die that scores,
//     and ends the turn as soon as that is allowed.
//   - threshold(N) keeps the same, and ends the turn as soon as that is allowed with at
//     least N points in the turn.
//   - turn-optimum makes the most points of each turn on average, see [Optimum].
//
// None of them looks at the other players.
func (g *Game) Bot(name string) (engine.Bot, error) {
	call, args, err := engine.ParseCall(name)
	if err != nil {
		return nil, err
	}
	switch {
	case call == "greedy-stop" && args == nil:
		return threshold(0), nil
	case call == "threshold" && len(args) == 1:
		return threshold(args[0]), nil
	case call == "turn-optimum" && args == nil:
		best := TurnOptimum()
		return engine.BotFunc(func(state engine.State, _ []int, _ *engine.RNG) int {
			s := state.(*State)
			m, _ := best.choose(int(s.turn), s.node)
			return int(m.Action)
		}), nil
	}
	return nil, fmt.Errorf("unknown lange-strasse bot %q; the bots are greedy-stop, threshold(N), turn-optimum", name)
}

// ReferenceBots names the bots on every ladder.
func (g *Game) ReferenceBots() []string {
	return []string{"greedy-stop", "threshold(500)", "turn-optimum"}
}

// threshold keeps all that scores and stops with that many points in the turn.
func threshold(enough float64) engine.BotFunc {
	return func(state engine.State, legal []int, _ *engine.RNG) int {
		s := state.(*State)
		moves := s.tables.at(s.node)
		if last := moves[len(moves)-1]; last.Action >= Straight {
			return int(last.Action)
		}
		best := moves[0] // which does not stop: the same keep that rolls on is before it
		for _, m := range moves[1:] {
			more := bits.OnesCount8(m.Action/2) - bits.OnesCount8(best.Action/2)
			if more > 0 || more == 0 && m.Stops() && float64(s.turn)+float64(m.Points) >= enough {
				best = m
			}
		}
		return int(best.Action)
	}
}
