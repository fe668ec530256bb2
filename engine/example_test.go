package engine_test

import (
	"fmt"
	"log"

	"croupier/engine"
	"croupier/games/kuhn"
)

// A game is played by applying what chance and the seats do.
func ExampleGame() {
	game, err := kuhn.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(game.Spec().Title, "for", game.Spec().Seats)
	rng := engine.NewRNG(1, engine.ChanceStream)
	state := game.NewState()
	for state.Player() == engine.Chance {
		if err := state.Apply(state.SampleChance(rng)); err != nil {
			log.Fatal(err)
		}
	}
	for state.Player() != engine.Terminal {
		actions := state.LegalActions(nil)
		last := actions[len(actions)-1]
		fmt.Printf("seat %d: %s\n", state.Player(), state.ActionName(last))
		if err := state.Apply(last); err != nil {
			log.Fatal(err)
		}
	}
	returns := make([]float64, game.Spec().Seats)
	state.Returns(returns)
	fmt.Println(returns[0]+returns[1], "in sum")
	// Output:
	// Kuhn poker for 2
	// seat 0: bet
	// seat 1: call
	// 0 in sum
}
