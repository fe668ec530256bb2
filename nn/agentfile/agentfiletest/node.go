package agentfiletest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/nn"
	"croupier/policy"
)

// RequireSameInNode plays whole games with a module in Node and here, as [RequireSame] does. An empty temperature is
// that of the file. Where there is no Node, it skips the test.
func RequireSameInNode(t *testing.T, file []byte, g engine.Game, n *nn.Network, temperature string, games int) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("there is no Node on this machine: the file's choices there are not compared with this program's")
	}
	path := filepath.Join(t.TempDir(), "agent.wasm")
	require.NoError(t, os.WriteFile(path, file, 0o600))
	_, here, _, _ := runtime.Caller(0)
	command := exec.CommandContext(t.Context(), "node", filepath.Join(filepath.Dir(here), "play.mjs"), path,
		strconv.Itoa(games), temperature)
	command.Stderr = os.Stderr
	out, err := command.Output()
	require.NoError(t, err)
	var answer answer
	require.NoError(t, json.Unmarshal(out, &answer))
	require.Len(t, answer.Played, games)
	require.Equal(t, g.Spec().Name, answer.Name)
	at := policy.Temperature(g.Spec().Temperature)
	if temperature != "" {
		v, err := strconv.ParseFloat(temperature, 64)
		require.NoError(t, err)
		at = policy.Temperature(v)
	}
	for _, p := range answer.Played {
		p.requireSame(t, g, n, at)
	}
	t.Logf("%s: a file of %d bytes, a network of %d weights, %.0f µs a choice in Node", answer.Name, len(file),
		len(n.Weights), answer.Microseconds)
}

type answer struct {
	Name         string  `json:"name"`
	Microseconds float64 `json:"microseconds"`
	Played       []game  `json:"played"`
}

type game struct {
	Positions []struct {
		Player        int       `json:"player"`
		Possible      []int     `json:"possible"`
		Choice        int       `json:"choice"`
		Step          int       `json:"step"`
		Value         float64   `json:"value"`
		Probabilities []float64 `json:"probabilities"`
	} `json:"positions"`
	Returns []float64 `json:"returns"`
}

func (p *game) requireSame(t *testing.T, g engine.Game, n *nn.Network, temperature policy.Temperature) {
	t.Helper()
	s, seats := g.NewState(), make([]*nn.Policy, g.Spec().Seats)
	for i := range seats {
		seats[i] = nn.NewPolicy(n, temperature)
	}
	for i, at := range p.Positions {
		possible, chances := asked(s, seats)
		require.Equal(t, s.Player(), at.Player, "step %d", i)
		require.Equal(t, possible, at.Possible)
		require.InDeltaSlice(t, chances, at.Probabilities, 1e-5)
		require.Contains(t, possible, at.Choice)
		if s.Player() >= 0 && slices.Contains(chances, 1) {
			require.Equal(t, possible[slices.Index(chances, 1)], at.Choice)
		}
		require.NoError(t, s.Apply(at.Step))
	}
	require.Equal(t, engine.Terminal, s.Player())
	returns := make([]float64, g.Spec().Seats)
	s.Returns(returns)
	require.Equal(t, returns, p.Returns)
}
