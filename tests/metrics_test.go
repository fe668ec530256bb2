package tests

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"croupier/internal/testport"
)

var update = flag.Bool("update", false, "rewrite docs/reference/metrics.md")

// metricFamilies are the metrics of one process by name.
type metricFamilies map[string]*dto.MetricFamily

// TestMetrics looks at the metrics of a whole cluster: one process for each role, and
// a Prometheus that scrapes them all.
func TestMetrics(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "metrics")
	page := testport.Free(t)
	roles := map[string]*role{
		"broker":  c.broker(),
		"learner": c.role("learner", append([]string{"kuhn"}, quick[2:]...)...),
		"peer":    c.role("learner", "--join"),
		"actor":   c.role("actor", "--actors", "1"),
		"league":  c.role("league"),
		"web":     c.role("web", "--listen", page),
	}
	roles["web"].await("http://" + page + "/")
	prometheus := startPrometheus(t, roles)
	eventually(t, "the gate passes a version", func() error {
		if v := roles["league"].value("croupier_league_best_number"); v < 1 {
			return fmt.Errorf("best number %v", v)
		}
		return nil
	})
	scraped := map[string]metricFamilies{}
	for name, r := range roles {
		scraped[name] = r.scrape()
	}
	t.Run("lint", func(t *testing.T) { lintMetrics(t, scraped) })
	t.Run("documented", func(t *testing.T) { checkMetricsPage(t, scraped) })
	t.Run("one process has all", func(t *testing.T) { checkTrain(t, scraped) })
	t.Run("scraped", func(t *testing.T) { prometheus.checkTargets(t, len(roles)) })
	t.Run("dashboard", func(t *testing.T) { prometheus.checkDashboard(t) })
	t.Run("alerts", func(t *testing.T) { prometheus.checkAlerts(t) })
}

// scrape reads the role's metrics.
func (r *role) scrape() metricFamilies {
	r.t.Helper()
	families, err := r.tryScrape()
	require.NoError(r.t, err, r.name)
	return families
}

// tryScrape is scrape for a role that may be gone.
func (r *role) tryScrape() (metricFamilies, error) {
	resp, err := http.Get("http://" + r.metrics + "/metrics")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, errors.New(resp.Status)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	return parser.TextToMetricFamilies(resp.Body)
}

// value is the sum of a counter or gauge of the role over the series that have all
// the labels, given as name, value, name, value...
func (r *role) value(name string, labels ...string) float64 {
	r.t.Helper()
	return r.scrape().value(name, labels...)
}

// value is the sum of a counter or gauge over the series that have all the labels.
func (f metricFamilies) value(name string, labels ...string) float64 {
	sum := 0.0
	for _, m := range f[name].GetMetric() {
		have := map[string]string{}
		for _, l := range m.GetLabel() {
			have[l.GetName()] = l.GetValue()
		}
		matches := true
		for i := 0; i < len(labels); i += 2 {
			matches = matches && have[labels[i]] == labels[i+1]
		}
		if matches {
			sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	return sum
}

// Labels of Croupier's metrics. All have few values, whatever the size of the run:
// no names of actors, agents or matches; of keys only those to whom something was refused.
var boundedLabels = []string{"agent", "code", "direction", "figure", "key", "kind", "of", "operation", "outcome", "reason",
	"route", "stream", "time", "unit", "version"}

// mostSeries bounds the series of one metric in one process.
const mostSeries = 40

func lintMetrics(t *testing.T, scraped map[string]metricFamilies) {
	for role, families := range scraped {
		problems, err := promlint.NewWithMetricFamilies(slices.Collect(maps.Values(families))).Lint()
		require.NoError(t, err)
		for _, p := range problems {
			if ours(p.Metric) {
				t.Errorf("%s: %s: %s", role, p.Metric, p.Text)
			}
		}
		for name, f := range families {
			if !ours(name) {
				require.True(t, strings.HasPrefix(name, "go_") || strings.HasPrefix(name, "process_"), "%s: %s lacks the prefix",
					role, name)
				continue
			}
			require.True(t, strings.HasSuffix(f.GetHelp(), "."), "%s: help of %s is no sentence: %q", role, name, f.GetHelp())
			require.Subset(t, boundedLabels, labelNames(f), name)
			require.LessOrEqual(t, len(f.GetMetric()), mostSeries, name)
		}
	}
}

// ours reports whether Croupier itself defines the metric.
func ours(name string) bool { return strings.HasPrefix(name, "croupier_") }

// labelNames returns the sorted names of the labels of a metric.
func labelNames(f *dto.MetricFamily) []string {
	names := map[string]bool{}
	for _, m := range f.GetMetric() {
		for _, l := range m.GetLabel() {
			names[l.GetName()] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

const metricsPage = "../docs/reference/metrics.md"

// checkMetricsPage compares docs/reference/metrics.md with what the roles export, or writes it.
func checkMetricsPage(t *testing.T, scraped map[string]metricFamilies) {
	var want bytes.Buffer
	want.WriteString(`# Metrics

Every process of Croupier serves these at ` + "`/metrics`" + ` (` + "`--metrics ADDRESS`" + `; ` + "`croupier train`" + `
and ` + "`web`" + ` also at the address of the page), next to the usual ` + "`go_*` and `process_*`" + `.
Units are base units. No label names an actor, a match or a version, so the number of series
does not grow with a run; ` + "`agent`" + ` is one of the run's learning agents, of which there are
at most 16, and ` + "`main`" + ` in most runs. [Monitoring](../guide/operate/monitoring.md)
explains how to collect and watch them.

This page is made from a running cluster: ` + "`go test ./tests -run TestMetrics -update`" + `.

| metric | type | labels | of | meaning |
|---|---|---|---|---|
`)
	of := map[string][]string{}
	family := map[string]*dto.MetricFamily{}
	for _, role := range slices.Sorted(maps.Keys(scraped)) {
		for name, f := range scraped[role] {
			of[name], family[name] = append(of[name], role), f
		}
	}
	for _, name := range slices.Sorted(maps.Keys(family)) {
		if !ours(name) {
			continue
		}
		f := family[name]
		who := strings.Join(of[name], ", ")
		if len(of[name]) == len(scraped)-1 {
			who = "all but broker"
		}
		fmt.Fprintf(&want, "| `%s` | %s | %s | %s | %s |\n", name, strings.ToLower(f.GetType().String()),
			strings.Join(labelNames(f), ", "), who, f.GetHelp())
	}
	if *update {
		require.NoError(t, os.WriteFile(metricsPage, want.Bytes(), 0o644))
	}
	have, err := os.ReadFile(metricsPage)
	require.NoError(t, err)
	require.Equal(t, want.String(), string(have), "%s is not current: go test ./tests -run TestMetrics -update",
		filepath.Base(metricsPage))
}

// checkTrain compares the metrics of a cluster in one process with those of the roles.
func checkTrain(t *testing.T, scraped map[string]metricFamilies) {
	page := testport.Free(t)
	p := startTrain(t, filepath.Join(t.TempDir(), "one"), "kuhn", "--listen", page)
	p.await("http://" + page + "/metrics")
	train := &role{process: p, metrics: page}
	eventually(t, "a first version", func() error {
		if v := train.value("croupier_learner_version"); v < 2 {
			return fmt.Errorf("version %v", v)
		}
		return nil
	})
	have := train.scrape()
	for role, families := range scraped {
		for name := range families {
			// A metric with labels has no series before there is something to count.
			if ours(name) && len(labelNames(families[name])) == 0 {
				require.Contains(t, have, name, "of the role %s", role)
			}
		}
	}
	p.stop()
}
