package play

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics are the croupier_play_* metrics of a [Hall]. A nil *Metrics counts nothing.
type Metrics struct {
	open  prometheus.Gauge
	games prometheus.Counter
	acts  prometheus.Histogram
	think prometheus.Histogram
}

// NewMetrics registers the metrics.
func NewMetrics(registerer prometheus.Registerer) *Metrics {
	m := &Metrics{
		open: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "croupier_play_tables", Help: "Tables at which people or agents play.",
		}),
		games: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "croupier_play_games_total", Help: "Games played to their end at tables.",
		}),
		acts: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "croupier_play_act_seconds", Help: "Time that a person's move takes at its table.",
			Buckets: prometheus.ExponentialBuckets(1e-5, 4, 9),
		}),
		think: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "croupier_play_think_seconds", Help: "Time that an agent takes for a decision at a table.",
			Buckets: prometheus.ExponentialBuckets(1e-5, 4, 12),
		}),
	}
	registerer.MustRegister(m.open, m.games, m.acts, m.think)
	return m
}

func (m *Metrics) tables(n int) {
	if m != nil {
		m.open.Set(float64(n))
	}
}

func (m *Metrics) finished() {
	if m != nil {
		m.games.Inc()
	}
}

func (m *Metrics) acted(d time.Duration) {
	if m != nil {
		m.acts.Observe(d.Seconds())
	}
}

func (m *Metrics) thought(d time.Duration) {
	if m != nil {
		m.think.Observe(d.Seconds())
	}
}
