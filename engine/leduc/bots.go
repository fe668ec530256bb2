package leduc

import (
	"fmt"

	"croupier/engine"
)

// bots are simple and honest: what they do follows from the strength of their hand
// alone, and they never bluff.
var bots = map[string]engine.BotFunc{
	"tight":  tight,
	"loose":  loose,
	"caller": func(engine.State, []int, *engine.RNG) int { return Call },
}

// Bot returns one of the game's bots:
//
//   - tight raises with a king before the public card and with a pair after it, calls
//     with a queen before and with a king after, and otherwise checks or folds.
//   - loose raises with a queen or king before the public card, and with a king or a
//     pair after it, and otherwise calls: it never folds.
//   - caller checks and calls with everything.
func (Game) Bot(name string) (engine.Bot, error) {
	call, args, err := engine.ParseCall(name)
	if err != nil {
		return nil, err
	}
	bot, ok := bots[call]
	if !ok || args != nil {
		return nil, fmt.Errorf("unknown leduc bot %q; the bots are tight, loose, caller", name)
	}
	return bot, nil
}

// ReferenceBots names the bots on every ladder.
func (Game) ReferenceBots() []string { return []string{"tight", "loose", "caller"} }

const (
	jack  = 0
	queen = 1
	king  = 2
)

// hand returns the rank of the card of the seat to move and whether it pairs the
// public card.
func hand(s *State) (rank int, pair bool) {
	rank = s.Private(s.Player()) / suits
	return rank, s.Public() != engine.Hidden && s.Public()/suits == rank
}

func tight(state engine.State, legal []int, _ *engine.RNG) int {
	s := state.(*State)
	rank, pair := hand(s)
	strong, fair := rank == king, rank == queen
	if s.Round() == 1 {
		strong, fair = pair, rank == king
	}
	switch {
	case strong:
		return raiseOrCall(legal)
	case fair || !s.FacingRaise():
		return Call
	}
	return Fold
}

func loose(state engine.State, legal []int, _ *engine.RNG) int {
	s := state.(*State)
	rank, pair := hand(s)
	if pair || rank == king || rank == queen && s.Round() == 0 {
		return raiseOrCall(legal)
	}
	return Call
}

// raiseOrCall returns raise, or call after the last raise of the round.
func raiseOrCall(legal []int) int { return legal[len(legal)-1] }
