package cluster_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"croupier/games/standard"

	"croupier/cluster"
	"croupier/settings"
)

// A whole cluster, with a broker of its own, trains an agent of Kuhn poker and rates it.
func Example() {
	dir, err := os.MkdirTemp("", "croupier-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	plan, err := cluster.Run{Catalog: standard.Games,
		Game: "kuhn", Dir: filepath.Join(dir, "run"),
		Changes: settings.Changes{Set: []string{"learner.ppo.samples=2048", "league.reference_sets=10",
			"league.final_sets=10", "league.gate_sets=10"}},
	}.Plan(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	c, err := cluster.Open(context.Background(), plan, cluster.Options{Games: 5000, Workers: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	if err := c.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	games, _ := c.Trained()
	ladder, err := c.Ladder()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("trained on 5000 games:", games >= 5000)
	fmt.Println("rated:", ladder.Game, len(ladder.Agents) > 2)
	// Output:
	// trained on 5000 games: true
	// rated: kuhn true
}
