package peers

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/standard"
	"croupier/internal/testproc"
	"croupier/internal/testprogram"
)

// All games, among them one from a file, are environments that pass PettingZoo's own checks, and their games end as
// they do here.
func TestPettingZooEnvironments(t *testing.T) {
	python := peer(t, "PETTINGZOO_PYTHON", "pettingzoo", "gymnasium", "numpy")
	file, err := filepath.Abs("../../engine/wasm/kits/c/kuhn.wasm")
	require.NoError(t, err)
	rules := map[string]map[string]any{"pig": {"target": 20}, "bank": {"players": 3}}
	names := append(standard.Games.Names(), file)
	var requests bytes.Buffer
	for _, name := range names {
		require.NoError(t, json.NewEncoder(&requests).Encode(map[string]any{"game": name, "rules": rules[name]}))
	}
	command := python("pettingzoo_check.py")
	withPackage(t, command)
	command.Stdin, command.Stderr = &requests, os.Stderr
	out, err := testproc.Output(command)
	require.NoError(t, err)
	answers := json.NewDecoder(bytes.NewReader(out))
	for _, name := range names {
		var played struct {
			History      []int       `json:"history"`
			Observations [][]float32 `json:"observations"`
			Rewards      []float64   `json:"rewards"`
		}
		require.NoError(t, answers.Decode(&played), name)
		requireEnvironment(t, name, rules[name], played.History, played.Observations, played.Rewards)
	}
}

// withPackage gives a command of Python the package in python/, and the program.
func withPackage(t *testing.T, command *exec.Cmd) {
	source, err := filepath.Abs("../../python")
	require.NoError(t, err)
	command.Env = append(command.Env, "CROUPIER="+testprogram.Path(t))
	for i, variable := range command.Env {
		if path, found := strings.CutPrefix(variable, "PYTHONPATH="); found {
			command.Env[i] = "PYTHONPATH=" + source + string(os.PathListSeparator) + path
		}
	}
}

// requireEnvironment plays the history here.
func requireEnvironment(t *testing.T, name string, rules map[string]any, history []int, observations [][]float32,
	rewards []float64) {
	t.Helper()
	if filepath.IsAbs(name) {
		name = "kuhn" // whose twin it is
	}
	document, err := json.Marshal(rules)
	require.NoError(t, err)
	if rules == nil {
		document = nil
	}
	g, err := standard.Games.New(name, document)
	require.NoError(t, err)
	s := g.NewState()
	for _, step := range history {
		require.NoError(t, s.Apply(step), name)
	}
	require.Equal(t, engine.Terminal, s.Player(), name)
	returns := make([]float64, g.Spec().Seats)
	s.Returns(returns)
	require.Equal(t, returns, rewards, name)
	own := make([]float32, g.Spec().ObservationSize)
	for seat := range returns {
		s.Observe(seat, own)
		require.Equal(t, own, observations[seat], name)
	}
}
