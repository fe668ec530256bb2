package peers

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/games/standard"
	"croupier/internal/testproc"
)

// All games, among them one from a file, are games of OpenSpiel that end as they do here. They pass its own checks, but
// for two whose games are long. Kuhn and Leduc poker are as exploitable as OpenSpiel's own.
func TestOpenSpielPackage(t *testing.T) {
	python := peer(t, "OPENSPIEL_PYTHON", "pyspiel", "numpy")
	file, err := filepath.Abs("../../engine/wasm/kits/c/kuhn.wasm")
	require.NoError(t, err)
	rules := map[string]map[string]any{"pig": {"target": 20}, "bank": {"players": 3}}
	twins := map[string]string{"kuhn": "kuhn_poker", "leduc": "leduc_poker"}
	long := map[string]bool{"lange-strasse": true, "bank-cards": true}
	names := append(standard.Games.Names(), file)
	names = slices.DeleteFunc(names, func(name string) bool { return name == "tysiac" }) // many of tysiac-hand
	var requests bytes.Buffer
	for _, name := range names {
		require.NoError(t, json.NewEncoder(&requests).Encode(
			map[string]any{"game": name, "rules": rules[name], "long": long[name], "twin": twins[name]}))
	}
	command := python("openspiel_check.py")
	withPackage(t, command)
	command.Stdin, command.Stderr = &requests, os.Stderr
	out, err := testproc.Output(command)
	require.NoError(t, err)
	answers := json.NewDecoder(bytes.NewReader(out))
	for _, name := range names {
		var played struct {
			History      []int        `json:"history"`
			Observations [][]float32  `json:"observations"`
			Rewards      []float64    `json:"rewards"`
			Exploitable  [][2]float64 `json:"exploitable"`
		}
		require.NoError(t, answers.Decode(&played), name)
		requireEnvironment(t, name, rules[name], played.History, played.Observations, played.Rewards)
		require.Equal(t, twins[name] != "", len(played.Exploitable) > 0, name)
		for _, pair := range played.Exploitable {
			require.InDelta(t, pair[1], pair[0], 1e-6, name)
		}
	}
}
