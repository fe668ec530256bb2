package policy_test

import (
	"fmt"
	"log"

	"croupier/engine"
	"croupier/games/pig"
	"croupier/policy"
)

// A bot of a game, and random play, are policies: whatever chooses an action.
func ExamplePolicy() {
	game, err := pig.New([]byte("target: 20"))
	if err != nil {
		log.Fatal(err)
	}
	bot, err := game.Bots().New("hold(20)")
	if err != nil {
		log.Fatal(err)
	}
	state := game.NewState()
	legal := state.LegalActions(nil)
	player := policy.Bot(bot)
	player.Reset() // before each game
	action := player.Choose(state, legal, engine.NewRNG(1, 0))
	fmt.Println("the bot:", state.ActionName(action))
	probabilities := make([]float64, len(legal))
	policy.Random{}.Distribution(state, legal, probabilities)
	fmt.Println("at random:", probabilities)
	// Output:
	// the bot: roll
	// at random: [0.5 0.5]
}
