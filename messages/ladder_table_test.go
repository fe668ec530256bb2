package messages

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/games/pig"
)

// What a version got at another table is above or below parity only where its interval says so, and worse than another
// result only where their intervals are apart.
func TestResultsAtTables(t *testing.T) {
	result := func(low, value, high float64) TableResult {
		return TableResult{Agent: "greedy:main@2", Games: 400, Interval: Interval{value, low, high}}
	}
	table := LadderTable{Against: "hold(20)", Unit: "of the win", Parity: 0.5}
	require.Equal(t, "not measured yet", table.Verdict())
	for _, c := range []struct {
		result  TableResult
		verdict string
		worse   bool // than the result before
	}{
		{result(0.55, 0.6, 0.65), "above parity", false},
		{result(0.45, 0.5, 0.56), "near parity", false},
		{result(0.3, 0.35, 0.4), "below parity", true},
		{result(0.35, 0.4, 0.45), "below parity", false},
	} {
		table.Results = append(table.Results, c.result)
		newest, measured := table.Newest()
		require.True(t, measured)
		require.Equal(t, c.result, newest)
		require.Equal(t, c.verdict, table.Verdict())
		before := table.Results[max(0, len(table.Results)-2)]
		require.Equal(t, c.worse, newest.WorseThan(before), c.verdict)
	}
	last, known := table.ResultOf("greedy:main@2")
	require.True(t, known)
	require.InDelta(t, 0.4, last.Value, 1e-9, "the newest")
	_, known = table.ResultOf("greedy:main@3")
	require.False(t, known)
	table.Refused = []TableRefusal{{TableResult: last, Best: TableResult{Agent: "greedy:main@1"}}}
	_, refused := table.LastRefused()
	require.False(t, refused, "the best is another by now")
	table.Refused[0].Best.Agent = "greedy:main@2"
	_, refused = table.LastRefused()
	require.True(t, refused)
	require.Equal(t, "0.600 (0.550 to 0.650) of the win against hold(20) in 400 games", table.Describe(table.Results[0]))
}

// The table of a game is that with its rules, however they are spaced.
func TestTableOfAGame(t *testing.T) {
	game, err := pig.New([]byte("target: 50"))
	require.NoError(t, err)
	rules, err := json.MarshalIndent(game.Rules(), "", "  ")
	require.NoError(t, err)
	l := &Ladder{Tables: []LadderTable{{Name: "Usual", Rules: json.RawMessage(`{"target": 100}`)}, {Name: "Short", Rules: rules}}}
	require.Equal(t, "Short", l.TableOf(game).Name)
	other, err := pig.New([]byte("target: 51"))
	require.NoError(t, err)
	require.Nil(t, l.TableOf(other))
	require.Nil(t, (*Ladder)(nil).TableOf(game))
}
