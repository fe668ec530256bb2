package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// inPlay is a history of tysiac-hand that stops before the last card.
func inPlay(t *testing.T) string {
	t.Helper()
	line := lines(succeed(t, "", "simulate", "tysiac-hand", "--games", "1", "--seed", "2", "--policy", "heuristic"))[0]
	steps := strings.Split(strings.Trim(string(field(t, line, "history")), "[]"), ",")
	return `{"game": "tysiac-hand", "history": [` + strings.Join(steps[:len(steps)-1], ",") + `]}`
}

func TestSolveTysiac(t *testing.T) {
	record := inPlay(t)
	require.Contains(t, succeed(t, record, "solve", "tysiac", "--double-dummy", "-", "--json"), `{"leader_difference":`)
	require.Contains(t, succeed(t, record, "solve", "tysiac", "--double-dummy", "-"), "for the side that leads")
	status, stdout, stderr := croupier(record+"\n{", "solve", "tysiac", "--double-dummy", "-", "--json")
	require.Equal(t, 1, status)
	require.Len(t, lines(stdout), 1, "the answers before the error")
	require.Contains(t, stderr, "croupier: standard input: line 2: ")
	require.Contains(t, refused(t, 2, "solve", "tysiac"), "--double-dummy FILE or --melds FILE")
	require.Contains(t, refused(t, 1, "solve", "tysiac", "--double-dummy", "no-such-file"), "no-such-file")
}

func TestSolveTysiacTimesMelds(t *testing.T) {
	games := succeed(t, "", "simulate", "tysiac-hand", "--games", "20", "--seed", "2", "--policy", "heuristic")
	require.Regexp(t, `\n all +\d+ +\d`, succeed(t, games, "solve", "tysiac", "--melds", "-"))
	require.Contains(t, succeed(t, games, "solve", "tysiac", "--melds", "-", "--json"), `"waiting":`)
	require.Contains(t, refused(t, 1, "solve", "tysiac", "--melds", "no-such-file"), "no-such-file")
	require.Contains(t, refused(t, 2, "solve", "tysiac", "--melds", "-", "--double-dummy", "-"), "cannot be combined")
	status, _, stderr := croupier(games+"{", "solve", "tysiac", "--melds", "-")
	require.Equal(t, 1, status)
	require.Contains(t, stderr, "standard input: line 21: ")
}

func TestSolveNeedsAGame(t *testing.T) {
	require.Contains(t, refused(t, 2, "solve"), "there are bank, banluck, kuhn, lange-strasse, leduc, pig, tysiac")
	status, _, stderr := croupier("", "solve", "chess")
	require.Equal(t, 2, status)
	require.Contains(t, stderr, "chess")
}
