package nn_test

import (
	"fmt"
	"log"

	"croupier/engine"
	"croupier/games/leduc"
	"croupier/nn"
	"croupier/policy"
)

// A network is described, laid out for a game, and plays it.
func Example() {
	game, err := leduc.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	description, err := nn.ParseDescription([]byte("dense: [32]"))
	if err != nil {
		log.Fatal(err)
	}
	layout, err := nn.NewLayout(description, game.Spec())
	if err != nil {
		log.Fatal(err)
	}
	network, err := nn.NewNetwork(layout, layout.Init(1)) // not trained
	if err != nil {
		log.Fatal(err)
	}
	state, rng := game.NewState(), engine.NewRNG(1, 0)
	for state.Player() == engine.Chance {
		if err := state.Apply(state.SampleChance(rng)); err != nil {
			log.Fatal(err)
		}
	}
	legal := state.LegalActions(nil)
	probabilities := make([]float64, len(legal))
	nn.NewPolicy(network, 1).Distribution(state, legal, probabilities)
	sum := 0.0
	for _, p := range probabilities {
		sum += p
	}
	fmt.Printf("%d actions, probabilities that sum to %.3f\n", len(legal), sum)
	greedy := nn.NewPolicy(network, policy.Greedy)
	fmt.Println("chosen:", state.ActionName(greedy.Choose(state, legal, rng)) != "")
	// Output:
	// 2 actions, probabilities that sum to 1.000
	// chosen: true
}
