package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"croupier/engine"
	"croupier/internal/rundir"
)

// NewestRun returns the directory of the newest run below parent that is of the game under the
// same rules, "" if there is none. Runs that cannot be read are passed over.
func NewestRun(parent string, game engine.Game) (string, error) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", nil
		}
		return "", err
	}
	newest, made, wanted := "", time.Time{}, engine.RulesHash(game)
	for _, e := range entries {
		dir := filepath.Join(parent, e.Name())
		info, err := rundir.ReadInfo(dir)
		if err != nil || info.Game != game.Spec().Name || !info.Created.After(made) {
			continue
		}
		if config, err := Read(dir); err == nil {
			if g, err := config.NewGame(); err == nil && engine.RulesHash(g) == wanted {
				newest, made = dir, info.Created
			}
		}
	}
	return newest, nil
}
