package pig

import (
	"fmt"
	"math"

	"croupier/engine"
)

// Bot returns one of the game's bots. All of them hold when that wins.
//
//   - hold(N): holds with N or more points in the turn, N >= 1.
//   - keep-pace: "keep pace and end race" (Neller and Presser, "Practical Play of the
//     Dice Game Pig", The UMAP Journal 31(1), 2010): holds at 21 + (what it is
//     behind) / 8, rounded; never holds short of winning once a score is within 29
//     of the target.
func (g *Game) Bot(name string) (engine.Bot, error) {
	call, args, err := engine.ParseCall(name)
	if err != nil {
		return nil, err
	}
	switch {
	case call == "hold" && len(args) == 1:
		if args[0] < 1 {
			return nil, fmt.Errorf("pig bot %q: it must roll for at least 1 point", name)
		}
		return holdAt(func(*State) float64 { return args[0] }), nil
	case call == "keep-pace" && args == nil:
		return holdAt(keepPace), nil
	}
	return nil, fmt.Errorf("unknown pig bot %q; the bots are hold(N), keep-pace", name)
}

// ReferenceBots names the bots on every ladder.
func (g *Game) ReferenceBots() []string { return []string{"hold(20)", "hold(25)", "keep-pace"} }

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
