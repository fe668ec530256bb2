// Package meter makes metrics and registers them, a line for each.
package meter

import "github.com/prometheus/client_golang/prometheus"

// Meter makes metrics that are registered in its registerer; nil: nowhere.
type Meter struct{ prometheus.Registerer }

// registered registers a metric.
func registered[C prometheus.Collector](m Meter, c C) C {
	if m.Registerer != nil {
		m.MustRegister(c)
	}
	return c
}

// Counter returns a new counter.
func (m Meter) Counter(name, help string) prometheus.Counter {
	return registered(m, prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help}))
}

// Counters returns new counters, one for each combination of labels.
func (m Meter) Counters(name, help string, labels ...string) *prometheus.CounterVec {
	return registered(m, prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels))
}

// Gauge returns a new gauge.
func (m Meter) Gauge(name, help string) prometheus.Gauge {
	return registered(m, prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help}))
}

// Gauges returns new gauges, one for each combination of labels.
func (m Meter) Gauges(name, help string, labels ...string) *prometheus.GaugeVec {
	return registered(m, prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels))
}

// Follow registers a gauge whose value is asked for when it is read.
func (m Meter) Follow(name, help string, value func() float64) {
	registered(m, prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
}

// Histogram returns a new histogram.
func (m Meter) Histogram(name, help string, buckets []float64) prometheus.Histogram {
	return registered(m, prometheus.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}))
}
