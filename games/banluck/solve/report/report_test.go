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

	"croupier/catalog"
	"croupier/engine"
	game "croupier/games/banluck"
	banluck "croupier/games/banluck/solve"
	"croupier/games/pig"
	"croupier/internal/nightly"
	"croupier/policy"
)

func newGame(t *testing.T, name, rules string) engine.Game {
	t.Helper()
	g, err := catalog.New(game.Entry, pig.Entry).New(name, []byte(rules))
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
	g, err := game.New([]byte(rules))
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
	published, err := os.ReadFile("../../../../docs/reference/banluck-report.md")
	require.NoError(t, err)
	require.Equal(t, headings(string(published)), headings(text.String()),
		"docs/reference/banluck-report.md does not match the template: generate it again")
	require.NotContains(t, text.String(), "NaN")
	require.NotContains(t, text.String(), "<no value>")
	require.Contains(t, text.String(), "--simulate 5000 --seed 7")
	for _, exact := range []string{
		"| With two? | +0.000082 units a hand to the dealer, from all players together (exact) |",
		"a house edge of 8.60 % of a bet (exact;",
		"(on) the player has −0.055846, against the one who never does (off) −0.078881: on costs the dealer 2.30 % of a bet",
		"| 4.21 % of all hands from being lost, for 2.69 % that he would win: +0.021903 units a hand |",
		"| no hand is mixed: he never stops at a 16 or a soft 17; at hard 17 he stops " +
			"against 2 cards with 2 or 3 of his own (the other way with 5-6-6), against 3 cards with 2 or 3 of his own, " +
			"against 4 cards with none, against 5 cards with none |",
		"up to N = 11 a turn is worth less than one unit a player",
	} {
		require.Contains(t, text.String(), exact)
		require.Contains(t, string(published), exact)
	}
	for _, is := range []string{text.String(), string(published)} {
		require.NotContains(t, is, "million")
		short, _, found := strings.Cut(is, "## The strategies")
		require.True(t, found)
		require.NotContains(t, short, "7.24 %", "that is how often a hard 15 is dealt")
		require.NotContains(t, is, " 2%", "a part of the hands, not a mixture")
	}
	require.Contains(t, text.String(), "| too few hands to tell |")
	require.NotContains(t, text.String(), "| yes | yes |", "5,000 hands cannot show 0.1 %")
	require.NotContains(t, string(published), "too few hands", "ten million can tell")
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

// TestVerdictNeedsEnoughHands: play agrees to 0.1 % of a bet only if the margin is no larger.
func TestVerdictNeedsEnoughHands(t *testing.T) {
	for _, c := range []struct {
		mean, margin float64
		verdict      string
	}{
		{0.0002, 0.0007, "yes"}, {0.0011, 0.0007, "no"}, {-0.0011, 0.0007, "no"}, {0.0002, 0.0023, "too few hands to tell"},
	} {
		s := Simulation{EV: 0, Mean: c.mean, Low: c.mean - c.margin, High: c.mean + c.margin}
		require.Equal(t, c.verdict, s.verdict(), "%+v", c)
	}
}

// TestChartsShowSharesOnlyOfMixtures: a cell whose hands are played differently shows what most do, and the others as
// exceptions.
func TestChartsShowSharesOnlyOfMixtures(t *testing.T) {
	six := game.Hand(0).With(3).With(4).With(4)
	require.Equal(t, "5-6-6", six.String())
	cell := banluck.Cell{Cards: 3, Total: 17, Hits: 0.02, Exceptions: []game.Hand{six}}
	require.Equal(t, "S", cellText(cell))
	cell.Hits = 0.98
	require.Equal(t, "H", cellText(cell))
	cell.Mixed = true
	cell.Hits = 0.3
	require.Equal(t, "30%", cellText(cell))
	require.Equal(t, "with 3 of his own (the other way with 5-6-6)", stopsAt([]banluck.Cell{
		{Cards: 3, Total: 17, Exceptions: []game.Hand{six}}, {Cards: 4, Total: 17, Hits: 1},
		{Cards: 2, Total: 17, Soft: true}, {Cards: 2, Total: 16},
	}, 17))
	require.Equal(t, "with none", stopsAt([]banluck.Cell{{Cards: 3, Total: 17, Hits: 1}}, 17))
}

func TestCountsHaveCommas(t *testing.T) {
	for n, text := range map[int]string{0: "0", 999: "999", 1000: "1,000", 20_000_050: "20,000,050"} {
		require.Equal(t, text, count(n))
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
	require.Contains(t, plain.String(),
		"surrender never loses 0.021407 units a hand (2.14 % of a bet) more with reveal on than off")
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
