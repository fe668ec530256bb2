package report

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/cli/clitest"
	"croupier/engine"
	game "croupier/games/banluck"
	banluck "croupier/games/banluck/solve"
	"croupier/games/banluck/solve/table"
	"croupier/internal/plot"
)

// studied has each study that tests ask for by its rules: one takes two seconds. A study is not changed by those who
// read it.
var studied = struct {
	mutex sync.Mutex
	by    map[string]*banluck.Study
}{by: map[string]*banluck.Study{}}

// studyOnce is banluck.NewStudy for all tests of the command.
func studyOnce(ctx context.Context, g engine.Game, progress func(banluck.Point)) (*banluck.Study, error) {
	studied.mutex.Lock()
	defer studied.mutex.Unlock()
	rules := fmt.Sprintf("%+v", g.Rules())
	if study := studied.by[rules]; study != nil {
		return study, nil
	}
	study, err := banluck.NewStudy(ctx, g, progress)
	if err == nil {
		studied.by[rules] = study
	}
	return study, err
}

// program has the game alone, whose studies are made once.
var program = of(work{studyOnce, inFull.charts, inFull.report})

// of returns the program whose command does this work.
func of(w work) clitest.Program {
	exact := Exact
	exact.Command = w.command()
	return clitest.Of(game.Entry.With(exact))
}

func TestSolveBanluckAnswersAsJSON(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "strategy.csv")
	out := program.Succeed(t, "", "solve", "banluck", "--json", "--out", path)
	require.Equal(t, out, program.Succeed(t, "", "solve", "banluck", "--json", "--out", filepath.Join(dir, "answer.json")))
	var a Answer
	strict := json.NewDecoder(strings.NewReader(out))
	strict.DisallowUnknownFields()
	require.NoError(t, strict.Decode(&a))
	written, err := os.ReadFile(filepath.Join(dir, "answer.json"))
	require.NoError(t, err)
	require.JSONEq(t, out, string(written))

	require.Len(t, a.Baseline, 4)
	for i, b := range []struct {
		dealer     string
		ev, stddev float64
	}{
		{"on always", -0.055846, 1.1504}, {"on never", -0.035360, 1.1907},
		{"off always", -0.078881, 1.1549}, {"off never", -0.056767, 1.1951},
	} {
		require.Equal(t, b.dealer, a.Baseline[i].Reveal+" "+a.Baseline[i].Surrender)
		require.InDelta(t, b.ev, a.Baseline[i].EV, 1e-6)
		require.InDelta(t, b.stddev, a.Baseline[i].StdDev, 1e-4)
		require.Greater(t, b.ev, a.Equilibrium.EV, "the fixed dealer is not the best")
	}
	require.LessOrEqual(t, a.Equilibrium.Exploitability, 1e-6)
	require.InDelta(t, -100*a.Equilibrium.EV, a.Equilibrium.HouseEdgePercent, 1e-12)
	require.Greater(t, a.Surrender.EVWithoutSurrender, a.Equilibrium.EV)
	require.InDelta(t, 96.0/1326, a.Surrender.Hard15Probability, 1e-12)
	require.InDelta(t, a.Reveal.EVWith, a.Reveal.EVWithout, 1e-9)
	require.Len(t, a.Reveal.Forced, 2)
	for i, percent := range []float64{2.3035, 2.1407} {
		require.InDelta(t, percent, a.Reveal.Forced[i].DifferencePercent, 1e-4)
		require.InDelta(t, percent/100, a.Reveal.Forced[i].Difference, 1e-6)
	}
	require.NotEmpty(t, a.Reveal.FrequencyByHand)
	for _, d := range a.Reveal.FrequencyByHand {
		require.Contains(t, []int{16, 17}, d.Total)
		require.InDelta(t, 1, d.Hit+d.StandOrReveal, 1e-12)
	}
	for _, p := range a.Player {
		require.Equal(t, p.Cards, 1+strings.Count(p.Hand, "-"))
		require.InDelta(t, 1, p.Hit+p.Stand, 1e-12)
		if p.Total <= 15 {
			require.Equal(t, 1.0, p.Hit, p.Hand)
			require.InDelta(t, -1, p.EVStand, 1e-9, p.Hand)
		}
	}

	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	require.Equal(t, table.Columns, rows[0])
	require.Len(t, rows, 1+5*len(a.Player)+len(a.Reveal.FrequencyByHand)+len(a.Surrender.Hands))

	require.Len(t, a.Surrender.Hands, 3)
	reached := 0.0
	for _, d := range a.Surrender.Hands {
		require.Equal(t, 1.0, d.Surrender, d.Dealer)
		reached += d.Reach
	}
	require.InDelta(t, a.Surrender.Hard15Probability, reached, 1e-12)
	require.InDelta(t, 0.021903, a.Surrender.SavedUnits, 1e-6)
	position := `{"seat": 0, "hand": ["T", "6"]}`
	asked := program.Succeed(t, position, "advise", "banluck", "--position", "-", "--agent", "file:"+path)
	exact := program.Succeed(t, position, "advise", "banluck", "--position", "-")
	require.Equal(t, strings.ReplaceAll(exact, "solver:equilibrium", "file:"+path), asked)
}

