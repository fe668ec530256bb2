package advice

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/agents"
	"croupier/archive"
	"croupier/engine"
	"croupier/engine/history"
	"croupier/games/standard"
	"croupier/messages"
	"croupier/policy"
)

// rendered is what an answer or report says to people.
func rendered(t *testing.T, render func(out *strings.Builder) error) string {
	t.Helper()
	var out strings.Builder
	require.NoError(t, render(&out))
	return out.String()
}

// An answer is a table of actions, the best one marked, with what else is known of it.
func TestAnswersAreRendered(t *testing.T) {
	q := at(t, "pig", `{"scores": [0, 0], "turn": 14, "seat": 0}`)
	exact := ask(t, q, Agent{Name: "holder", New: holder}, DefaultOptions())
	exact.Text, exact.UnitMeaning, exact.Notes = " Holding is enough. \n", "A point is a point", []string{"the notes end"}
	text := rendered(t, func(out *strings.Builder) error { return exact.Render(out) })
	require.Regexp(t, `(?s)^Holding is enough\.\n\n.*hold \* +14\.00 +0\.00`, text)
	require.Contains(t, text, "\nAdvice of holder, exact.\nA point is a point.\nNote: the notes end.\n")
	require.NotContains(t, text, "95 %")

	mixed := ask(t, at(t, "kuhn", `{"card": "Q", "moves": ["bet"]}`),
		Agent{Name: "equilibrium", New: func() policy.Policy { return equilibrium{0.2} }}, Options{Samples: 50, Seed: 1})
	text = rendered(t, func(out *strings.Builder) error { return mixed.Render(out) })
	require.Contains(t, text, "95 % interval of the loss")
	require.Contains(t, text, "played")
	require.Contains(t, text, "Advice of equilibrium, estimated.")
	mixed.Risk = "ruin"
	for i := range mixed.Actions {
		risk := 0.25 * float64(i+1)
		mixed.Actions[i].Risk = &risk
	}
	require.Regexp(t, `(?s)ruin.*25.*50`, rendered(t, func(out *strings.Builder) error { return mixed.Render(out) }))
}

const pigGames = `{"game": "pig", "rules": {"target": 10}, "history": [1, 0, 4, 0, 4, 1]}
{"game": "pig", "rules": {"target": 10}, "history": [1, 0, 4, 0, 4, 1]}
`

// reviewed reviews games with an agent that knows exactly what a turn is worth.
func reviewed(ctx context.Context, lines string, budget time.Duration) (*Report, error) {
	return ReviewAll(ctx, history.NewReader(strings.NewReader(lines)), standard.Games.New, budget,
		func(g engine.Game) (*Reviewer, error) {
			return NewReviewer(g, Agent{Name: "holder", New: holder}, DefaultOptions()), nil
		})
}

// A report says how each seat decided, and its worst moments.
func TestReportsAreRendered(t *testing.T) {
	r, err := reviewed(t.Context(), pigGames, 0)
	require.NoError(t, err)
	require.Equal(t, 2, r.Games)
	require.Len(t, r.Decisions, 8)
	r.UnitMeaning, r.Notes = "A point is a point", []string{"two games say little"}
	text := rendered(t, func(out *strings.Builder) error { return r.Render(out, 2) })
	require.Contains(t, text, "2 games of pig, judged by holder (exact)")
	require.Contains(t, text, "lost per decision (points)")
	require.Contains(t, text, "A point is a point.\nNote: two games say little.\n")
	require.Equal(t, 2, strings.Count(text, " yes"), "the two worst moments, which are mistakes: %s", text)
	require.NotContains(t, rendered(t, func(out *strings.Builder) error { return r.Render(out, 0) }), "worst moments")

	r.Exact = false
	require.Contains(t, rendered(t, func(out *strings.Builder) error { return r.Render(out, 9) }),
		"95 % interval of the loss")
	r.Decisions = nil
	require.Contains(t, rendered(t, func(out *strings.Builder) error { return r.Render(out, 9) }), "Nothing was lost.")
}

