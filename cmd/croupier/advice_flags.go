package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"croupier/advice"
	"croupier/agents"
	"croupier/engine"
	"croupier/league"
	"croupier/settings"
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

// agentsOf returns the agents of a game for a user of this machine, with the versions of a
// run directory unless that is "".
func agentsOf(game engine.Game, run string) *agents.Agents {
	sources := agents.Sources{Files: true}
	if run != "" {
		sources.Frozen = agents.FromRun(run)
	}
	return agents.New(game, sources)
}

// game returns the named game: under --rules, else under those of the run.
func (o *adviceOptions) game(name string) (engine.Game, error) {
	if o.run == "" || o.rules != "" {
		return gameFromFile(name, o.rules)
	}
	config, err := settings.Read(o.run)
	if err != nil {
		return nil, err
	}
	if config.Game != name {
		return nil, usage("--run %s: the run is of %s, not of %s", o.run, config.Game, name)
	}
	return config.NewGame()
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

// choose returns the agent that the flags name.
func (o *adviceOptions) choose(ctx context.Context, game engine.Game) (advice.Agent, error) {
	best, err := o.best()
	if err != nil {
		return advice.Agent{}, err
	}
	agent, err := advice.Choose(ctx, agentsOf(game, o.run), o.agent, best)
	if err != nil && o.agent != "" {
		err = usage("--agent: %v", err)
	}
	return agent, err
}
