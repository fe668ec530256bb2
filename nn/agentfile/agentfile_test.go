package agentfile

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/wasm"
	"croupier/engine/wasm/wasmtest"
	"croupier/nn"
	"croupier/nn/agentfile/agentfiletest"
	"croupier/nn/nntest"
	"croupier/policy"
)

// fromFile is a game of a file, under rules.
func fromFile(t *testing.T, file []byte, rules string) (engine.Game, []int32) {
	t.Helper()
	f, err := wasm.Open(file)
	require.NoError(t, err)
	g, err := f.New([]byte(rules))
	require.NoError(t, err)
	return g, g.(interface{ Numbers() []int32 }).Numbers()
}

func kit(t *testing.T, name string) []byte {
	t.Helper()
	file, err := os.ReadFile("../../engine/wasm/kits/" + name + ".wasm")
	require.NoError(t, err)
	return file
}

// Every kind of layer and of output, on the board of tic-tac-toe.
var descriptions = []nn.Description{
	{},
	{Dense: []int{16, 8}},
	{LSTM: []int{8}},
	{Dense: []int{6}, LSTM: []int{4, 3}, PolicyHidden: []int{5}, ValueHidden: []int{3, 2}},
	{Encoders: []nn.Encoder{{Segments: []string{"other", "own"}, Dense: []int{4, 3}}}, LSTM: []int{4}},
	{Encoders: []nn.Encoder{{Segments: []string{"other"}, Dense: []int{4}}}, Dense: []int{5}},
	{Attention: &nn.Attention{Segments: []string{"own", "other"}, Tokens: 9, Size: 6, Heads: 2, Output: 2}, Dense: []int{8}},
	{Dueling: true},
	{Dense: []int{5}, Outputs: nn.ActionValueOutputs},
	{Dense: []int{5}, LSTM: []int{4}, Dueling: true},
	{Dense: []int{5}, Heads: []nn.Head{{Groups: []string{"square"}, Dense: []int{3}}}},
}

func TestEveryKindOfLayerAgrees(t *testing.T) {
	file := kit(t, "c/tic-tac-toe")
	g, rules := fromFile(t, file, "")
	nntest.RequireEveryKey(t, descriptions)
	for _, d := range descriptions {
		n := nntest.Network(t, d, g.Spec())
		encoded, err := Encode(file, rules, n, nil)
		require.NoError(t, err)
		a := agentfiletest.Load(t, encoded)
		t.Logf("%+v: %d bytes, %d weights", d, len(encoded), len(n.Weights))
		agentfiletest.RequireSame(t, a, g, n, policy.Greedy, 3)
		requireValue(t, a, g, n)
		if !d.ActionValues() {
			a.SetTemperature(1)
			agentfiletest.RequireSame(t, a, g, n, policy.Sampled, 3)
			a.SetTemperature(0.5)
			agentfiletest.RequireSame(t, a, g, n, 0.5, 3)
		}
	}
}

// requireValue compares the value of the beginning.
func requireValue(t *testing.T, a agentfiletest.Agent, g engine.Game, n *nn.Network) {
	t.Helper()
	s, e := g.NewState(), n.NewEvaluator(1, 1)
	e.Observe(0, s, s.Player())
	e.SetLegal(0, s.LegalActions(nil))
	e.Forward(1)
	a.Call("reset")
	require.InDelta(t, e.Value(0), a.Float("value"), 1e-5)
}

// Chance, hidden information, rules, and a language that brings its runtime along.
func TestGamesAgree(t *testing.T) {
	for _, test := range []struct {
		file  []byte
		rules string
	}{
		{kit(t, "c/pig"), "target: 20"},
		{kit(t, "c/kuhn"), ""},
		{kit(t, "rust/liars-dice"), "faces: 4"},
		{kit(t, "assemblyscript/thirty"), ""},
		{wasmtest.Build(t, "../../engine/wasm/kits/go/nim"), "misere: true"},
	} {
		g, rules := fromFile(t, test.file, test.rules)
		n := nntest.Network(t, nn.Description{Dense: []int{8}, LSTM: []int{4}}, g.Spec())
		encoded, err := Encode(test.file, rules, n, map[string]string{"agent": "main@3"})
		require.NoError(t, err)
		end := len(encoded) - 64
		require.Equal(t, fmt.Sprintf("%x", sha256.Sum256(encoded[:end])), string(encoded[end:]))
		a := agentfiletest.Load(t, encoded)
		a.SetTemperature(1)
		agentfiletest.RequireSame(t, a, g, n, policy.Sampled, 10)
		require.Equal(t, g.Spec().Name, described(t, a)["name"])
		agentfiletest.RequireSameInNode(t, encoded, g, n, "", 3)
	}
}

func described(t *testing.T, a agentfiletest.Agent) (d map[string]any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(a.Text("description")), &d))
	return d
}
