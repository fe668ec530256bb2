package solve

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/cli/clitest"
	"croupier/games/bank"
)

// program has the game alone.
var program = clitest.Of(bank.Entry.With(Exact))

func TestSolveBank(t *testing.T) {
	require.JSONEq(t, `{"players": 2, "rounds": 10, "repoll": true, "value": 0, "error_bound": 0}`,
		program.Succeed(t, "", "solve", "bank", "--json", "--size", "300"))
	require.Contains(t, program.Succeed(t, "", "solve", "bank", "--size", "300"), "its share of the win is 0.5000")

	path := filepath.Join(t.TempDir(), "bank.csv")
	var s Answer
	out := program.Succeed(t, "", "solve", "bank", "--set", "rules.repoll=false", "--set", "rules.rounds=3", "--size",
		"300",
		"--out", path, "--json")
	require.NoError(t, json.Unmarshal([]byte(out), &s))
	require.Equal(t, 3, s.Rounds)
	require.False(t, s.Repoll)
	require.InDelta(t, 0, s.Value, s.ErrorBound+1e-12)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, clitest.Lines(string(content)), "0,3,lone,3,-100,101-",
		"a player behind in the last round continues until it leads")
}

func TestSolveBankAgainstABot(t *testing.T) {
	args := []string{"solve", "bank", "--players", "3", "--set", "rules.rounds=1", "--against", "threshold(100)",
		"--seat", "2", "--size", "300", "--simulate", "2000"}
	var s Answer
	require.NoError(t, json.Unmarshal([]byte(program.Succeed(t, "", append(args, "--json")...)), &s))
	require.Equal(t, []any{3, 1, "threshold(100)", 1}, []any{s.Players, s.Rounds, s.Against, *s.Seat})
	require.InDelta(t, s.Value, *s.Played, 2**s.PlayedWithin)
	args[slices.Index(args, "threshold(100)")] = "threshold(2)"
	require.Contains(t, program.Succeed(t, "", args...), "best response of seat 2 to threshold(2): value 1.0000 ± 0,",
		"the second roll is safe, and beats who banks after the first")
}

func TestSolveBankRefuses(t *testing.T) {
	require.Contains(t, program.Refuse(t, 1, "solve", "bank", "--players", "3", "--against", "leader-chaser"),
		"do not act alike")
	require.Contains(t, program.Refuse(t, 2, "solve", "bank", "--against", "random", "--out", "x"), "--out: ")
	require.Contains(t, program.Refuse(t, 2, "solve", "bank", "--seat", "1"), "--seat and --simulate need --against")
	require.Contains(t, program.Refuse(t, 2, "solve", "bank", "--seed", "3"),
		"--seed has an effect only with --simulate or --agent")
	for _, seat := range []string{"0", "4"} {
		require.Contains(t, program.Refuse(t, 2, "solve", "bank", "--players", "3", "--against", "random", "--seat", seat),
			"--seat "+seat+": there are seats 1 to 3")
	}
	require.Contains(t, program.Refuse(t, 2, "solve", "bank", "--players", "9"), "players: 9 is not in 2..8")
	require.Contains(t, program.Refuse(t, 1, "solve", "bank", "--set", "rules.players=3"),
		"computed for 2 players, this game has 3")
	require.Contains(t, program.Refuse(t, 2, "solve", "bank", "--size", "10"), "--size 10")
	require.Contains(t, program.Refuse(t, 2, "arena", "random", "--game", "bank", "--games", "0", "solver:optimal"),
		"--games")
}
