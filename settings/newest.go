package settings

import (
	"slices"

	"croupier/catalog"
	"croupier/engine"
	"croupier/internal/rundir"
)

// NewestRun returns the directory of the newest run below parent that trains for the game under the
// same rules, "" if there is none. Runs that cannot be read are passed over.
func NewestRun(games *catalog.Catalog, parent string, game engine.Game) (string, error) {
	runs, err := rundir.List(parent, func(_ string, info rundir.Info) bool {
		return info.Kind == "" && info.Game == game.Spec().Name
	})
	if err != nil {
		return "", err
	}
	wanted := engine.RulesHash(game)
	for _, dir := range slices.Backward(runs) {
		if config, err := Read(games, dir); err == nil {
			if g, err := config.NewGame(); err == nil && engine.RulesHash(g) == wanted {
				return dir, nil
			}
		}
	}
	return "", nil
}
