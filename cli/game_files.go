package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"croupier/catalog"
	"croupier/internal/regular"
	"croupier/internal/rundir"
	"croupier/settings"
)

// gameFile is how the name of a game's file ends.
const gameFile = ".wasm"

// withFiles makes the games known that a command line brings along: a path in the place of a game's name, in which the
// name then stands, and the games of the run directories among the arguments.
func (p program) withFiles(args []string) (program, []string, error) {
	file := false
	for _, a := range args {
		file = file || strings.HasSuffix(a, gameFile)
		if _, value, _ := strings.Cut(a, "="); strings.HasPrefix(a, "--") {
			a = value
		}
		if _, err := os.Stat(filepath.Join(a, rundir.GameFile)); a != "" && err == nil {
			if err := settings.OpenGame(p.catalog, a); err != nil {
				return p, args, &failure{err}
			}
		}
	}
	if !file {
		return p, args, nil
	}
	path := p.gamePath(args)
	if path == "" {
		return p, args, nil
	}
	game, err := p.openFile(path)
	if err != nil {
		return p, args, err
	}
	if !slices.Contains(p.catalog.Names(), game.Name) {
		p.catalog = p.catalog.With(game)
	}
	return p, withName(args, path, game.Name), nil
}

// gamePath returns the path that a command line has in the place of a game's name, "" if it has none.
func (p program) gamePath(args []string) (path string) {
	cmd, rest, err := newRootCommand(p).Find(args)
	if err != nil {
		return "" // cobra says what is wrong
	}
	cmd.InheritedFlags() // makes those of the parents flags of the command
	keep := func(f *pflag.Flag, value string) error {
		if f.Name == "game" && strings.HasSuffix(value, gameFile) {
			path = value
		}
		return nil
	}
	if cmd.Flags().ParseAll(rest, keep) != nil {
		return ""
	}
	_, takes, _ := strings.Cut(cmd.Use, " ")
	if given := cmd.Flags().Args(); len(given) > 0 && strings.HasPrefix(strings.TrimPrefix(takes, "["), "GAME") &&
		strings.HasSuffix(given[0], gameFile) {
		return given[0]
	}
	return path
}

// openFile reads the file of a game.
func (p program) openFile(path string) (game catalog.Game, err error) {
	file, err := regular.Read(path, rundir.MaxGame)
	if err != nil {
		return game, &failure{err}
	}
	if game, err = p.catalog.Open(file); err != nil {
		return game, &failure{fmt.Errorf("%s: %w", path, err)}
	}
	return game, nil
}

// withName returns the arguments with the name of a game in the place of its path.
func withName(args []string, path, name string) []string {
	args = slices.Clone(args)
	for i, a := range args {
		switch a {
		case path:
			args[i] = name
			return args
		case "--game=" + path:
			args[i] = "--game=" + name
			return args
		}
	}
	return args
}
