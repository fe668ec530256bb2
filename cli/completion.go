package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"croupier/agents"
	"croupier/internal/rundir"
	"croupier/settings"
)

// completer offers what the shell can put for an argument or the value of a flag; args are the
// arguments before it.
type completer = func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective)

// flagCompletions reports what the values of flags are, by the flag's name in any command.
func (p program) flagCompletions() map[string]completer {
	return map[string]completer{
		"game":    listed(p.catalog.Names),
		"run":     completeRuns,
		"agent":   p.completeAgents,
		"agents":  p.completeAgents,
		"against": p.completeAgents,
		"policy":  p.completeAgents,
		"set":     p.completeSettings,
		"algo":    listed(p.algorithms),
	}
}

// algorithms returns the names of the learning algorithms.
func (p program) algorithms() (names []string) {
	for _, a := range settings.Algorithms(p.catalog) {
		names = append(names, a.Name)
	}
	return names
}

// addCompletions gives every command below cmd the completion of its arguments, which Use names,
// and of its flags.
func (p program) addCompletions(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		p.addCompletions(c)
		switch _, argument, _ := strings.Cut(c.Use, " "); {
		case c.ValidArgsFunction != nil:
		case strings.HasPrefix(strings.TrimPrefix(argument, "["), "GAME"):
			c.ValidArgsFunction = p.completeGameThenAgents
		case strings.HasPrefix(argument, "AGENT"):
			c.ValidArgsFunction = p.completeAgents
		case argument == "":
			c.ValidArgsFunction = cobra.NoFileCompletions
		}
		for name, complete := range p.flagCompletions() {
			if c.LocalFlags().Lookup(name) != nil {
				must(c.RegisterFlagCompletionFunc(name, complete))
			}
		}
	}
}

func listed(names func() []string) completer {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return names(), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeGameThenAgents is for a game, and agents of it if the command has more arguments.
func (p program) completeGameThenAgents(cmd *cobra.Command, args []string,
	begun string) ([]string, cobra.ShellCompDirective) {
	switch {
	case len(args) == 0:
		return p.catalog.Names(), cobra.ShellCompDirectiveNoFileComp
	case strings.Contains(cmd.Use, "AGENT"):
		return p.completeAgents(cmd, args, begun)
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// completeRuns offers the runs below runs, or any directory.
func completeRuns(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	entries, err := os.ReadDir(rundir.Parent)
	if err != nil {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	var runs []string
	for _, e := range entries {
		path := filepath.Join(rundir.Parent, e.Name())
		if info, err := rundir.ReadInfo(path); err == nil {
			runs = append(runs, path+"\t"+info.Game)
		}
	}
	if runs == nil {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	return runs, cobra.ShellCompDirectiveNoFileComp
}

// completeAgents offers the agents of the game that the command line names (agents.Names), and the
// versions of the run. Without a game it offers
// those of all games.
func (p program) completeAgents(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	named := append(slices.Clone(args[:min(1, len(args))]), flagValue(cmd, "game"))
	var names, several []string
	if strings.Contains(cmd.Use, "AGENT...") {
		several = []string{agents.All}
	}
	for _, entry := range p.catalog.Games() {
		if slices.ContainsFunc(named, p.isGame) && !slices.Contains(named, entry.Name) {
			continue
		}
		game, err := entry.New(nil)
		if err != nil {
			continue
		}
		for _, name := range append(p.agentsOf(game, "").Names(), several...) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if run := flagValue(cmd, "run"); run != "" {
		names = append(names, versionsIn(run)...)
	}
	return names, cobra.ShellCompDirectiveDefault // a file: can be named, too
}

func (p program) isGame(name string) bool { return slices.Contains(p.catalog.Names(), name) }

func flagValue(cmd *cobra.Command, name string) string {
	if f := cmd.Flags().Lookup(name); f != nil {
		return f.Value.String()
	}
	return ""
}

// versionsIn returns the frozen versions of a run.
func versionsIn(run string) (names []string) {
	const suffix = ".safetensors"
	paths, _ := filepath.Glob(filepath.Join(run, rundir.VersionFolder, "*"+suffix)) // the pattern is well formed
	for _, path := range paths {
		names = append(names, strings.TrimSuffix(filepath.Base(path), suffix))
	}
	return names
}

// completeSettings offers the keys of settings.
func (p program) completeSettings(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	game := p.firstGame()
	if len(args) > 0 {
		game = args[0]
	}
	config, err := settings.Default(p.catalog, game)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	document, err := config.Encode()
	var root yaml.Node
	if err != nil || yaml.Unmarshal(document, &root) != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var keys []string
	for _, n := range root.Content {
		keys = appendKeys(keys, n, "")
	}
	return keys, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// appendKeys appends the paths of all values of a mapping, each with "=".
func appendKeys(keys []string, n *yaml.Node, path string) []string {
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		return append(keys, strings.TrimPrefix(path, ".")+"=")
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		keys = appendKeys(keys, n.Content[i+1], path+"."+n.Content[i].Value)
	}
	return keys
}
