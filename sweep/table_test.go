package sweep

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/web/webtest"
)

// tabulated is a sweep of which candidate 1 is lower than the base by 1 on four seeds, whatever these do, and
// candidate 2 has failed once and is missing once.
func tabulated(t *testing.T) (*File, Results) {
	f, results := parse(t, plain+"seeds: {reporting: 4}\n"), Results{}
	rounds, _ := f.Rounds(results)
	for _, j := range rounds[0].Jobs() {
		r := Result{Job: j, Value: 10 * float64(j.Seed), Processor: 2, Games: 100, Reached: true}
		r.Curve = []Point{{0.5, r.Value + 1}, {1.5, r.Value}}
		switch {
		case j.Candidate == 1:
			r.Value--
		case j.Candidate == 2 && j.Seed == 3:
			continue
		case j.Candidate == 2 && j.Seed == 2:
			r = Result{Job: j, Failed: "collapsed"}
		}
		results[j] = r
	}
	return f, results
}

func TestTabulate(t *testing.T) {
	f, results := tabulated(t)
	table := f.Tabulate(results)
	require.Empty(t, table.Winner)
	require.Len(t, table.Rounds, 1)
	round := table.Rounds[0]
	require.True(t, round.Report)
	require.Equal(t, []int{11, 12}, []int{round.Played, round.Runs})
	base, lower, gaps := round.Rows[0], round.Rows[1], round.Rows[2]
	require.Nil(t, base.Difference)
	require.Equal(t, 25.0, base.Value.Value, "of 10, 20, 30, 40 the middle two")
	// Student's t of three degrees of freedom, and a standard error of 12.91 / 2.
	require.InDelta(t, 25-3.1824*6.455, *base.Value.Low, 1e-2)
	require.InDelta(t, 25+3.1824*6.455, *base.Value.High, 1e-2)
	require.Equal(t, 4, base.Reached)
	require.InDelta(t, -1, lower.Difference.Value, 1e-12)
	require.InDelta(t, -1, *lower.Difference.Low, 1e-9, "what the seeds have in common is not in it")
	require.Equal(t, []int{2, 1}, []int{gaps.Runs, gaps.Failed})
	require.InDelta(t, 0, gaps.Difference.Value, 1e-12)
	require.Equal(t, 2.0, gaps.Processor)
}

func TestTablesForPeopleAndPrograms(t *testing.T) {
	f, results := tabulated(t)
	table := f.Tabulate(results)
	var out bytes.Buffer
	require.NoError(t, table.Render(&out, 0))
	for _, want := range []string{"kuhn: exploitability at the end; the smaller, the better", "11 of 12 runs played",
		"learning_rate_start=0.001", "2 (1 failed)", "-1"} {
		require.Contains(t, out.String(), want)
	}
	require.NotContains(t, out.String(), "best is", "it is not over")
	require.NotContains(t, out.String(), "reached it", "there is no threshold")
	table.Rounds[0].Rows[1].Reached = 3
	require.Contains(t, table.Rounds[0].text(0), "4 (3 reached it)")
	table.Rounds[0].Rows[1].Reached = 4
	var narrow bytes.Buffer
	require.NoError(t, table.Render(&narrow, 60))
	require.Less(t, strings.Index(narrow.String(), "\n"), 80)
	out.Reset()
	require.NoError(t, table.WriteCSV(&out))
	records, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err)
	require.Len(t, records, 4)
	require.Equal(t, []string{"1", "true", "2", "learning_rate_start=0.001", "learner.learning_rate_start=0.001", "4", "0",
		"4", "24"}, records[2][:9])
	require.Empty(t, records[1][11], "the base has no difference to itself")
	doc, err := json.Marshal(f.Show(results, 0))
	require.NoError(t, err)
	require.NotContains(t, string(doc), "null")
}

// A single run has a number, but no interval.
func TestOneRun(t *testing.T) {
	f, results := parse(t, plain+"seeds: {reporting: 1}\n"), Results{}
	rounds, _ := f.Rounds(results)
	playAll(results, rounds[0], func(j Job) float64 { return float64(j.Candidate) })
	table := f.Tabulate(results)
	row := table.Rounds[0].Rows[2]
	require.Equal(t, 2.0, row.Value.Value)
	require.Nil(t, row.Value.Low)
	require.Equal(t, 2.0, row.Difference.Value)
	require.Equal(t, baseName, table.Winner)
	require.Contains(t, table.verdict(), "flatters")
}

// Without variants the base is played alone, to see what it reaches: it beats no variant.
func TestTheBaseAlone(t *testing.T) {
	f, results := parse(t, "game: kuhn\nbudget: 2s\nobjective: {measure: exploitability}\n"), Results{}
	rounds, _ := f.Rounds(results)
	playAll(results, rounds[0], func(j Job) float64 { return float64(j.Seed) })
	table := f.Tabulate(results)
	require.Len(t, table.Rounds, 1)
	require.Len(t, table.Rounds[0].Rows, 1)
	require.Equal(t, 3.0, table.Rounds[0].Rows[0].Value.Value, "of the seeds 1 to 5")
	require.Equal(t, baseName, table.Winner)
	require.Empty(t, table.verdict())
}

func TestBands(t *testing.T) {
	f, results := tabulated(t)
	bands := f.Bands(results)
	require.Len(t, bands, 3)
	for _, b := range bands {
		require.Len(t, b.Points, bandPoints)
		require.Equal(t, 0.5, b.Points[0][0])
		require.Equal(t, 2.0, b.Points[bandPoints-1][0])
		if b.Candidate == baseName {
			require.InDelta(t, 26, b.Points[0][1], 1e-9)
			require.InDelta(t, 25, b.Points[bandPoints-1][1], 1e-9)
			require.Less(t, b.Points[3][2], b.Points[3][1])
		}
	}
	require.Empty(t, f.Bands(Results{}))
	require.InDelta(t, 2.5, heightAt(falling, 1.5), 1e-12)
	require.InDelta(t, 3, heightAt(falling, 0), 1e-12)
	require.InDelta(t, 1, heightAt(falling, 9), 1e-12)
}

// TestDeclaredTypes requires that the types by which the page's script is checked are those of what it is sent.
func TestDeclaredTypes(t *testing.T) {
	webtest.Declares(t, "../web/types.d.ts", map[string]any{
		"ShownSweep": Shown{}, "SweepTable": Table{}, "SweepRound": TableRound{}, "SweepRow": Row{},
		"SweepSetting":  Setting{},
		"SweepEstimate": Estimate{}, "SweepBand": Band{},
	})
}
