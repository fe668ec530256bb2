package report

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/games"
	"croupier/internal/nightly"
	"croupier/internal/strict"
	"croupier/policy"
	"croupier/solver/banluck"
)

func newGame(t *testing.T, name, rules string) engine.Game {
	t.Helper()
	g, err := games.New(name, strict.YAML(rules))
	require.NoError(t, err)
	return g
}

// usualStudy is the study under the usual rules, made once.
func usualStudy(t *testing.T) *banluck.Study {
	t.Helper()
	study, err := sharedStudy()
	require.NoError(t, err)
	return study
}

var sharedStudy = sync.OnceValues(func() (*banluck.Study, error) {
	return studyOf("")
})

func studyOf(rules string) (*banluck.Study, error) {
	g, err := games.New("banluck", strict.YAML(rules))
	if err != nil {
		return nil, err
	}
	return banluck.NewStudy(context.Background(), g, nil)
}

func unsaid(string, ...any) {}

// unsolved leaves the game as it is under each house rule and without each card: to solve all 25 of them takes a
// minute on a slow core. The nightly list does, and package banluck's tests solve the house rules.
func unsolved(r *Report, _ context.Context, _ Sampling) error {
	r.Variants = []banluck.Variant{{Name: "no reveal", Solution: r.Equilibrium}}
	r.Removals = []banluck.Removal{{Card: "A", EV: r.Equilibrium.EV}}
	return nil
}

// TestReportIsThePublishedOne: the report answers all questions, with the numbers that are published. In the nightly
// list all tables of exact numbers are the published ones.
func TestReportIsThePublishedOne(t *testing.T) {
	study := usualStudy(t)
	require.True(t, Covers(study.Game))
	solve := unsolved
	if nightly.On {
		solve = (*Report).solve
	}
	r, err := newReport(t.Context(), study, Sampling{Hands: 5000, Crowd: 2, Seed: 7, Say: unsaid}, solve)
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, r.Write(&text))
	published, err := os.ReadFile("../../../docs/banluck-report.md")
	require.NoError(t, err)
	require.Equal(t, headings(string(published)), headings(text.String()),
		"docs/banluck-report.md does not match the template: generate it again")
	require.NotContains(t, text.String(), "NaN")
	require.NotContains(t, text.String(), "<no value>")
	require.Contains(t, text.String(), "--simulate 5000 --seed 7")
	for _, exact := range []string{"| With two? | +82 millionths", "house edge of 8.60 %",
		"it saves the dealer +0.021903"} {
		require.Contains(t, text.String(), exact)
		require.Contains(t, string(published), exact)
	}
	for i, c := range r.Crowds {
		var crowd strings.Builder
		require.NoError(t, c.Print(&crowd))
		require.Contains(t, crowd.String(), fmt.Sprintf("%d players\n", i+1))
		require.Contains(t, crowd.String(), "each player's result, played")
	}
	if nightly.On {
		require.Greater(t, len(r.Variants)+len(r.Removals), 20)
		_, solved, found := strings.Cut(text.String(), "## Sensitivity to the house rules")
		require.True(t, found)
		for _, v := range r.Variants {
			require.Contains(t, string(published), row(solved, v.Name))
		}
		for _, v := range r.Removals {
			require.Contains(t, string(published), row(solved, v.Card))
		}
	}
}

// row is the first row of a table in Markdown that begins with a name.
func row(markdown, name string) string {
	for line := range strings.Lines(markdown) {
		if strings.HasPrefix(line, "| "+name+" |") {
			return line
		}
	}
	return "no row " + name
}

func headings(markdown string) (list []string) {
	for line := range strings.Lines(markdown) {
		if strings.HasPrefix(line, "#") {
			list = append(list, line)
		}
	}
	return list
}

// TestReportIsOfTheUsualRules: its text holds only for them.
func TestReportIsOfTheUsualRules(t *testing.T) {
	require.False(t, Covers(newGame(t, "banluck", "ace: greedy")))
	require.False(t, Covers(newGame(t, "pig", "")))
}

func TestReportStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := New(ctx, usualStudy(t), Sampling{Hands: 1000, Seed: 1, Say: unsaid})
	require.ErrorIs(t, err, context.Canceled)
	require.Nil(t, r)
}

// TestReportSaysWhatIs: the report's text holds for the equilibrium.
func TestReportSaysWhatIs(t *testing.T) {
	a := NewAnswer(usualStudy(t))
	for _, p := range a.Player {
		if p.Total == 16 {
			hits := 0.0
			if p.Soft || p.Cards == 4 {
				hits = 1
			}
			require.Equal(t, hits, p.Hit, p.Hand)
		}
	}
	for _, d := range a.Reveal.FrequencyByHand {
		if d.Total == 16 || d.Soft || d.PlayerCards == 4 {
			require.Equal(t, 1.0, d.Hit, "%+v", d)
		}
	}
}

// TestAnswerForPeople: everything that was computed is printed, and only that.
func TestAnswerForPeople(t *testing.T) {
	study, err := studyOf("surrender: false")
	require.NoError(t, err)
	a := NewAnswer(study)
	var plain bytes.Buffer
	require.NoError(t, a.Print(&plain, study))
	require.NotContains(t, plain.String(), "surrender always", "the rules do not allow it")
	require.Contains(t, plain.String(), "The dealer in equilibrium, against 3 cards")
	require.NotContains(t, plain.String(), "played through the engine")

	a.Simulation, err = Simulate(t.Context(), study, Sampling{Hands: 2000, Seed: 1, Say: unsaid})
	require.NoError(t, err)
	require.Len(t, a.Simulation, 6, "three solutions, two seeds")
	bot, err := study.Game.Bots().New("stand(16)")
	require.NoError(t, err)
	a.Agent, err = MeasureAgent(study, "stand(16)", func() policy.Policy { return policy.Bot(bot) })
	require.NoError(t, err)
	var full strings.Builder
	require.NoError(t, a.Print(&full, study))
	require.Equal(t, 6, strings.Count(full.String(), " 2000 "))
	require.Contains(t, full.String(), "stand(16) is exploitable by")
}

// TestCharts: each is drawn under a name of its own.
func TestCharts(t *testing.T) {
	names := map[string]bool{}
	for _, c := range Charts(usualStudy(t)) {
		names[c.Name] = true
		var picture bytes.Buffer
		require.NoError(t, c.WritePNG(&picture))
		require.Greater(t, picture.Len(), 1000, c.Name)
	}
	require.Len(t, names, 1+4+4+2)
}
