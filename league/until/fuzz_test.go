package until

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

// A goal that is understood is written as the same goal; a length is positive.
func FuzzGoals(f *testing.F) {
	for _, text := range []string{
		"plateau", "plateau=3", "plateau=-1", "rating=120Elo", "rating=NaN", "exploitability=0.01 antes per game",
		"beats=solver:optimal", "beats=",
		"2h", "-1s", "1e9h", "rating=0x1p-2", "rating=",
	} {
		f.Add(text, false)
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text string, money bool) {
		unit := "Elo"
		if money {
			unit = "ct per game"
		}
		run := Run{Spec: &engine.Spec{Name: "game", Unit: "antes"}, Unit: unit, Exact: func() error { return nil }}
		goal, length, err := Parse(text, run)
		switch {
		case err != nil:
			require.NotEmpty(t, err.Error())
		case goal == nil:
			require.Greater(t, length, time.Duration(0))
		default:
			again, _, err := Parse(goal.String(), run)
			require.NoError(t, err)
			require.Equal(t, goal, again)
		}
	})
}
