package play

import (
	"encoding/json"
	"testing"
	"time"

	"croupier/games/standard"

	"github.com/stretchr/testify/require"

	"croupier/agents"
	"croupier/engine"
)

func known(game engine.Game) *agents.Agents {
	return agents.New(game, agents.Sources{Catalog: standard.Games})
}

// A saved game continues where it was, to the same end.
func TestSavedGameGoesOn(t *testing.T) {
	plan := Plan{Game: ruled(t, "pig", "target: 30"), Chairs: []Chair{person("Anna"), robot()}, Seed: 9,
		Timeout: time.Minute}
	table, err := NewTable(plan, noon)
	require.NoError(t, err)
	for range 5 {
		switch table.Next() {
		case NextPerson:
			require.NoError(t, table.Act(0, table.story.Steps(0), 0, noon))
		case NextChance:
			require.NoError(t, table.Draw(noon))
		default:
			task := table.Task()
			require.NoError(t, task.Think())
			require.NoError(t, table.Finish(task, noon))
		}
	}
	document, err := table.Save("evening")
	require.NoError(t, err)
	saved, err := ReadSaved(document)
	require.NoError(t, err)
	require.Equal(t, "evening", saved.Run)
	again, err := saved.Plan(t.Context(), standard.Games, known)
	require.NoError(t, err)
	require.Equal(t, table.story.history, again.From)
	require.Equal(t, plan.Game.Rules(), again.Game.Rules())
	require.Equal(t, time.Minute, again.Timeout)
	require.Equal(t, []string{"Anna", ""}, []string{again.Chairs[0].Name, again.Chairs[1].Name})
	require.Equal(t, "random", again.Chairs[1].Agent.Name)
}

func TestSavedGamesAreRefused(t *testing.T) {
	pig := `{"game": "pig", "history": []}`
	for reason, saved := range map[string]Saved{
		"seats[0]: one of":       {Seats: []SeatRequest{{}}},
		"history: there is none": {Seats: []SeatRequest{}},
		"history: line 1":        {History: "x", Seats: []SeatRequest{}},
		"whist":                  {History: `{"game": "whist", "history": []}`, Seats: []SeatRequest{}},
		"nobody":                 {History: pig, Seats: []SeatRequest{{Person: "Anna"}, {Agent: "nobody"}}},
	} {
		document, err := json.Marshal(saved)
		require.NoError(t, err)
		read, err := ReadSaved(document)
		if err == nil {
			_, err = read.Plan(t.Context(), standard.Games, known)
		}
		require.ErrorContains(t, err, reason)
	}
	_, err := ReadSaved([]byte(`{`))
	require.ErrorContains(t, err, "not a saved game")
}
