package meter

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
)

// Every metric is registered under its name, and made without a registerer as well.
func TestMetricsAreRegistered(t *testing.T) {
	registry := prometheus.NewRegistry()
	for _, m := range []Meter{{registry}, {}} {
		m.Counter("games_total", "Games.").Inc()
		m.Counters("results_total", "Results.", "outcome").WithLabelValues("lost").Inc()
		m.Gauge("members", "Members.").Set(2)
		m.Gauges("ratings", "Ratings.", "version", "unit").WithLabelValues("best", "Elo").Set(1)
		m.Follow("lag", "Lag.", func() float64 { return 3 })
		m.Histogram("seconds", "Seconds.", []float64{1}).Observe(0.5)
	}
	families, err := registry.Gather()
	require.NoError(t, err)
	var names []string
	for _, f := range families {
		names = append(names, f.GetName()+": "+f.GetHelp())
	}
	require.Equal(t, []string{"games_total: Games.", "lag: Lag.", "members: Members.", "ratings: Ratings.",
		"results_total: Results.", "seconds: Seconds."}, names)
	require.EqualValues(t, 1, families[0].GetMetric()[0].GetCounter().GetValue())
}
