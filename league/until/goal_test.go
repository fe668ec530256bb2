package until

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

func TestParse(t *testing.T) {
	run := Run{
		Spec: &engine.Spec{Name: "kuhn", Unit: "antes"},
		Unit: "antes per game", Exact: func() error { return nil },
	}
	for text, want := range map[string]Goal{
		"plateau":                          {Kind: Plateau, Unit: run.Unit},
		"plateau=0.02":                     {Kind: Plateau, Value: 0.02, Unit: run.Unit},
		"rating=-0.5":                      {Kind: Rating, Value: -0.5, Unit: run.Unit},
		"rating=0.5 antes per game":        {Kind: Rating, Value: 0.5, Unit: run.Unit},
		"exploitability=1e-2":              {Kind: Exploitability, Value: 0.01, Unit: "antes per game"},
		"beats=hold(20)":                   {Kind: Beats, Agent: "hold(20)", Unit: run.Unit},
		"exploitability=.1 antes per game": {Kind: Exploitability, Value: 0.1, Unit: "antes per game"},
	} {
		goal, length, err := Parse(text, run)
		require.NoError(t, err, text)
		require.Equal(t, want, *goal)
		require.Zero(t, length)
		again, _, err := Parse(goal.String(), run)
		require.NoError(t, err, goal)
		require.Equal(t, goal, again)
	}
	goal, length, err := Parse("2h", run)
	require.NoError(t, err)
	require.Nil(t, goal)
	require.Equal(t, 2*time.Hour, length)
}

func TestParseRefuses(t *testing.T) {
	run := Run{
		Spec: &engine.Spec{Name: "pig"}, Unit: "Elo",
		Exact: func() error { return errors.New("pig has no tree") },
	}
	for text, want := range map[string]string{
		"":                    "it is not one of plateau, rating=X, exploitability=X, beats=AGENT, or a time like 2h",
		"2":                   "or a time like 2h",
		"-2h":                 "must be above 0",
		"plateau=":            `"" is not a number in Elo`,
		"plateau=0":           "must be above 0",
		"rating":              `"" is not a number in Elo`,
		"rating=NaN":          `"NaN" is not a number in Elo`,
		"rating=100 points":   `"100 points" is not a number in Elo`,
		"beats=":              "does not say which agent",
		"exploitability=0.01": "not measured: pig has no tree",
	} {
		_, _, err := Parse(text, run)
		require.ErrorContains(t, err, want, text)
	}
	run.Exact = func() error { return nil }
	_, _, err := Parse("exploitability=0", run)
	require.ErrorContains(t, err, "must be above 0")
}