// What cannot be reviewed is refused with its line; a budget that is over ends the report after the game before.
func TestReviewsRefuse(t *testing.T) {
	for lines, reason := range map[string]string{
		"":                                 "there are no games",
		"x\n":                              "line 1: ",
		`{"game": "whist", "history": []}`: "line 1: ",
		pigGames + `{"game": "pig", "rules": {"target": 20}, "history": []}`: `line 3: a review covers one game: this record is of pig {"target":20}, those before it of pig {"target":10}`,
		`{"game": "pig", "history": [7]}`:                                    "line 1: ",
	} {
		_, err := reviewed(t.Context(), lines, 0)
		require.ErrorContains(t, err, reason)
	}
	r, err := reviewed(t.Context(), pigGames, time.Nanosecond)
	require.NoError(t, err)
	require.Equal(t, 1, r.Games)
	require.Contains(t, r.Notes[0], "the time of 1ns was used up after 1 of the games")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	_, err = reviewed(stopped, pigGames, 0)
	require.ErrorIs(t, err, context.Canceled)
}

func TestReportsNoteIdleOptions(t *testing.T) {
	o := ReviewOptions()
	o.Given = []string{"--samples"}
	pig, err := standard.Games.New("pig", nil)
	require.NoError(t, err)
	r := Report{}
	r.sum(NewReviewer(pig, Agent{Name: "holder", New: holder}, o))
	require.Equal(t, []string{"--samples: without effect, as no games are played out: holder knows what actions are worth"}, r.Notes)
}

// A game of the archive keeps its most expensive decision.
func TestCostsOfAnArchivedGame(t *testing.T) {
	pig, err := standard.Games.New("pig", nil)
	require.NoError(t, err)
	g := &archive.Game{Game: "pig", Rules: []byte(`{"target": 10}`), Width: messages.HistoryWidth(pig.Spec())}
	g.Steps = 6
	for _, step := range []int{1, 0, 4, 0, 4, 1} {
		g.History = messages.AppendStep(g.History, g.Width, step)
	}
	begin := func(g engine.Game) (*Reviewer, error) {
		return NewReviewer(g, Agent{Name: "holder", New: holder}, DefaultOptions()), nil
	}
	costs, err := Costs(t.Context(), standard.Games, g, begin)
	require.NoError(t, err)
	require.Equal(t, archive.Review{Judge: "holder", Loss: 3, Unit: "points", Exact: true, Step: 3, Seat: 1, Taken: "roll",
		Best: "hold", Mistakes: []archive.Mistake{{Loss: 3, Step: 3, Seat: 1, Taken: "roll", Best: "hold"},
			{Loss: 2, Seat: 0, Taken: "hold", Best: "roll"}}}, costs)
	_, err = Costs(t.Context(), standard.Games, g, func(engine.Game) (*Reviewer, error) {
		return nil, errors.New("nobody judges")
	})
	require.ErrorContains(t, err, "nobody judges")
	g.Game = "whist"
	_, err = Costs(t.Context(), standard.Games, g, begin)
	require.ErrorContains(t, err, "whist")
}

// Agents that can be asked are listed once each, solutions first; how many decisions a drill may judge depends on them.
func TestWhoCanBeAsked(t *testing.T) {
	for name, first := range map[string]string{"kuhn": "solver:", "pig": "solver:", "bank": ""} {
		g, err := standard.Games.New(name, nil)
		require.NoError(t, err)
		names := Advisers(agents.New(g, agents.Sources{Catalog: standard.Games}))
		require.True(t, strings.HasPrefix(names[0], first), "%v", names)
		require.Contains(t, names, policy.RandomName)
		once := map[string]bool{}
		for _, name := range names {
			require.False(t, once[name], "%s appears twice", name)
			once[name] = true
		}
		require.Equal(t, first != "", Asks(agents.New(g, agents.Sources{Catalog: standard.Games})) > 0, name)
	}
	g, err := standard.Games.New("tysiac-hand", nil)
	require.NoError(t, err)
	require.Positive(t, Asks(agents.New(g, agents.Sources{Catalog: standard.Games})),
		"a search knows what moves for money are worth")
}
