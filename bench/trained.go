package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"croupier/catalog"
	"croupier/settings"
)

// TrainedNetworks returns the networks that games are trained with: GAME with its defaults,
// or GAME=FILE with the settings in a file.
func TrainedNetworks(ctx context.Context, games *catalog.Catalog, names []string) ([]Network, error) {
	var networks []Network
	for _, name := range names {
		game, file, _ := strings.Cut(name, "=")
		c, err := settings.Default(games, game)
		if err != nil {
			return nil, err
		}
		if err := (&settings.Changes{File: file}).Apply(ctx, c); err != nil {
			return nil, err
		}
		if file != "" {
			name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		}
		g, err := c.Build()
		if err != nil {
			return nil, fmt.Errorf("--network %s: %w", name, err)
		}
		networks = append(networks, Network{name, c.Network, g.Spec(), played(g)})
	}
	return networks, nil
}
