package serve

import (
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/wasm"
	"croupier/nn"
	"croupier/player"
	"croupier/policy"
)

// A game from a file, which has no written positions, is asked by its history, and a network with a memory has seen it.
func TestAGameWithoutPositionsIsAskedByItsHistory(t *testing.T) {
	text, err := os.ReadFile("../engine/wasm/kits/c/tic-tac-toe.wasm")
	require.NoError(t, err)
	file, err := wasm.Open(text)
	require.NoError(t, err)
	g, err := file.New(nil)
	require.NoError(t, err)
	layout, err := nn.NewLayout(nn.Description{LSTM: []int{6}}, g.Spec())
	require.NoError(t, err)
	weights := layout.Init(5)
	for i := range weights {
		weights[i] *= 1 + float32(i%7)
	}
	network, err := nn.NewNetwork(layout, weights)
	require.NoError(t, err)
	s := New(t.Context(), g, &player.Player{Name: "new", Network: network, Temperature: policy.Sampled}, 0)

	state, own := g.NewState(), nn.NewPolicy(network, policy.Sampled)
	for _, step := range []int{4, 0, 8, 2} {
		if state.Player() == 0 {
			own.Choose(state, state.LegalActions(nil), engine.NewRNG(1, 0))
		}
		require.NoError(t, state.Apply(step))
	}
	legal := state.LegalActions(nil)
	want := make([]float64, len(legal))
	own.Distribution(state, legal, want)
	a := decideAt(t, s, []byte(`{"history": [4, 0, "square 8", 2]}`), 7)
	require.Empty(t, a.Notes)
	require.Len(t, a.Legal, len(legal))
	for i, c := range a.Legal {
		require.Equal(t, legal[i], c.Action)
		require.InDelta(t, want[i], *c.Probability, 1e-6)
	}
	require.NotEmpty(t, decideAt(t, s, engine.ExampleOf(g), 1).Name)
	for position, says := range map[string]string{
		`{"history": [4, 4]}`:          `history[1]: illegal action 4`,
		`{"history": [4, "corner"]}`:   `history[1]: \"corner\" is not possible there, only square 0, square 1`,
		`{"history": [4, true]}`:       `history[1]: true is neither the number of a step nor its name`,
		`{"history": [0, 3, 1, 4, 2]}`: `history: the game is over then`,
		`{"moves": []}`:                `history: it is a list of the steps so far, by number or name`,
		`{"history": 4}`:               `history: it is a list of the steps so far, by number or name`,
	} {
		w := post(s.Handler(nil, nil), "/api/decide", position)
		require.Equal(t, http.StatusUnprocessableEntity, w.Code)
		require.Contains(t, w.Body.String(), says)
	}
}
