package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/solver/tysiac"
)

// inThePlay returns histories of tysiac-hand by heuristic bots, each cut so many steps
// before its end.
func inThePlay(t *testing.T, before int) (records []string) {
	t.Helper()
	for _, line := range lines(succeed(t, "", "simulate", "tysiac-hand", "--games", "12", "--seed", "2", "--policy", "heuristic")) {
		var steps []int
		require.NoError(t, json.Unmarshal(field(t, line, "history"), &steps))
		if steps[len(steps)-1] < 80 {
			continue // no play: a bomb or a failed proof
		}
		cut, err := json.Marshal(steps[:len(steps)-before])
		require.NoError(t, err)
		records = append(records, fmt.Sprintf(`{"game": "tysiac-hand", "history": %s}`, cut))
	}
	require.Greater(t, len(records), 5)
	return records
}

func TestSolveTysiacAnswersEachHistory(t *testing.T) {
	for _, before := range []int{1, 2, 5, 8} {
		records := inThePlay(t, before)
		answers := lines(succeed(t, strings.Join(records, "\n"), "solve", "tysiac", "--double-dummy", "-", "--json"))
		require.Len(t, answers, len(records))
		for _, answer := range answers {
			var a tysiac.Answer
			require.NoError(t, json.Unmarshal([]byte(answer), &a))
			require.NotEmpty(t, a.Actions)
			lowest, highest := a.Actions[0].Value, a.Actions[0].Value
			for _, v := range a.Actions {
				require.GreaterOrEqual(t, v.Action, 80)
				lowest, highest = min(lowest, v.Value), max(highest, v.Value)
			}
			want := highest
			if before%2 == 1 { // the second player is to reply
				want = lowest
			}
			require.Equal(t, want, a.LeaderDifference)
		}
	}
}

// The last card decides the last trick: its value is that of both cards.
func TestSolveTysiacOfTheLastCard(t *testing.T) {
	record := inThePlay(t, 1)[0]
	var rec struct{ History []int }
	require.NoError(t, json.Unmarshal([]byte(record), &rec))
	answer := succeed(t, record, "solve", "tysiac", "--double-dummy", "-", "--json")
	var a tysiac.Answer
	require.NoError(t, json.Unmarshal([]byte(answer), &a))
	require.Len(t, a.Actions, 1)
	points := []int{0, 2, 3, 4, 10, 11}
	trick := points[(rec.History[len(rec.History)-1]-80)%6] + points[(a.Actions[0].Action-80)%6]
	require.Contains(t, []int{trick, -trick}, a.LeaderDifference)
	require.Contains(t, succeed(t, record, "solve", "tysiac", "--double-dummy", "-"), "for the side that leads")
}

func TestSolveTysiacSaysWhatIsWrong(t *testing.T) {
	good := inThePlay(t, 4)[0]
	for record, message := range map[string]string{
		`{"game": "kuhn", "history": []}`:                      "line 2: the game is kuhn, not tysiac or tysiac-hand",
		`{"game": "tysiac", "history": [1, 2, 2]}`:             "line 2, step 2: illegal chance outcome 2",
		`{"game": "tysiac", "history": [1, 2]}`:                "line 2, step 2: the history does not stop in the play",
		`{"game": "tysiac", "rules": {"x": 1}, "history": []}`: `line 2: tysiac: rules: x: unknown key`,
		`{`: "line 2: not a JSON object",
	} {
		status, stdout, stderr := croupier(good+"\n"+record, "solve", "tysiac", "--double-dummy", "-", "--json")
		require.Equal(t, 1, status)
		require.Len(t, lines(stdout), 1, "the answers before the error")
		require.Contains(t, stderr, "croupier: standard input: "+message)
	}
	require.Contains(t, refused(t, 2, "solve", "tysiac"), "--double-dummy FILE")
	require.Contains(t, refused(t, 1, "solve", "tysiac", "--double-dummy", "no-such-file"), "no-such-file")
	require.Contains(t, refused(t, 2, "solve"), "there are bank, banluck, kuhn, lange-strasse, leduc, pig, tysiac")
	status, _, stderr := croupier("", "solve", "chess")
	require.Equal(t, 2, status)
	require.Contains(t, stderr, "chess")
}
