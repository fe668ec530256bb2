package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"croupier/catalog"
	gameprogram "croupier/engine/program"
	"croupier/internal/regular"
	"croupier/internal/rundir"
	"croupier/settings"
)

// gamesVariable names the environment variable with the folder of added games; the value off has none.
const gamesVariable = "CROUPIER_GAMES"

// gamesFolder is the folder of the games that croupier games add keeps: by default one in the configuration folder of
// the user. It is empty where there is none.
func gamesFolder() string {
	switch folder := os.Getenv(gamesVariable); folder {
	case "":
		config, err := os.UserConfigDir()
		if err != nil {
			return ""
		}
		return filepath.Join(config, "croupier", "games")
	case "off":
		return ""
	default:
		return folder
	}
}

// withAdded returns the program with the games that were added, and says which of their files are of no use.
func (p program) withAdded(unusable func(error)) program {
	files, _ := filepath.Glob(filepath.Join(gamesFolder(), "*"+gameFile)) // the patterns are well formed
	programs, _ := filepath.Glob(filepath.Join(gamesFolder(), "*"+keptProgram))
	for _, path := range append(files, programs...) {
		game, err := p.openAdded(path)
		if err != nil {
			unusable(err)
			continue
		}
		p.catalog = p.catalog.WithSource(game)
	}
	return p
}

const (
	gameFile    = ".wasm" // is how the name of a game's file ends,
	keptProgram = ".json" // and that of an added program
)

// comesAlong reports whether what is in the place of a game's name is a file or a program.
func comesAlong(name string) bool { return strings.HasSuffix(name, gameFile) || gameprogram.Is(name) }

// withFiles makes the games known that a command line brings along: a path or a program in the place of a game's name,
// in which the name then is, and the games of the run directories among the arguments.
func (p program) withFiles(args []string) (program, []string, error) {
	for _, a := range args {
		if _, value, _ := strings.Cut(a, "="); strings.HasPrefix(a, "--") {
			a = value
		}
		if _, err := os.Stat(filepath.Join(a, rundir.GameFile)); a == "" || err != nil {
			continue
		}
		game, found, err := settings.OpenGame(p.catalog, a)
		if err != nil {
			return p, args, &failure{err}
		}
		if found {
			p.catalog = p.catalog.WithSource(game)
		}
	}
	path := p.gamePath(args)
	if path == "" {
		return p, args, nil
	}
	game, err := p.openSource(path)
	if err != nil {
		return p, args, err
	}
	p.catalog = p.catalog.WithSource(game)
	return p, withName(args, path, game.Name), nil
}

// gamePath returns the path or program that a command line has in the place of a game's name, "" if it has none.
func (p program) gamePath(args []string) (path string) {
	if !slices.ContainsFunc(args, func(a string) bool { return comesAlong(strings.TrimPrefix(a, "--game=")) }) {
		return ""
	}
	cmd, rest, err := newRootCommand(p).Find(args)
	if err != nil {
		return "" // cobra reports what is wrong
	}
	_, takes, _ := strings.Cut(cmd.Use, " ")
	takesGame := strings.HasPrefix(strings.TrimPrefix(takes, "["), "GAME")
	if takesGame && len(rest) > 0 && comesAlong(rest[0]) {
		return rest[0] // also for solve, whose subcommands have flags of their own
	}
	cmd.InheritedFlags() // makes those of the parents flags of the command
	keep := func(f *pflag.Flag, value string) error {
		if f.Name == "game" && comesAlong(value) {
			path = value
		}
		return nil
	}
	if cmd.Flags().ParseAll(rest, keep) != nil {
		return ""
	}
	if given := cmd.Flags().Args(); takesGame && len(given) > 0 && comesAlong(given[0]) {
		return given[0]
	}
	return path
}

// openSource reads the file of a game, or starts its program.
func (p program) openSource(name string) (game catalog.Game, err error) {
	if !gameprogram.Is(name) {
		return p.openFile(name)
	}
	command, err := gameprogram.Named(name)
	if err != nil {
		return game, usage("%w", err)
	}
	if game, err = p.catalog.Start(command); err != nil {
		return game, &failure{err}
	}
	return game, nil
}

// openAdded reads what croupier games add has kept.
func (p program) openAdded(path string) (game catalog.Game, err error) {
	if strings.HasSuffix(path, gameFile) {
		return p.openFile(path)
	}
	text, err := regular.Read(path, rundir.MaxGame)
	if err != nil {
		return game, err
	}
	kept, err := gameprogram.ReadKept(text)
	if err != nil {
		return game, fmt.Errorf("%s: %w", path, err)
	}
	return catalog.Game{Name: kept.Name(), New: kept.New, Source: kept}, nil
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
