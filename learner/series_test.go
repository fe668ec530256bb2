package learner

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"croupier/games/kuhn"
	"croupier/learner/train"
	"croupier/messages"
)

func TestSeriesAreDeclaredWhole(t *testing.T) {
	names, metrics := map[string]bool{}, map[string]bool{}
	for _, s := range Series() {
		require.NotEmpty(t, s.Title, s.Name)
		require.NotEmpty(t, s.Unit, s.Name)
		require.True(t, strings.HasSuffix(s.Help, "."), s.Name)
		require.Contains(t, []string{messages.SeriesOfLearning, messages.SeriesOfThroughput}, s.Section, s.Name)
		require.False(t, names[s.Name], s.Name)
		require.False(t, s.Metric != "" && metrics[s.Metric], s.Metric)
		names[s.Name], metrics[s.Metric] = true, true
	}
}

// TestMetricsPageHasTheLearner: the page is generated from a running cluster; this notices
// without one when it has become out of date.
func TestMetricsPageHasTheLearner(t *testing.T) {
	page, err := os.ReadFile("../docs/reference/metrics.md")
	require.NoError(t, err)
	registry := prometheus.NewRegistry()
	newMetrics(registry, Series(), kuhn.Game{}.Spec().Figures)
	families, err := registry.Gather()
	require.NoError(t, err)
	for _, f := range families {
		kind := strings.ToLower(f.GetType().String())
		row := fmt.Sprintf("| `%s` | %s | LABELS | learner | %s |", f.GetName(), kind, f.GetHelp())
		pattern := "(?m)^" + strings.Replace(regexp.QuoteMeta(row), "LABELS", "[a-z, ]*", 1) + "$"
		require.True(t, regexp.MustCompile(pattern).Match(page),
			"docs/reference/metrics.md lacks the row\n%s\nin the order of the names", row)
	}
}

// TestCurvesAreDocumented compares the tables of the algorithms' pages with the
// declarations.
func TestCurvesAreDocumented(t *testing.T) {
	row := regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| ([^|]*) \\| [^|]+ \\|$")
	for _, a := range train.Algorithms() {
		page, err := os.ReadFile("../docs/explain/algorithms/" + a.Name + ".md")
		require.NoError(t, err, "the page of the algorithm, with a section Curves")
		_, curves, found := strings.Cut(string(page), "\n## Curves\n")
		require.True(t, found, a.Name)
		curves, _, _ = strings.Cut(curves, "\n## ")
		documented := map[string]string{}
		for _, r := range row.FindAllStringSubmatch(curves, -1) {
			documented[r[1]] = r[2]
		}
		declared := map[string]string{}
		for _, s := range a.Series {
			declared[s.Name] = s.Unit
		}
		if a.Name == "ppo" { // whose page also has the shared curves
			for _, s := range append(learningSeries, throughputSeries...) {
				declared[s.Name] = s.Unit
			}
		}
		require.Equal(t, declared, documented, a.Name)
	}
}
