package agents

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/standard"
	"croupier/nn"
	"croupier/policy"
)

// withVersions returns the agents of a game with main@1, a policy, and main@2, a network of
// action values.
func withVersions(t *testing.T, name string) *Agents {
	t.Helper()
	game, err := standard.Games.New(name, nil)
	require.NoError(t, err)
	files := map[string][]byte{}
	for version, d := range map[string]nn.Description{
		"main@1": {Dense: []int{8}}, "main@2": {Dense: []int{8}, Outputs: nn.ActionValueOutputs},
	} {
		layout, err := nn.NewLayout(d, game.Spec())
		require.NoError(t, err)
		network, err := nn.NewNetwork(layout, layout.Init(1))
		require.NoError(t, err)
		file, err := nn.NewFile(network, game, map[string]string{})
		require.NoError(t, err)
		files[version], err = file.Encode()
		require.NoError(t, err)
	}
	return New(game, Sources{Catalog: standard.Games, Frozen: func(_ context.Context, name string) ([]byte, error) {
		if data, ok := files[name]; ok {
			return data, nil
		}
		return nil, errors.New("there is no such version")
	}})
}

func TestNetworksPlayAtATemperature(t *testing.T) {
	a := withVersions(t, "pig")
	for name, want := range map[string]policy.Temperature{
		"main@1": policy.Sampled, "greedy:main@1": policy.Greedy, "temperature(0.5):main@1": 0.5,
		"main@2": policy.Sampled, "greedy:main@2": policy.Greedy,
	} {
		p, err := a.Player(t.Context(), name)
		require.NoError(t, err, name)
		require.Equal(t, name, p.Name)
		require.Equal(t, want, p.Temperature, name)
		require.NotNil(t, p.Network, name)
		require.Equal(t, "network", Kind(name))
	}
}

func TestWhatHasNoTemperature(t *testing.T) {
	a := withVersions(t, "pig")
	const (
		notNetwork = "is not a network: only trained networks have a temperature"
		noSearch   = "a search takes its best action"
	)
	for name, want := range map[string]string{
		"greedy:random":                notNetwork,
		"greedy:hold(20)":              notNetwork,
		"temperature(2):keep-pace":     notNetwork,
		"greedy:solver:optimal":        notNetwork,
		"greedy:search:main@1":         noSearch,
		"search:greedy:main@1":         noSearch + ", greedy or not: write search:main@1",
		"search(2):temperature(2):x@1": noSearch + ", temperature 2 or not: write search(2):x@1",
		"greedy:greedy:main@1":         "greedy:main@1 already names a temperature",
		"greedy:main@3":                "there is no such version",
		"temperature(0):main@1":        "a temperature is one number above 0",
		"temperature(1):main@1":        `is called "main@1"`,
		"temperature(0.5):main@2":      "trained to the values of actions",
		"greedy:":                      "does not say which network plays",
	} {
		_, err := a.Player(t.Context(), name)
		require.ErrorContains(t, err, want, name)
	}
}

func TestDefaultPlay(t *testing.T) {
	mixed, pure := &engine.Spec{Temperature: 1}, &engine.Spec{Temperature: 0}
	require.Equal(t, "greedy:main@12", DefaultPlay(pure, "main@12"))
	require.Equal(t, "main@12", DefaultPlay(mixed, "main@12"))
	require.Equal(t, "temperature(0.5):main@12", DefaultPlay(pure, "temperature(0.5):main@12"))
	require.Equal(t, "greedy:main@12", DefaultPlay(mixed, "greedy:main@12"))
}

func TestKindsByName(t *testing.T) {
	for name, want := range map[string]string{
		"random": "bot", "hold(20)": "bot", "greedy": "bot", "solver:optimal": "solver", "main@12": "network",
		"greedy:main@12": "network", "temperature(0.5):file:x": "network", "search:main@12": "network", "file:x": "network",
	} {
		require.Equal(t, want, Kind(name), name)
	}
}
