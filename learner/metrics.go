package learner

import (
	"fmt"
	"math"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"croupier/engine"
	"croupier/internal/meter"
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
	groupPeers, groupIterations prometheus.Gauge
	groupWaiting, groupLeft     prometheus.Counter
	groupBytes                  *prometheus.CounterVec
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
	f := meter.Meter{Registerer: r}
	m := &metrics{
		samples: f.Counter("croupier_learner_samples_total", "New decisions with at least two legal actions trained on."),
		games:   f.Counter("croupier_learner_games_total", "New games trained on."),
		updates: f.Counter("croupier_learner_updates_total", "Optimiser steps."),
		rollbacks: f.Counter("croupier_learner_rollbacks_total",
			"Iterations undone because weights or losses were not finite, or the policy or its values had collapsed."),
		setbacks: f.Counter("croupier_learner_setbacks_total",
			"Times that training went back to the best version because several in succession were weaker."),
		resets: f.Counter("croupier_learner_resets_total",
			"Times that training began again with new weights at the request of the league."),
		klStops:  f.Counter("croupier_learner_kl_stops_total", "Iterations ended early by the limit on KL."),
		episodes: f.Counters("croupier_learner_episodes_total", "Episodes, by outcome.", "outcome"),
		refusals: f.Counters("croupier_learner_refusals_total", "Episodes refused on arrival, by reason.", "reason"),
		batches:  f.Counters("croupier_learner_refused_batches_total", "Batches refused as a whole, by reason.", "reason"),
		failures: f.Counters("croupier_learner_failures_total",
			"Operations on broker or disk that failed, by operation.", "operation"),
		waiting: f.Counter("croupier_learner_waiting_seconds_total", "Time the trainer waited for experience."),
		lag: f.Histogram("croupier_learner_lag_versions",
			"Versions by which the weights that played a consumed episode were behind.", []float64{0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64}),
		update: f.Histogram("croupier_learner_update_seconds", "Time of one optimiser step with its gradient.",
			prometheus.ExponentialBuckets(0.001, 2, 14)),
		iteration: f.Histogram("croupier_learner_iteration_seconds",
			"Time of one iteration.", prometheus.ExponentialBuckets(0.01, 2, 14)),
		publish: f.Histogram("croupier_learner_publish_seconds",
			"Time to publish weights.", prometheus.ExponentialBuckets(0.001, 2, 14)),
		checkpoint: f.Histogram("croupier_learner_checkpoint_seconds", "Time to write a checkpoint.",
			prometheus.ExponentialBuckets(0.001, 2, 14)),
		version: f.Gauge("croupier_learner_version", "Newest published version of the weights."),
		figures: f.Gauges("croupier_learner_figure",
			"The game's figures of the learning agent's seats in the training games of the newest "+
				"curve point, in the units of the game's page.", "figure"),
		groupPeers: f.Gauge("croupier_learner_group_peers", "Peers in the group that learns."),
		groupIterations: f.Gauge("croupier_learner_group_iterations",
			"Iterations that the leader makes between two averages of weights; 0: the group exchanges gradients."),
		groupWaiting: f.Counter("croupier_learner_group_waiting_seconds_total",
			"Time the leader waited for its peers' shares of works, or for the changes of their weights."),
		groupLeft: f.Counter("croupier_learner_group_left_out_total", "Times that a peer was left out of the group."),
		groupBytes: f.Counters("croupier_learner_group_bytes_total",
			"Bytes exchanged by the leader and its peers.", "direction"),
		series: map[string]prometheus.Gauge{},
	}
	for _, direction := range []string{"sent", "received"} {
		m.groupBytes.WithLabelValues(direction)
	}
	for _, f := range figures {
		m.figures.WithLabelValues(f.Name)
	}
	for _, curve := range curves {
		if curve.Metric != "" {
			m.series[curve.Name] = curveGauge(f, curve)
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

// peerMetrics are those of a process that computes a share of another learner's work.
type peerMetrics struct {
	computing, waiting prometheus.Counter
	bytes              *prometheus.CounterVec
}

func newPeerMetrics(r prometheus.Registerer) *peerMetrics {
	f := meter.Meter{Registerer: r}
	return &peerMetrics{
		computing: f.Counter("croupier_learner_peer_computing_seconds_total",
			"Time the peer computed its share of works."),
		waiting: f.Counter("croupier_learner_peer_waiting_seconds_total",
			"Time the peer waited for what works come to."),
		bytes: f.Counters("croupier_learner_peer_bytes_total",
			"Bytes exchanged by the peer and its leader.", "direction"),
	}
}

// follow shows how many actors the monitor has quarantined.
func follow(r prometheus.Registerer, monitor *conduct.Monitor) {
	meter.Meter{Registerer: r}.Follow("croupier_learner_actors_set_aside",
		"Actors whose messages are not read because too many of them were refused.",
		func() float64 { return float64(monitor.Count()) })
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

// curveGauge returns the gauge of a learning curve. A curve of particular algorithms is NaN
// until it is set, and if only one algorithm has it, its help names that algorithm.
func curveGauge(f meter.Meter, s messages.Series) prometheus.Gauge {
	help := s.Help
	if len(s.Algorithms) == 1 {
		help = fmt.Sprintf("%s (%s).", strings.TrimSuffix(help, "."), strings.ToUpper(s.Algorithms[0]))
	}
	g := f.Gauge("croupier_learner_"+s.Metric, help)
	if len(s.Algorithms) > 0 {
		g.Set(math.NaN())
	}
	return g
}
