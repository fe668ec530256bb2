package main

import (
	"path/filepath"
	"strings"

	"croupier/bench"
)

// benchNetworks returns the networks to measure: those with which games are trained,
// GAME with its defaults or GAME=FILE with the settings of a file for --config, or
// the reference networks if there are no names.
func benchNetworks(names []string) ([]bench.Network, error) {
	if len(names) == 0 {
		return bench.ReferenceNetworks(), nil
	}
	var networks []bench.Network
	for _, name := range names {
		game, file, _ := strings.Cut(name, "=")
		c, err := defaultConfig(game)
		if err != nil {
			return nil, err
		}
		if file != "" {
			if err := (&configFlags{file: file}).apply(c); err != nil {
				return nil, err
			}
			name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		}
		g, err := c.build()
		if err != nil {
			return nil, usage("--network %s: %v", name, err)
		}
		networks = append(networks, bench.Network{Name: name, Description: c.Network, Spec: g.Spec()})
	}
	return networks, nil
}
