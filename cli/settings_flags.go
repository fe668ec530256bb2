package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"croupier/catalog"
	"croupier/settings"
)

// settingsFlags are the flags that change the settings of a run.
type settingsFlags struct {
	settings.Changes
	seed uint64
}

func (f *settingsFlags) add(flags *pflag.FlagSet, games *catalog.Catalog) {
	flags.StringVar(&f.File, "config", "", "YAML file with settings; see \"croupier config GAME\"")
	flags.StringVar(&f.Rules, "rules", "", "YAML or JSON file with the game's rules")
	flags.BoolVar(&f.Family, "family", false, "train for every table that people choose: numbers of players, lengths, switches of the rules")
	flags.StringVar(&f.League, "league", "",
		"YAML file with the league's settings: its learning agents, and how they play")
	flags.StringVar(&f.Algorithm, "algo", "",
		"learning algorithm: "+settings.AlgorithmNames(games)+" (default: learner.algorithm of the settings)")
	flags.StringArrayVar(&f.Set, "set", nil, "a setting, as in learner.ppo.epochs=3; may be repeated")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of everything random")
	group(flags, settingFlags, "config", "rules", "family", "league", "algo", "set", "seed")
}

// changes returns what the command line asks for.
func (f *settingsFlags) changes(cmd *cobra.Command) settings.Changes {
	if cmd.Flags().Changed("seed") {
		f.Seed = &f.seed
	}
	return f.Changes
}
