package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"croupier/advice"
	"croupier/engine"
	"croupier/league"
	"croupier/nn"
	"croupier/policy"
)

// adviceOptions are the flags of the commands that give advice.
type adviceOptions struct {
	agent   string
	run     string
	rules   string
	json    bool
	samples int
	budget  time.Duration
	seed    uint64
}

func (o *adviceOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.agent, "agent", "", "whose advice (default: the best there is for the game)")
	f.StringVar(&o.run, "run", "", "run directory of versions like main@12")
	f.BoolVar(&o.json, "json", false, "print the answer as JSON")
	f.IntVar(&o.samples, "samples", 0, "games to play out after each action (default: as many as the budget allows)")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the games that are played out")
}

// limits returns what bounds the playing out.
func (o *adviceOptions) limits() (advice.Options, error) {
	limits := advice.Options{Samples: o.samples, Budget: o.budget, Seed: o.seed}
	if err := limits.Validate(); err != nil {
		return limits, usage("--%v", err)
	}
	return limits, nil
}

// resolver returns the agents of the game, with the versions of --run.
func (o *adviceOptions) resolver(game engine.Game) *agents {
	if o.run == "" {
		return newAgents(game, nil)
	}
	return newAgents(game, frozenFrom(o.run))
}

// game returns the named game: under --rules, else under those of the run.
func (o *adviceOptions) game(name string) (engine.Game, error) {
	if o.run == "" || o.rules != "" {
		return gameFromFile(name, o.rules)
	}
	config, err := readConfig(o.run)
	if err != nil {
		return nil, err
	}
	if config.Game != name {
		return nil, usage("--run %s: the run is of %s, not of %s", o.run, config.Game, name)
	}
	return config.newGame()
}

// best names the best version of the run, "" where there is none.
func (o *adviceOptions) best() (string, error) {
	if o.run == "" {
		return "", nil
	}
	ladder, err := league.ReadLadder(o.run)
	if err != nil {
		return "", err
	}
	best, _ := ladder.Best()
	return best.Name, nil
}

// chooseAdvisor returns the named agent, or, without a name, the best there is: a
// solution, the best version of the run (""; none), the strongest bot.
func chooseAdvisor(ctx context.Context, a *agents, name, best string) (advice.Agent, error) {
	if name != "" {
		return a.advisor(ctx, name)
	}
	for _, s := range solversFirst(a.game) {
		// A solution is not for all rules: then the next best is taken.
		if agent, err := a.advisor(ctx, s.agent); err == nil {
			return agent, nil
		}
	}
	if best != "" {
		return a.advisor(ctx, best)
	}
	return a.advisor(ctx, strongestBot(a.game))
}

// solversFirst returns the solutions of a game, those of the whole game before others.
func solversFirst(game engine.Game) []solution {
	list := solutionsOf(game)
	slices.SortStableFunc(list, func(a, b solution) int {
		switch {
		case a.reference == b.reference:
			return 0
		case a.reference:
			return -1
		}
		return 1
	})
	return list
}

// choose returns the agent that the flags name.
func (o *adviceOptions) choose(ctx context.Context, game engine.Game) (advice.Agent, error) {
	best, err := o.best()
	if err != nil {
		return advice.Agent{}, err
	}
	agent, err := chooseAdvisor(ctx, o.resolver(game), o.agent, best)
	if err != nil && o.agent != "" {
		err = usage("--agent: %v", err)
	}
	return agent, err
}

// advisor returns an agent that can be asked.
func (a *agents) advisor(ctx context.Context, name string) (advice.Agent, error) {
	player, err := a.Player(ctx, name)
	if err != nil {
		return advice.Agent{}, err
	}
	agent := advice.Agent{Name: name, New: player.NewPolicy}
	if network := player.Network; network != nil {
		agent.New = func() policy.Policy { return nn.NewPolicy(network) }
		agent.Recurrent = network.Layout.StateSize > 0
	}
	return agent, nil
}

// strongestBot names the bot to ask where nothing better is there: the last of the
// reference bots, which are listed from the weakest on, but for these games.
func strongestBot(game engine.Game) string {
	switch game.Spec().Name {
	case "banluck":
		return "baseline"
	case "leduc":
		return "tight"
	case "kuhn":
		return "equilibrium(0.2)"
	}
	bots := game.ReferenceBots()
	return bots[len(bots)-1]
}

// positioned returns the game if its positions can be written down.
func positioned(game engine.Game) (engine.Positioned, error) {
	g, ok := game.(engine.Positioned)
	if !ok {
		return nil, fmt.Errorf("positions of %s cannot be written down", game.Spec().Name)
	}
	return g, nil
}
