package solve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/history"
	"croupier/games/tysiac"
)

// firstCard is the action that plays the first card; lower actions come before the play.
const firstCard = 80

// inThePlay returns histories of tysiac-hand by heuristic bots, each cut the given number of
// steps before its end.
func inThePlay(t *testing.T, before int) (records []string) {
	t.Helper()
	game, err := tysiac.NewHand(nil)
	require.NoError(t, err)
	bot, err := game.Bots().New("heuristic")
	require.NoError(t, err)
	simulator, err := history.NewSimulator(game)
	require.NoError(t, err)
	var rec history.Record
	for seed := range uint64(12) {
		require.NoError(t, simulator.Play(seed, []engine.Bot{bot, bot}, &rec))
		if rec.History[len(rec.History)-1] < firstCard {
			continue // no play: a bomb or a failed proof
		}
		cut, err := json.Marshal(rec.History[:len(rec.History)-before])
		require.NoError(t, err)
		records = append(records, fmt.Sprintf(`{"game": "tysiac-hand", "history": %s}`, cut))
	}
	require.Greater(t, len(records), 5)
	return records
}

// answers returns what Positions answers to the histories.
func answers(t *testing.T, records ...string) (list []Answer) {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, Positions(t.Context(), strings.NewReader(strings.Join(records, "\n")), &out, true))
	for line := range strings.Lines(out.String()) {
		var a Answer
		require.NoError(t, json.Unmarshal([]byte(line), &a))
		list = append(list, a)
	}
	require.Len(t, list, len(records))
	return list
}

// The side that leads takes the most, the side that replies gives the least.
func TestPositionIsWorthItsBestAction(t *testing.T) {
	for _, before := range []int{1, 2, 5, 8} {
		for _, a := range answers(t, inThePlay(t, before)...) {
			require.NotEmpty(t, a.Actions)
			lowest, highest := a.Actions[0].Value, a.Actions[0].Value
			for _, v := range a.Actions {
				require.GreaterOrEqual(t, v.Action, firstCard)
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
func TestLastCard(t *testing.T) {
	record := inThePlay(t, 1)[0]
	var rec struct{ History []int }
	require.NoError(t, json.Unmarshal([]byte(record), &rec))
	a := answers(t, record)[0]
	require.Len(t, a.Actions, 1)
	points := []int{0, 2, 3, 4, 10, 11}
	trick := points[(rec.History[len(rec.History)-1]-firstCard)%6] + points[(a.Actions[0].Action-firstCard)%6]
	require.Contains(t, []int{trick, -trick}, a.LeaderDifference)
}

func TestAnswerForPeople(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Positions(t.Context(), strings.NewReader(inThePlay(t, 4)[0]), &out, false))
	require.Regexp(t, `^[+-]\d+ for the side that leads \(\d+ nodes, [\d.]+ ms\): .+ [+-]\d+\n$`, out.String())
}

// The first wrong history ends it; its error names the line and the step.
func TestWrongHistories(t *testing.T) {
	good := inThePlay(t, 4)[0]
	for record, message := range map[string]string{
		`{"game": "kuhn", "history": []}`:          "line 2: the game is kuhn, not tysiac or tysiac-hand",
		`{"game": "chess", "history": []}`:         "line 2: the game is chess, not tysiac or tysiac-hand",
		`{"game": "tysiac", "history": [1, 2, 2]}`: "line 2, step 2: illegal chance outcome 2",
		`{"game": "tysiac", "history": [1, 2]}`:    "line 2, step 2: the history does not stop in the play",
		`{`:                                        "line 2: not a JSON object",
	} {
		var out bytes.Buffer
		err := Positions(t.Context(), strings.NewReader(good+"\n"+record), &out, true)
		require.ErrorContains(t, err, message)
		require.Equal(t, 1, strings.Count(out.String(), "\n"), "the answers before the error")
	}
}

// fullDisk accepts no bytes.
type fullDisk struct{}

var errFull = errors.New("no space left")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestPositionsStop(t *testing.T) {
	record := inThePlay(t, 4)[0]
	for _, asJSON := range []bool{true, false} {
		require.ErrorIs(t, Positions(t.Context(), strings.NewReader(record), fullDisk{}, asJSON), errFull)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, Positions(ctx, strings.NewReader(record), &bytes.Buffer{}, true), context.Canceled)
}
