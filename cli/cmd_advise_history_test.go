package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/advice"
)

// In a game from a file, which has no written positions, advice works from a history: by numbers, names, or as JSON.
func TestAdviseFromAHistory(t *testing.T) {
	anotherProcess(t)
	ask := func(args ...string) (a advice.Answer) {
		t.Helper()
		out := succeed(t, "", append([]string{"advise"}, append(args, "--run", "none", "--json")...)...)
		require.NoError(t, json.Unmarshal([]byte(out), &a))
		return a
	}
	path := kitFile(t, "kits/c/tic-tac-toe.wasm")
	for _, history := range []string{"0,4,1", "[0,4,1]", "square 0, square 4,square 1"} {
		a := ask(path, "--history", history)
		require.Equal(t, "solver:optimal", a.Agent)
		require.True(t, a.Exact)
		require.Equal(t, 2, a.Best, "else three in a row follow")
		require.Len(t, a.Actions, 6)
	}
	require.Len(t, ask(path, "--history", "").Actions, 9, "the beginning")

	// Kuhn poker is the same from its file as from the program, and the hidden card is of no account.
	file := kitFile(t, "kits/c/kuhn.wasm")
	for _, history := range []string{"Q,J,check", "Q,J,bet", "K,J,check"} {
		own, twin := ask("kuhn", "--history", history), ask(file, "--history", history)
		require.Equal(t, "solver:equilibrium", twin.Agent)
		for i, action := range own.Actions {
			require.Equal(t, action.Name, twin.Actions[i].Name)
			require.InDelta(t, action.Value, twin.Actions[i].Value, 1e-3, "%s: %s", history, action.Name)
		}
	}
	require.Equal(t, ask(file, "--history", "Q,J,check").Actions, ask(file, "--history", "K,J,check").Actions)

	for history, message := range map[string]string{
		"0,1,0":      "step 2: illegal action 0",
		"0,corner":   `step 1: "corner": that is not a move here; possible are square 1, square 2`,
		"0,3,1,4,2":  "the game is over then",
		"square 0,,": `step 1: ""`,
	} {
		require.Contains(t, refused(t, 2, "advise", path, "--history", history), message)
	}
	require.Contains(t, refused(t, 2, "advise", file, "--history", "0"), "chance is to move then")

	// The position of such a game is its history.
	require.JSONEq(t, `{"history": []}`, succeed(t, "", "advise", path, "--example"))
	require.JSONEq(t, `{"history": [0, 0]}`, strings.ReplaceAll(succeed(t, "", "advise", file, "--example"), "1", "0"))
	var a advice.Answer
	out := succeed(t, `{"history": [0, 4, "square 1"]}`, "advise", path, "--position", "-", "--run", "none", "--json")
	require.NoError(t, json.Unmarshal([]byte(out), &a))
	require.Equal(t, 2, a.Best)
	status, _, said := croupier(`{"history": [0, "corner"]}`, "advise", path, "--position", "-")
	require.Equal(t, 2, status)
	require.Contains(t, said, `history[1]: "corner" is not possible there, only square 1, square 2`)
}
