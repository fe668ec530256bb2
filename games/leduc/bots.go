package leduc

import "croupier/engine"

// bots are simple and honest: they act on the strength of their hand alone and never bluff.
var bots = engine.Bots{
	Game: "leduc",
	Table: []engine.NamedBot{
		{
			Call: "tight",
			Help: "raises with a king before the public card and with a pair after it, calls with a queen before " +
				"and with a king after, and otherwise checks or folds",
			New: engine.NoNumbers(engine.BotFunc(tight)),
		},
		{
			Call: "loose",
			Help: "raises with a queen or king before the public card, and with a king or a pair after it, and " +
				"otherwise calls: it never folds",
			New: engine.NoNumbers(engine.BotFunc(loose)),
		},
		{Call: "caller", Help: "checks and calls with everything", New: engine.NoNumbers(engine.BotFunc(caller))},
	},
	References: []string{"tight", "loose", "caller"},
}

// Bots returns the game's bots.
func (Game) Bots() *engine.Bots { return &bots }

func caller(engine.State, []int, *engine.RNG) int { return Call }

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
