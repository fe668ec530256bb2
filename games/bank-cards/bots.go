package bankcards

import "croupier/engine"

// bots look at their hand, the pile and the sizes of the other hands.
var bots = engine.Bots{
	Game: "bank-cards",
	Table: []engine.NamedBot{
		{
			Call: "lowest",
			Help: "plays the lowest card that it may play, or draws when there is none",
			New:  engine.NoNumbers(engine.BotFunc(lowest)),
		},
		{
			Call: "blocker",
			Help: "does the same, but plays the highest such card when another seat has one card left",
			New:  engine.NoNumbers(engine.BotFunc(blocker)),
		},
	},
	References: []string{"lowest", "blocker"},
}

// Bots returns the game's bots.
func (g *Game) Bots() *engine.Bots { return &bots }

// lowest takes the action after pass or draw if there is one: legal actions ascend.
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
