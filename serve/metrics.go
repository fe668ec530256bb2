package serve

import (
	"github.com/prometheus/client_golang/prometheus"

	"croupier/internal/meter"
)

type metrics struct {
	registry  *prometheus.Registry
	requests  *prometheus.CounterVec
	decisions prometheus.Histogram
	batch     prometheus.Histogram
}

func newMetrics() *metrics {
	registry := prometheus.NewRegistry()
	f := meter.Meter{Registerer: registry}
	m := &metrics{
		registry: registry,
		requests: f.Counters("croupier_serve_requests_total",
			"Answered requests by route and HTTP status code.", "route", "code"),
		decisions: f.Histogram("croupier_serve_decision_seconds",
			"Time from a position that has been received to the agent's decision.", prometheus.ExponentialBuckets(50e-6, 2.5, 12)),
		batch: f.Histogram("croupier_serve_batch_decisions",
			"Decisions that a network made at once.", []float64{1, 2, 4, 8, 16, 32, maxBatch}),
	}
	return m
}
