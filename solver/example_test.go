package solver_test

import (
	"context"
	"fmt"
	"log"

	"croupier/games/kuhn"
	"croupier/policy"
	"croupier/solver"
)

// How much is lost against best responses by random play, and by the equilibrium that CFR+ finds.
func Example() {
	game, err := kuhn.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	tree, err := solver.NewTree(game, solver.MaxNodes)
	if err != nil {
		log.Fatal(err)
	}
	random, err := solver.StrategyOf(tree, func() policy.Policy { return policy.Random{} })
	if err != nil {
		log.Fatal(err)
	}
	equilibrium, _, err := solver.SolveTables(context.Background(), game)
	if err != nil {
		log.Fatal(err)
	}
	solved, err := solver.StrategyOf(tree, func() policy.Policy { return equilibrium() })
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("random play: %.4f\n", random.Exploitability())
	fmt.Printf("equilibrium: %.4f, worth %.4f to seat 0\n", solved.Exploitability(), solved.Values()[0])
	// Output:
	// random play: 0.4583
	// equilibrium: 0.0000, worth -0.0556 to seat 0
}
