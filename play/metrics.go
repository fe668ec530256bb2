package play

import (
	"time"

	"croupier/internal/meter"
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
	f := meter.Meter{Registerer: registerer}
	m := &Metrics{
		open:  f.Gauge("croupier_play_tables", "Tables at which people or agents play."),
		games: f.Counter("croupier_play_games_total", "Games played to their end at tables."),
		acts: f.Histogram("croupier_play_act_seconds",
			"Time that a person's move takes at its table.", prometheus.ExponentialBuckets(1e-5, 4, 9)),
		think: f.Histogram("croupier_play_think_seconds",
			"Time that an agent takes for a decision at a table.", prometheus.ExponentialBuckets(1e-5, 4, 12)),
	}
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
