package learner

import (
	"fmt"
	"math"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"croupier/engine"
	"croupier/learner/train"
	"croupier/messages"
	"croupier/messages/conduct"
)

type metrics struct {
	samples, games, updates     prometheus.Counter
	rollbacks, klStops          prometheus.Counter
	setbacks, resets            prometheus.Counter
	episodes, refusals, batches *prometheus.CounterVec
	failures                    *prometheus.CounterVec
	waiting                     prometheus.Counter
	lag, update, iteration      prometheus.Histogram
	publish, checkpoint         prometheus.Histogram
	version                     prometheus.Gauge
	figures                     *prometheus.GaugeVec
	series                      map[string]prometheus.Gauge // of the curves with a metric, by curve name
}

// Operations whose failures are counted.
const (
	opFetch      = "fetch"
	opLedger     = "ledger"
	opPublish    = "publish"
	opCheckpoint = "checkpoint"
	opCurves     = "curves"
	opHeartbeat  = "heartbeat"

	opIterate = "iterate" // has its own counter, rollbacks
)

// newMetrics registers the learner's metrics, including the figures of its game and a gauge
// for each curve that names one.
func newMetrics(r prometheus.Registerer, curves []messages.Series, figures []engine.Figure) *metrics {
	f := factory{r}
	m := &metrics{
		samples: f.counter("samples_total", "New decisions with at least two legal actions trained on."),
		games:   f.counter("games_total", "New games trained on."),
		updates: f.counter("updates_total", "Optimiser steps."),
		rollbacks: f.counter("rollbacks_total",
			"Iterations undone because weights or losses were not finite, or the policy or its values had collapsed."),
		setbacks: f.counter("setbacks_total",
			"Times that training went back to the best version because several in succession were weaker."),
		resets:   f.counter("resets_total", "Times that training began again with new weights, as the league wanted it."),
		klStops:  f.counter("kl_stops_total", "Iterations ended early by the limit on KL."),
		episodes: f.counters("episodes_total", "Episodes, by outcome.", "outcome"),
		refusals: f.counters("refusals_total", "Episodes refused at the door, by reason.", "reason"),
		batches:  f.counters("refused_batches_total", "Batches refused as a whole, by reason.", "reason"),
		failures: f.counters("failures_total", "Operations on broker or disk that failed, by operation.", "operation"),
		waiting:  f.counter("waiting_seconds_total", "Time the trainer waited for experience."),
		lag: f.histogram("lag_versions", "Versions by which the weights that played a consumed episode were behind.",
			[]float64{0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64}),
		update: f.histogram("update_seconds", "Time of one optimiser step with its gradient.",
			prometheus.ExponentialBuckets(0.001, 2, 14)),
		iteration: f.histogram("iteration_seconds", "Time of one iteration.", prometheus.ExponentialBuckets(0.01, 2, 14)),
		publish:   f.histogram("publish_seconds", "Time to publish weights.", prometheus.ExponentialBuckets(0.001, 2, 14)),
		checkpoint: f.histogram("checkpoint_seconds", "Time to write a checkpoint.",
			prometheus.ExponentialBuckets(0.001, 2, 14)),
		version: f.gauge("version", "Newest published version of the weights."),
		figures: f.gauges("figure", "The game's figures of the learning agent's seats in the training games of the newest "+
			"curve point, in the units of the game's page.", "figure"),
		series: map[string]prometheus.Gauge{},
	}
	for _, f := range figures {
		m.figures.WithLabelValues(f.Name)
	}
	for _, curve := range curves {
		if curve.Metric != "" {
			m.series[curve.Name] = f.curve(curve)
		}
	}
	for _, name := range verdictNames {
		m.episodes.WithLabelValues(name)
	}
	for _, reason := range messages.Reasons {
		m.refusals.WithLabelValues(string(reason))
		m.batches.WithLabelValues(string(reason))
	}
	for _, op := range []string{opFetch, opLedger, opPublish, opCheckpoint, opCurves, opHeartbeat} {
		m.failures.WithLabelValues(op)
	}
	return m
}

// follow shows how many actors the monitor has quarantined.
func (f factory) follow(monitor *conduct.Monitor) {
	f.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: namespace, Subsystem: subsystem, Name: "actors_set_aside",
		Help: "Actors whose messages are not read because too much of them was refused.",
	}, func() float64 { return float64(monitor.Count()) }))
}

// observe updates the metrics with an iteration's report.
func (m *metrics) observe(r train.Report) {
	m.updates.Add(float64(r.Updates))
	if r.KLStopped {
		m.klStops.Inc()
	}
	if r.Updates > 0 {
		m.update.Observe(r.UpdateTime.Seconds() / float64(r.Updates))
	}
	for _, v := range r.Readings {
		m.show(v.Series, v.Value)
	}
	m.show("learning_rate", r.LearningRate)
	m.show("gradient_norm", r.GradientNorm)
}

// show sets the gauge of a curve, if it has one.
func (m *metrics) show(series string, value float64) {
	if g, ok := m.series[series]; ok {
		g.Set(value)
	}
}

// factory makes and registers the learner's metrics.
type factory struct{ prometheus.Registerer }

const (
	namespace = "croupier"
	subsystem = "learner"
)

func (f factory) counter(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Subsystem: subsystem, Name: name, Help: help})
	f.MustRegister(c)
	return c
}

func (f factory) counters(name, help, label string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(
		prometheus.CounterOpts{Namespace: namespace, Subsystem: subsystem, Name: name, Help: help}, []string{label})
	f.MustRegister(c)
	return c
}

func (f factory) gauge(name, help string) prometheus.Gauge {
	g := prometheus.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Subsystem: subsystem, Name: name, Help: help})
	f.MustRegister(g)
	return g
}

func (f factory) gauges(name, help, label string) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(
		prometheus.GaugeOpts{Namespace: namespace, Subsystem: subsystem, Name: name, Help: help}, []string{label})
	f.MustRegister(g)
	return g
}

// curve returns the gauge of a learning curve. A curve of particular algorithms is NaN
// until it is set, and if only one algorithm has it, its help names that algorithm.
func (f factory) curve(s messages.Series) prometheus.Gauge {
	help := s.Help
	if len(s.Algorithms) == 1 {
		help = fmt.Sprintf("%s (%s).", strings.TrimSuffix(help, "."), strings.ToUpper(s.Algorithms[0]))
	}
	g := f.gauge(s.Metric, help)
	if len(s.Algorithms) > 0 {
		g.Set(math.NaN())
	}
	return g
}

func (f factory) histogram(name, help string, buckets []float64) prometheus.Histogram {
	h := prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: namespace, Subsystem: subsystem, Name: name, Help: help, Buckets: buckets,
	})
	f.MustRegister(h)
	return h
}
