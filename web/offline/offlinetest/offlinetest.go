// Package offlinetest plays games with the module of a page as the page does, in Node.
package offlinetest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

// Played is a game that game.mjs has played, with what the page's module says of each position.
type Played struct {
	History   []int `json:"history"`
	Positions []struct {
		Player        int         `json:"player"`
		Steps         []int       `json:"steps"`
		Probabilities []float64   `json:"probabilities"`
		Returns       []float64   `json:"returns"`
		Names         []string    `json:"names"`
		Seen          [][]int     `json:"seen"`
		Observations  [][]float32 `json:"observations"`
	} `json:"positions"`
}

// Play plays games at random with a module as a page does. Where there is no Node, it skips the test.
func Play(t *testing.T, file []byte, rules []int32, games int) (played []Played) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("there is no Node on this machine: games of the page's module are not compared with this program's")
	}
	_, here, _, _ := runtime.Caller(0)
	input, err := json.Marshal(map[string]any{"file": file, "rules": append([]int32{}, rules...), "games": games})
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), "node", filepath.Join(filepath.Dir(here), "game.mjs"))
	command.Stdin, command.Stderr = strings.NewReader(string(input)), os.Stderr
	out, err := command.Output()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(out, &played))
	require.Len(t, played, games)
	return played
}

// RequireSame plays the games again: this program sees the same in each position, and they end with the same
// returns.
func RequireSame(t *testing.T, g engine.Game, played []Played) {
	t.Helper()
	spec := g.Spec()
	for _, game := range played {
		s := g.NewState()
		for i, at := range game.Positions {
			require.Equal(t, s.Player(), at.Player, "step %d of %v", i, game.History)
			require.ElementsMatch(t, names(s, at.Steps), at.Names)
			switch s.Player() {
			case engine.Terminal:
				returns := make([]float64, spec.Seats)
				s.Returns(returns)
				require.Equal(t, returns, at.Returns, game.History)
			case engine.Chance:
				for k, o := range s.Outcomes(nil) {
					require.Equal(t, o.Index, at.Steps[k])
					require.InDelta(t, o.Probability, at.Probabilities[k], 1e-6)
				}
			default:
				require.Equal(t, s.LegalActions(nil), at.Steps)
			}
			for seat, seen := range at.Seen {
				for k, step := range at.Steps {
					require.Equal(t, s.Seen(seat, step), seen[k], "seat %d, step %d after %v", seat, step, game.History[:i])
				}
			}
			for seat, observation := range at.Observations {
				own := make([]float32, spec.ObservationSize)
				s.Observe(seat, own)
				require.Equal(t, own, observation, "seat %d after %v", seat, game.History[:i])
			}
			if i < len(game.History) {
				require.NoError(t, s.Apply(game.History[i]))
			}
		}
	}
}

func names(s engine.State, steps []int) (list []string) {
	list = []string{}
	for _, step := range steps {
		if s.Player() == engine.Chance {
			list = append(list, s.OutcomeName(step))
		} else {
			list = append(list, s.ActionName(step))
		}
	}
	return list
}
