package program

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// kindOpenSpiel begins the names of games of OpenSpiel: openspiel:NAME, with the parameters that OpenSpiel takes.
const kindOpenSpiel = "openspiel"

// pythonVariable names the environment variable with the Python that has OpenSpiel.
const pythonVariable = "OPENSPIEL_PYTHON"

var (
	//go:embed kits/python/croupier_game.py
	kitSource string
	//go:embed openspiel.py
	bridgeSource string
)

// loader runs the bridge with the kit as its module: both are arguments, so that they need no file.
const loader = `import sys, types
kit = types.ModuleType("croupier_game")
kit.__file__ = "croupier_game.py"
exec(compile(sys.argv[1], kit.__file__, "exec"), kit.__dict__)
sys.modules["croupier_game"] = kit
exec(compile(sys.argv[2], "openspiel.py", "exec"), {"__name__": "__main__", "GAME": sys.argv[3]})`

// openSpiel sets the command that bridges to a game of OpenSpiel.
func (c *Command) openSpiel(game string) error {
	python := os.Getenv(pythonVariable)
	if python == "" {
		python = "python3"
	}
	if strings.TrimSpace(game) == "" {
		return errors.New("it does not say which game: it must look like openspiel:tic_tac_toe")
	}
	if _, err := exec.LookPath(python); err != nil {
		return fmt.Errorf("it needs Python 3 with the package open-spiel of PyPI, which %s names: %w", pythonVariable, err)
	}
	c.words = []string{python, "-c", loader, kitSource, bridgeSource, game}
	return nil
}
