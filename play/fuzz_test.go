package play

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/agents"
	"croupier/engine"
	"croupier/games/standard"
)

// A saved game becomes the plan of a table, or an error says what is wrong with it.
func FuzzSaved(f *testing.F) {
	f.Add([]byte(`{"seats":[{"person":"Anna"},{"agent":"random"}],"seed":3,"history":"{\"game\":\"kuhn\",\"history\":[0,1]}"}`))
	f.Add([]byte(`{"seats":[{"open":true}],"history":""}`))
	f.Fuzz(func(t *testing.T, document []byte) {
		saved, err := ReadSaved(document)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		for i := range saved.Seats { // players are not loaded here
			saved.Seats[i].Agent = ""
		}
		plan, err := saved.Plan(t.Context(), standard.Games, func(engine.Game) *agents.Agents { return nil })
		if err == nil {
			require.NotNil(t, plan.Game)
		}
	})
}

// What is in a person's diary is read as far as it is whole, and can be tallied.
func FuzzDiary(f *testing.F) {
	f.Add([]byte(`{"game":"kuhn","table":"a"}` + "\n" + `{"game":`))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "diary.jsonl")
		require.NoError(t, os.WriteFile(path, text, 0o600))
		entries, err := Diary{Path: path}.Read()
		if err != nil {
			require.ErrorContains(t, err, "bufio.Scanner")
		}
		for _, e := range entries {
			require.NotEmpty(t, e.Game)
		}
	})
}

// Whatever a person types means one of the choices, or none; a name means its own.
func FuzzTyped(f *testing.F) {
	for _, text := range []string{"roll", "1", "0", "-1", "10h", "5-2", "play 10♥", "ą", "", " ", "99999999999999999999",
		"ROLL", "\x00"} {
		f.Add(text, "roll", "play 10♥")
		f.Add(text, "2-5", "1")
	}
	f.Fuzz(func(t *testing.T, text, one, two string) {
		choices := []Choice{{Action: 7, Name: one}, {Action: 9, Name: two}, {Action: 11, Name: "stop"}}
		action, err := Typed(text, choices)
		if err == nil {
			require.Contains(t, []int{7, 9, 11}, action)
		} else {
			require.Less(t, len(err.Error()), 1<<10+8*(len(text)+len(one)+len(two)))
		}
		if normal(one) != normal(two) && normal(one) != "stop" {
			action, err := Typed(one, choices)
			require.NoError(t, err)
			require.Equal(t, 7, action)
		}
		throws := []Choice{{Action: 1, Name: "1-2"}, {Action: 2, Name: "2-2"}}
		if action, err := Entered(text, throws); err == nil {
			require.Contains(t, []int{1, 2}, action)
		}
	})
}
