package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"croupier/advice"
	"croupier/engine"
	"croupier/internal/rundir"
	"croupier/league"
	"croupier/messages"
	"croupier/settings"
)

// adviceOptions are the flags of the commands that give advice.
type adviceOptions struct {
	program
	agent   string
	run     string
	rules   string
	json    bool
	samples int
	seed    uint64
	quiet   bool
	flags   *pflag.FlagSet // of the command
}

func (o *adviceOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	o.flags = f
	f.StringVar(&o.agent, "agent", "", "agent that advises (default: the strongest one for the game)")
	f.StringVar(&o.run, "run", "",
		"run directory with versions like main@12, or \"none\" (default: the newest run of the game below runs)")
	f.BoolVar(&o.json, "json", false, "print the answer as JSON")
	f.IntVar(&o.samples, "samples", 0,
		"games to play out after each action (default: 64 to 4096, by the length of the games)")
	f.Uint64Var(&o.seed, "seed", 1, "seed for playing games out, where that is done")
}

// limits returns the limits on playing games out, the given ones where the flags say nothing.
func (o *adviceOptions) limits(limits advice.Options) (advice.Options, error) {
	limits.Samples, limits.Seed = o.samples, o.seed
	for _, name := range []string{"samples", "seed", "budget"} {
		if o.flags != nil && o.flags.Changed(name) {
			limits.Given = append(limits.Given, "--"+name)
		}
	}
	if err := limits.Validate(); err != nil {
		return limits, usage("--%w", err)
	}
	return limits, nil
}

// game returns the named game under --rules, else under the rules of the run, else under
// its own.
func (o *adviceOptions) game(ctx context.Context, name string) (engine.Game, error) {
	if o.run == "" || o.run == noRun || o.rules != "" {
		game, err := settings.GameUnder(ctx, o.catalog, name, o.rules)
		if err != nil {
			return nil, usage("%w", err)
		}
		return game, nil
	}
	config, err := settings.Read(o.catalog, o.run)
	if err != nil {
		return nil, err
	}
	if config.Game != name {
		return nil, usage("--run %s: the run is for %s, not for %s", o.run, config.Game, name)
	}
	return config.NewGame()
}

// noRun is the value of --run that means that no run is looked at.
const noRun = "none"

// versions returns the run directory whose versions can be asked about the game: that of --run,
// or else the newest run below runs that is of the game under its rules; "" if there is none.
func (o *adviceOptions) versions(game engine.Game) (run string, err error) {
	switch o.run {
	case noRun:
		return "", nil
	case "":
		return settings.NewestRun(o.catalog, rundir.Parent, game)
	}
	return o.run, nil
}

// choose returns the agent that the flags name. Of the newest run, which the user has not named, it does
// not matter if it has no ladder yet.
func (o *adviceOptions) choose(ctx context.Context, game engine.Game) (advice.Agent, error) {
	run, err := o.versions(game)
	if err != nil {
		return advice.Agent{}, err
	}
	var ladder *messages.Ladder
	if run != "" {
		ladder, err = league.ReadLadder(run)
		if err != nil && !(o.run == "" && errors.Is(err, league.ErrNoLadder)) {
			return advice.Agent{}, err
		}
	}
	known := o.agentsOf(game, run)
	agent, err := advice.Choose(ctx, known, known.Resolve(o.agent), ladder)
	if err != nil && o.agent != "" {
		err = fmt.Errorf("--agent: %w", err)
	}
	return agent, err
}
