package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"croupier/engine/history"
	"croupier/settings"
)

// simulateOptions are the flags of croupier simulate.
type simulateOptions struct {
	program
	games  uint64
	seed   uint64
	rules  string
	policy string
	out    string
}

func newSimulateCommand(p program) *cobra.Command {
	o := simulateOptions{program: p}
	cmd := &cobra.Command{
		Use:   "simulate GAME",
		Short: "Play games and write their histories",
		Long: `Simulate plays games with one policy in every seat, and writes one JSON object per
line: game, rules, seed, history, returns and scores.

Game i (from 0) has a seed of its own, the first 53 bits of a hash of --seed, the word
"simulate" and i: few enough for every JSON reader to keep exactly. Chance and the
choices of each seat come from separate random streams of that seed. The same call
writes the same bytes.`,
		Example: `  croupier simulate bank --games 1000 --seed 7 --out games.jsonl
  croupier simulate pig --policy "hold(20)" | croupier replay - --trace`,
		Args: cobra.ExactArgs(1),
	}
	f := cmd.Flags()
	f.Uint64Var(&o.games, "games", 1, "number of games")
	f.Uint64Var(&o.seed, "seed", 1, "seed of everything random")
	f.StringVar(&o.rules, "rules", "", "YAML or JSON file with the game's rules (default: the game's)")
	f.StringVar(&o.policy, "policy", "random",
		`who plays: random, a level like expert, a bot like "threshold(100)", or any other agent ("croupier help reference/agents")`)
	f.StringVar(&o.out, "out", "-", `file to write, "-" for standard output`)
	cmd.RunE = action(func(cmd *cobra.Command, args []string) error {
		return simulate(cmd.Context(), &o, args[0], cmd.OutOrStdout(), cmd.ErrOrStderr())
	})
	return cmd
}

func simulate(ctx context.Context, o *simulateOptions, name string, stdout, warnings io.Writer) error {
	game, err := settings.GameUnder(ctx, o.catalog, name, o.rules)
	if err != nil {
		return usage("%w", err)
	}
	known := o.agentsOf(game, "")
	player, err := known.Player(ctx, o.policy)
	if err != nil {
		return fmt.Errorf("--policy: %w", err)
	}
	seats := make([]history.Player, game.Spec().Seats)
	for i := range seats {
		seats[i] = player.Policy()
	}
	return writeOutput(o.out, stdout, func(w io.Writer) error {
		if err := history.Write(ctx, w, game, seats, o.games, o.seed); err != nil {
			return err
		}
		printConduct(warnings, known)
		return known.Failed()
	})
}