func TestSolveBanluckForPeople(t *testing.T) {
	rules := filepath.Join(t.TempDir(), "rules.yaml")
	require.NoError(t, os.WriteFile(rules, []byte("surrender: false\npayouts: {ban_ban: 4}\n"), 0o644))
	out := program.Succeed(t, "", "solve", "banluck", "--rules", rules, "--simulate", "20000")
	require.NotContains(t, out, "surrender always", "the rules do not allow it")
	require.Contains(t, out, "The dealer in equilibrium, against 3 cards")
	require.Equal(t, 6, strings.Count(out, "20000"), "three solutions, two seeds")
	require.Contains(t, program.Refuse(t, 2, "solve", "banluck", "--players", "2", "--agent", "basic"),
		"--agent is for one player")
	require.Contains(t, program.Refuse(t, 2, "solve", "banluck", "--players", "5"), "5 is not in 1..4")
	require.Contains(t, program.Refuse(t, 2, "solve", "banluck", "--simulate", "-1"), "cannot be negative")
	require.Contains(t, program.Refuse(t, 2, "solve", "banluck", "--out", "-"), "name a file")
}

// The report and the charts are written where the flags say. What stands in them is tested where they are made (package
// games/banluck/solve/report), and in the nightly list from the command on.
func TestSolveBanluckReportsAndDraws(t *testing.T) {
	dir := t.TempDir()
	written, charts := filepath.Join(dir, "report.md"), filepath.Join(dir, "charts")
	quick := of(work{studyOnce, func(study *banluck.Study) []Chart {
		shares := plot.HeatMap{
			Title: study.Game.Spec().Name, Columns: []string{"2", "3"}, Rows: []string{"16"}, Shares: [][]float64{{0, 1}},
		}
		return []Chart{{Name: "first", Figure: shares.Figure()}, {Name: "second", Figure: shares.Figure()}}
	}, func(_ context.Context, study *banluck.Study, o Sampling) (func(io.Writer) error, error) {
		return func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "%s: --simulate %d --seed %d --players %d\n", study.Game.Spec().Name, o.Hands, o.Seed,
				o.Crowd)
			return err
		}, nil
	}})
	quick.Succeed(t, "", "solve", "banluck", "--report", written, "--charts", charts, "--simulate", "500", "--seed", "7",
		"--players", "2")
	require.Equal(t, "banluck: --simulate 500 --seed 7 --players 2\n", readText(t, written))
	for _, kind := range []string{"svg", "png"} {
		drawn, err := filepath.Glob(filepath.Join(charts, "*."+kind))
		require.NoError(t, err)
		require.Equal(t, []string{filepath.Join(charts, "first."+kind), filepath.Join(charts, "second."+kind)}, drawn)
	}
	require.Contains(t, program.Refuse(t, 2, "solve", "banluck", "--set", "rules.ace=greedy", "--report", written,
		"--force"),
		"leave out --rules")
	require.Contains(t, program.Refuse(t, 2, "solve", "banluck", "--report", written, "--force", "--players", "5"),
		"--players 5: a report looks at up to 2, 3 or 4 players")
}

func readText(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(content)
}

// The card for a phone is one file, and an earlier one is not replaced unless that is asked for.
func TestSolveBanluckCard(t *testing.T) {
	path := filepath.Join(t.TempDir(), "card.html")
	program.Succeed(t, "", "solve", "banluck", "--page", path)
	card, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(card), "Ban Ban pays 3, Ban Luck 2, 777 7")
	require.Contains(t, program.Refuse(t, 2, "solve", "banluck", "--page", path), "it exists already: add --force")
	program.Succeed(t, "", "solve", "banluck", "--page", path, "--force", "--set", "rules.payouts.ban_ban=4", "--set",
		"rules.surrender=false")
	again, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(again), "Ban Ban pays 4")
	require.Contains(t, program.Refuse(t, 2, "solve", "banluck", "--page", "x.html", "--players", "2"),
		"--page is for one player")
}

// Nothing is solved for an agent that there is not.
func TestSolveBanluckReadsTheAgentFirst(t *testing.T) {
	unsolved := of(work{study: func(context.Context, engine.Game, func(banluck.Point)) (*banluck.Study, error) {
		t.Error("it is solved")
		return nil, errors.New("solved")
	}})
	require.Contains(t, unsolved.Refuse(t, 2, "solve", "banluck", "--agent", "main@3"), "needs --run")
}

func TestSolveBanluckMeasuresAnAgent(t *testing.T) {
	var answer map[string]any
	out := program.Succeed(t, "", "solve", "banluck", "--agent", "random", "--json")
	require.NoError(t, json.Unmarshal([]byte(out), &answer))
	require.Equal(t, "random", answer["agent"])
	require.Positive(t, answer["exploitability"])
	require.InDelta(t, answer["exploitability"], (answer["player_loss"].(float64)+answer["dealer_loss"].(float64))/2, 1e-9)
	require.Contains(t, answer, "equilibrium")
}
