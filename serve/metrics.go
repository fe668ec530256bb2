package serve

import "github.com/prometheus/client_golang/prometheus"

type metrics struct {
	registry  *prometheus.Registry
	requests  *prometheus.CounterVec
	decisions prometheus.Histogram
	batch     prometheus.Histogram
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "croupier_serve_requests_total",
			Help: "Answered requests by route and HTTP status code.",
		}, []string{"route", "code"}),
		decisions: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "croupier_serve_decision_seconds",
			Help:    "Time from a position that has been received to the agent's decision.",
			Buckets: prometheus.ExponentialBuckets(50e-6, 2.5, 12),
		}),
		batch: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "croupier_serve_batch_decisions",
			Help:    "Decisions that a network made at once.",
			Buckets: []float64{1, 2, 4, 8, 16, 32, maxBatch},
		}),
	}
	m.registry.MustRegister(m.requests, m.decisions, m.batch)
	return m
}
