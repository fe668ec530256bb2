package main

import (
	"context"

	"github.com/spf13/cobra"

	"croupier/advice"
	"croupier/agents"
	"croupier/engine"
	"croupier/league"
	"croupier/messages"
	"croupier/settings"
)

// adviceOptions are the flags of the commands that give advice.
type adviceOptions struct {
	agent   string
	run     string
	rules   string
	json    bool
	samples int
	seed    uint64
}

func (o *adviceOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.agent, "agent", "", "whose advice to ask (default: the best there is for the game)")
	f.StringVar(&o.run, "run", "", "run directory with versions like main@12")
	f.BoolVar(&o.json, "json", false, "print the answer as JSON")
	f.IntVar(&o.samples, "samples", 0,
		"games to play out after each action (default: 64 to 4096, by the length of the games)")
	f.Uint64Var(&o.seed, "seed", 1, "seed for playing games out")
}

// limits returns the limits on playing games out, the given ones where the flags say nothing.
func (o *adviceOptions) limits(limits advice.Options) (advice.Options, error) {
	limits.Samples, limits.Seed = o.samples, o.seed
	if err := limits.Validate(); err != nil {
		return limits, usage("--%v", err)
	}
	return limits, nil
}

// agentsOf returns the agents of a game for a user of this machine, including the versions
// in a run directory unless run is "".
func agentsOf(game engine.Game, run string) *agents.Agents {
	sources := agents.Sources{Files: true}
	if run != "" {
		sources.Frozen = agents.FromRun(run)
	}
	return agents.New(game, sources)
}

// game returns the named game under --rules, else under the rules of the run, else under
// its own.
func (o *adviceOptions) game(name string) (engine.Game, error) {
	if o.run == "" || o.rules != "" {
		game, err := settings.GameUnder(name, o.rules)
		if err != nil {
			return nil, usage("%v", err)
		}
		return game, nil
	}
	config, err := settings.Read(o.run)
	if err != nil {
		return nil, err
	}
	if config.Game != name {
		return nil, usage("--run %s: the run is for %s, not for %s", o.run, config.Game, name)
	}
	return config.NewGame()
}

// ladder reads the ladder of the run, nil if there is no run.
func (o *adviceOptions) ladder() (*messages.Ladder, error) {
	if o.run == "" {
		return nil, nil
	}
	return league.ReadLadder(o.run)
}

// choose returns the agent that the flags name.
func (o *adviceOptions) choose(ctx context.Context, game engine.Game) (advice.Agent, error) {
	ladder, err := o.ladder()
	if err != nil {
		return advice.Agent{}, err
	}
	agent, err := advice.Choose(ctx, agentsOf(game, o.run), o.agent, ladder)
	if err != nil && o.agent != "" {
		err = usage("--agent: %v", err)
	}
	return agent, err
}
