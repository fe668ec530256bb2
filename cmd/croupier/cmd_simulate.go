package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"croupier/engine"
	"croupier/engine/games"
	"croupier/engine/history"
	"croupier/internal/strict"
	"croupier/nn"
	"croupier/policy"
)

// simulateOptions are the flags of croupier simulate.
type simulateOptions struct {
	games  uint64
	seed   uint64
	rules  string
	policy string
	out    string
}

func newSimulateCommand() *cobra.Command {
	var o simulateOptions
	cmd := &cobra.Command{
		Use:   "simulate GAME",
		Short: "Play games and write their histories",
		Long: `Simulate plays games in which one policy sits on every seat, and writes one JSON
object a line: game, rules, seed, history, returns and scores.

Game i (from 0) has a seed of its own, the first 53 bits of a hash of --seed, the word
"simulate" and i, so that every reader of JSON keeps it exactly. Chance and the choices
of each seat come from separate random streams of that seed. The same call writes the
same bytes.`,
		Example: `  croupier simulate bank --games 1000 --seed 7 --out games.jsonl
  croupier simulate pig --policy "hold(20)" | croupier replay - --trace`,
		Args: cobra.ExactArgs(1),
	}
	f := cmd.Flags()
	f.Uint64Var(&o.games, "games", 1, "number of games")
	f.Uint64Var(&o.seed, "seed", 1, "seed of everything random")
	f.StringVar(&o.rules, "rules", "", "YAML or JSON file with the game's rules (default: the game's)")
	f.StringVar(&o.policy, "policy", "random", `who plays: random, a bot like "threshold(100)", solver:NAME, file:PATH or search:file:PATH`)
	f.StringVar(&o.out, "out", "-", `file to write, "-" for standard output`)
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		return simulate(cmd.Context(), &o, args[0], cmd.OutOrStdout())
	})
	return cmd
}

func simulate(ctx context.Context, o *simulateOptions, name string, stdout io.Writer) error {
	game, err := gameFromFile(name, o.rules)
	if err != nil {
		return err
	}
	player, err := agentsOf(game, "").Player(ctx, o.policy)
	if err != nil {
		return usage("--policy: %v", err)
	}
	newPolicy := player.NewPolicy
	if player.Network != nil {
		newPolicy = func() policy.Policy { return nn.NewPolicy(player.Network) }
	}
	return writeOutput(o.out, stdout, func(w io.Writer) error {
		return simulateTo(ctx, w, game, newPolicy, o)
	})
}

// gameFromFile makes the game under the rules in the file, or under its own.
func gameFromFile(name, rules string) (engine.Game, error) {
	if rules == "" {
		game, err := games.New(name, nil)
		if err != nil {
			return nil, usage("%v", err)
		}
		return game, nil
	}
	document, err := os.ReadFile(rules)
	if err != nil {
		return nil, usage("--rules: %v", err)
	}
	game, err := games.New(name, strict.YAML(document))
	if err != nil {
		return nil, usage("--rules %s: %v", rules, err)
	}
	return game, nil
}

func simulateTo(ctx context.Context, w io.Writer, game engine.Game, newPolicy func() policy.Policy, o *simulateOptions) error {
	simulator, err := history.NewSimulator(game)
	if err != nil {
		return err
	}
	seats := make([]policy.Policy, game.Spec().Seats)
	players := make([]engine.Bot, len(seats))
	for i := range seats {
		seats[i] = newPolicy()
		players[i] = seats[i]
	}
	var (
		rec  history.Record
		line []byte
	)
	for i := range o.games {
		if ctx.Err() != nil {
			return fmt.Errorf("stopped after %d of %d games", i, o.games)
		}
		for _, p := range seats {
			p.Reset()
		}
		if err := simulator.Play(simulationSeed(o.seed, i), players, &rec); err != nil {
			return err
		}
		line = history.Append(line[:0], &rec)
		if _, err := w.Write(line); err != nil {
			return fmt.Errorf("writing game %d: %w", i, err)
		}
	}
	return nil
}

// simulationSeed is the seed of game i: 53 bits, which a float64 holds exactly.
func simulationSeed(seed, i uint64) uint64 {
	return engine.GameSeed(seed, "simulate", i) >> 11
}
