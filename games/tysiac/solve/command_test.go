package solve

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/cli/clitest"
	"croupier/games/tysiac"
	tysiachand "croupier/games/tysiac-hand"
)

// program has the game, and the game of one hand.
var program = clitest.Of(tysiac.Entry.With(Exact), tysiachand.Entry)

// unfinished is a history of tysiac-hand that stops before the last card.
func unfinished(t *testing.T) string {
	t.Helper()
	line := clitest.Lines(program.Succeed(t, "", "simulate", "tysiac-hand", "--games", "1", "--seed", "2", "--policy",
		"heuristic"))[0]
	var record struct{ History []int }
	require.NoError(t, json.Unmarshal([]byte(line), &record))
	steps := record.History
	cut, err := json.Marshal(steps[:len(steps)-1])
	require.NoError(t, err)
	return `{"game": "tysiac-hand", "history": ` + string(cut) + `}`
}

func TestSolveTysiac(t *testing.T) {
	record := unfinished(t)
	require.Contains(t, program.Succeed(t, record, "solve", "tysiac", "--double-dummy", "-", "--json"),
		`{"leader_difference":`)
	require.Contains(t, program.Succeed(t, record, "solve", "tysiac", "--double-dummy", "-"), "for the side that leads")
	status, stdout, stderr := program.Run(record+"\n{", "solve", "tysiac", "--double-dummy", "-", "--json")
	require.Equal(t, 1, status)
	require.Len(t, clitest.Lines(stdout), 1, "the answers before the error")
	require.Contains(t, stderr, "croupier: standard input: line 2: ")
	require.Contains(t, program.Refuse(t, 2, "solve", "tysiac"), "--double-dummy FILE or --melds FILE")
	require.Contains(t, program.Refuse(t, 1, "solve", "tysiac", "--double-dummy", "no-such-file"), "no-such-file")
}

func TestSolveTysiacTimesMelds(t *testing.T) {
	games := program.Succeed(t, "", "simulate", "tysiac-hand", "--games", "20", "--seed", "2", "--policy", "heuristic")
	require.Regexp(t, `\n all +\d+ +\d`, program.Succeed(t, games, "solve", "tysiac", "--melds", "-"))
	require.Contains(t, program.Succeed(t, games, "solve", "tysiac", "--melds", "-", "--json"), `"waiting":`)
	require.Contains(t, program.Refuse(t, 1, "solve", "tysiac", "--melds", "no-such-file"), "no-such-file")
	require.Contains(t, program.Refuse(t, 2, "solve", "tysiac", "--melds", "-", "--double-dummy", "-"),
		"cannot be combined")
	status, _, stderr := program.Run(games+"{", "solve", "tysiac", "--melds", "-")
	require.Equal(t, 1, status)
	require.Contains(t, stderr, "standard input: line 21: ")
}
