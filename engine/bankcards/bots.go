package bankcards

import (
	"fmt"

	"croupier/engine"
)

// Bot returns one of the game's bots, which look at their hand, the pile and the sizes of
// the other hands:
//
//   - lowest plays the lowest card that it may play, and draws when there is none.
//   - blocker does the same, but plays the highest such card when another seat has one
//     card left.
func (g *Game) Bot(name string) (engine.Bot, error) {
	call, args, err := engine.ParseCall(name)
	if err != nil {
		return nil, err
	}
	switch {
	case call == "lowest" && args == nil:
		return engine.BotFunc(lowest), nil
	case call == "blocker" && args == nil:
		return engine.BotFunc(blocker), nil
	}
	return nil, fmt.Errorf("unknown bank-cards bot %q; the bots are lowest, blocker", name)
}

// ReferenceBots names the bots on every ladder.
func (g *Game) ReferenceBots() []string { return []string{"lowest", "blocker"} }

// lowest takes the action after pass or draw: the legal actions ascend.
func lowest(_ engine.State, legal []int, _ *engine.RNG) int { return legal[min(1, len(legal)-1)] }

func blocker(state engine.State, legal []int, rng *engine.RNG) int {
	s := state.(*State)
	for seat, hand := range s.hands[:s.game.rules.Players] {
		if seat != int(s.player) && hand.len() == 1 {
			return legal[len(legal)-1]
		}
	}
	return lowest(s, legal, rng)
}
