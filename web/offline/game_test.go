package offline

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/wasm"
	"croupier/engine/wasm/wasmtest"
)

// playedInNode is a game that testdata/game.mjs has played, with what the page's module says of each position.
type playedInNode struct {
	History   []int `json:"history"`
	Positions []struct {
		Player        int         `json:"player"`
		Steps         []int       `json:"steps"`
		Probabilities []float64   `json:"probabilities"`
		Returns       []float64   `json:"returns"`
		Names         []string    `json:"names"`
		Seen          [][]int     `json:"seen"`
		Observations  [][]float32 `json:"observations"`
		Texts         []string    `json:"texts"`
	} `json:"positions"`
}

// playInNode plays games at random with a module as the page does.
func playInNode(t *testing.T, file []byte, rules []int32, games int) (played []playedInNode) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("there is no Node on this machine: games of the page's module are not compared with this program's")
	}
	input, err := json.Marshal(map[string]any{"file": file, "rules": append([]int32{}, rules...), "games": games})
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), "node", "testdata/game.mjs")
	command.Stdin, command.Stderr = strings.NewReader(string(input)), os.Stderr
	out, err := command.Output()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(out, &played))
	require.Len(t, played, games)
	return played
}

// requireSameGames plays the games again: this program sees the same in each position, and they end with the same
// returns.
func requireSameGames(t *testing.T, g engine.Game, played []playedInNode) {
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

// Games from files play in the page as they do here: without a runtime of their own, and with Go's.
func TestFilesPlayTheSameInThePage(t *testing.T) {
	for _, name := range []string{"c/pig", "rust/liars-dice"} {
		g, _ := fromKit(t, name, "")
		own := g.(fromFile)
		requireSameGames(t, g, playInNode(t, own.File().Bytes(), own.Numbers(), 3))
	}
	f, err := wasm.Open(wasmtest.Build(t, "../../engine/wasm/kits/go/nim"))
	require.NoError(t, err)
	g, err := f.New([]byte("misere: true"))
	require.NoError(t, err)
	requireSameGames(t, g, playInNode(t, f.Bytes(), g.(fromFile).Numbers(), 20))
}
