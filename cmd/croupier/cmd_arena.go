package main

import (
	"context"
	"encoding/json"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"croupier/actor"
	"croupier/engine"
	"croupier/league"
	"croupier/messages"
)

// arenaTables is how many games of a match are played at the same time.
const arenaTables = 64

// arenaOptions are the flags of croupier arena.
type arenaOptions struct {
	game    string
	games   uint64
	seed    uint64
	run     string
	workers int
	json    bool
	rules   string
}

func newArenaCommand() *cobra.Command {
	var o arenaOptions
	cmd := &cobra.Command{
		Use:   "arena AGENT AGENT...",
		Short: "Play a tournament between any agents",
		Long: `Arena lets every pair of the agents play, rates them and prints the ladder.
Each deal is played in all seat assignments, so that luck is shared; with more than
two seats one agent of the pair sits alone among copies of the other, both ways.
--games is the number of games of each pair and way, rounded up to whole deals.

Agents are: random; a bot of the game, like "threshold(100)"; solver:NAME where the
game has an exact answer; main@12, a frozen version of the run of --run; file:PATH,
an exported network; search:main@12 or search:file:PATH, a network that looks ahead
(search(DEPTH,SAMPLES):…, see docs/algorithms/search.md).

Under the ladder stands how long each move took of those agents that are no networks,
which answer many games at once. Other programs on the machine lengthen it. It is not
in the JSON, which is the same for the same call.`,
		Example: `  croupier arena main@12 "threshold(100)" random --game bank --games 3000 --run runs/evening
  croupier arena file:pig.safetensors solver:optimal --game pig --games 10000 --json`,
		Args: cobra.MinimumNArgs(2),
	}
	f := cmd.Flags()
	f.StringVar(&o.game, "game", "", "the game (default: that of --run)")
	f.StringVar(&o.rules, "rules", "", "YAML or JSON file with the game's rules (default: those of --run, else the game's)")
	f.Uint64Var(&o.games, "games", 1000, "games of each pair")
	f.Uint64Var(&o.seed, "seed", 1, "seed of all deals")
	f.StringVar(&o.run, "run", "", "run directory of versions like main@12")
	f.IntVar(&o.workers, "workers", runtime.NumCPU(), "matches played at the same time")
	f.BoolVar(&o.json, "json", false, "print the ladder as JSON")
	cmd.RunE = action(func(cmd *cobra.Command, names []string) error {
		return arena(cmd.Context(), o, names, cmd.OutOrStdout())
	})
	return cmd
}

func arena(ctx context.Context, o arenaOptions, names []string, out io.Writer) error {
	if o.games < 1 || o.workers < 1 {
		return usage("--games and --workers must be at least 1")
	}
	config, err := o.config()
	if err != nil {
		return err
	}
	game, err := config.newGame()
	if err != nil {
		return usage("%v", err)
	}
	resolver := newAgents(game, nil)
	if o.run != "" {
		resolver.frozen = frozenFrom(o.run)
	}
	players, watch := map[string]*actor.Player{}, &stopwatch{}
	for _, name := range names {
		if players[name] != nil {
			return usage("agent %s is named twice", name)
		}
		player, err := resolver.Player(ctx, name)
		if err != nil {
			return err
		}
		players[name] = watch.watch(player)
	}
	tournament := league.Tournament{
		Spec: game.Spec(), RulesHash: engine.RulesHash(game), Run: "arena", Agents: names, Kind: ladderKind,
		Sets: league.SetsFor(game.Spec(), o.games), Workers: o.workers,
	}
	ladder, err := tournament.Play(ctx, func(ctx context.Context, m *messages.Match) (*messages.Result, error) {
		return actor.PlayMatch(ctx, game, o.seed, m, players[m.A], players[m.B], arenaTables)
	})
	if err != nil {
		return err
	}
	if o.json {
		return json.NewEncoder(out).Encode(ladder)
	}
	if err := league.Render(out, ladder); err != nil {
		return err
	}
	return watch.render(out)
}

// config finds game and rules: those of the flags, else those of the run.
func (o *arenaOptions) config() (*runConfig, error) {
	var c *runConfig
	var err error
	switch {
	case o.run != "":
		if c, err = readConfig(o.run); err != nil {
			return nil, err
		}
		if o.game != "" && o.game != c.Game {
			return nil, usage("--game %s: the run %s is of %s", o.game, o.run, c.Game)
		}
	case o.game == "":
		return nil, usage("name the game with --game, or a run with --run")
	default:
		if c, err = defaultConfig(o.game); err != nil {
			return nil, err
		}
	}
	flags := configFlags{rules: o.rules}
	return c, flags.apply(c)
}
