package solve

import (
	"fmt"

	"croupier/engine"
	game "croupier/games/bank"
	"croupier/policy"
)

// opponents are the other seats of a game, all of which play the same bot.
type opponents struct {
	bot engine.Bot // nil: random
	// blind opponents do not look at points.
	blind bool
	// rolls is the number of the roll from which on they answer all rolls alike.
	rolls int
}

// maxRolls bounds the K of rolls(K), which multiplies the size of tables.
const maxRolls = 12

func newOpponents(g engine.Game, name string) (o opponents, err error) {
	if name == policy.RandomName {
		if players := g.Spec().Seats; players > 2 {
			return o, fmt.Errorf("solver: bank: the response to random is computed for 2 players, not %d: "+
				"it needs opponents that act alike", players)
		}
		return opponents{blind: true, rolls: stages}, nil
	}
	o = opponents{rolls: stages}
	if o.bot, err = g.Bots().New(name); err != nil {
		return o, fmt.Errorf("solver: %w", err)
	}
	call, args, err := engine.ParseCall(name)
	if err != nil {
		return o, err
	}
	o.blind = call == "threshold" || call == "rolls"
	if call == "rolls" {
		if !(args[0] <= maxRolls) {
			return o, fmt.Errorf("solver: bank: the response to %s is not computed, only to rolls(K) with K up to %d",
				name, maxRolls)
		}
		o.rolls = max(stages, int(args[0])+1)
	}
	return o, nil
}

// banks returns the probability that the seat to move banks.
func (o opponents) banks(s *game.State) float64 {
	if o.bot == nil {
		return 0.5
	}
	return float64(o.bot.Choose(s, []int{game.Pass, game.Bank}, nil))
}
