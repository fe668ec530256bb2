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
	requests := requestsOfPython(t)
	for i, p := range playedInPython(t, python("pettingzoo_check.py"), requests) {
		requireEnvironment(t, requests[i], p)
	}
}

// pythonRequest asks for a game in Python to its end, with the checks of the other library.
type pythonRequest struct {
	Game   string         `json:"game"`
	Rules  map[string]any `json:"rules"`
	Long   bool           `json:"long"`   // too long for all checks
	Twin   string         `json:"twin"`   // the other library's own game, which is as exploitable
	Learns bool           `json:"learns"` // also with the other library's learning algorithms
}

// playedGame is how it ended.
type playedGame struct {
	History      []int        `json:"history"`
	Observations [][]float32  `json:"observations"`
	Rewards      []float64    `json:"rewards"`
	Exploitable  [][2]float64 `json:"exploitable"` // ours and the twin's
	Information  []int        `json:"information"` // numbers of information states that are equal
	Learnt       []float64    `json:"learnt"`      // what is won, and in how many information states it is known how
}

// requestsOfPython are about all games, and one from a file.
func requestsOfPython(t *testing.T) (list []pythonRequest) {
	file, err := filepath.Abs("../../engine/wasm/kits/c/kuhn.wasm")
	require.NoError(t, err)
	rules := map[string]map[string]any{"pig": {"target": 20}, "bank": {"players": 3}}
	for _, name := range append(standard.Games.Names(), file) {
		list = append(list, pythonRequest{Game: name, Rules: rules[name]})
	}
	return list
}

// playedInPython returns what the script answers to the requests.
func playedInPython(t *testing.T, script *exec.Cmd, requests []pythonRequest) (list []playedGame) {
	var lines bytes.Buffer
	for _, r := range requests {
		require.NoError(t, json.NewEncoder(&lines).Encode(r))
	}
	withPackage(t, script)
	script.Stdin, script.Stderr = &lines, os.Stderr
	out, err := testproc.Output(script)
	require.NoError(t, err)
	answers := json.NewDecoder(bytes.NewReader(out))
	for _, r := range requests {
		var p playedGame
		require.NoError(t, answers.Decode(&p), r.Game)
		list = append(list, p)
	}
	return list
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
func requireEnvironment(t *testing.T, r pythonRequest, p playedGame) {
	t.Helper()
	name := r.Game
	if filepath.IsAbs(name) {
		name = "kuhn" // whose twin it is
	}
	document, err := json.Marshal(nested(r.Rules))
	require.NoError(t, err)
	if r.Rules == nil {
		document = nil
	}
	g, err := standard.Games.New(name, document)
	require.NoError(t, err)
	s := g.NewState()
	for _, step := range p.History {
		require.NoError(t, s.Apply(step), name)
	}
	require.Equal(t, engine.Terminal, s.Player(), name)
	returns := make([]float64, g.Spec().Seats)
	s.Returns(returns)
	require.Equal(t, returns, p.Rewards, name)
	own := make([]float32, g.Spec().ObservationSize)
	for seat := range returns {
		s.Observe(seat, own)
		require.Equal(t, own, p.Observations[seat], name)
	}
}

// nested returns rules with points in their names as rules of parts.
func nested(rules map[string]any) map[string]any {
	whole := map[string]any{}
	for name, value := range rules {
		part, rest, isNested := strings.Cut(name, ".")
		if !isNested {
			whole[name] = value
			continue
		}
		parts, _ := whole[part].(map[string]any)
		if parts == nil {
			parts = map[string]any{}
			whole[part] = parts
		}
		parts[rest] = value
	}
	return whole
}
