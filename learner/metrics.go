package learner

import (
	"math"

	"github.com/prometheus/client_golang/prometheus"

	"croupier/engine"
	"croupier/messages"
)

type metrics struct {
	samples, games, updates     prometheus.Counter
	rollbacks, klStops          prometheus.Counter
	episodes, refusals, batches *prometheus.CounterVec
	failures                    *prometheus.CounterVec
	waiting                     prometheus.Counter
	lag, update, iteration      prometheus.Histogram
	publish, checkpoint         prometheus.Histogram
	version, stage              prometheus.Gauge
	learningRate, gradientNorm  prometheus.Gauge
	figures                     *prometheus.GaugeVec
	readings                    map[string]prometheus.Gauge // by series
}

// Operations whose failures are counted.
const (
	opFetch      = "fetch"
	opLedger     = "ledger"
	opPublish    = "publish"
	opCheckpoint = "checkpoint"
	opCurves     = "curves"
	opHeartbeat  = "heartbeat"
)

func newMetrics(r prometheus.Registerer, figures ...engine.Figure) *metrics {
	f := factory{r}
	m := &metrics{
		samples:      f.counter("samples_total", "New decisions trained on."),
		games:        f.counter("games_total", "New games trained on."),
		updates:      f.counter("updates_total", "Optimiser steps."),
		rollbacks:    f.counter("rollbacks_total", "Iterations undone because weights or losses were not finite."),
		klStops:      f.counter("kl_stops_total", "Iterations ended early by the limit on KL."),
		episodes:     f.counters("episodes_total", "Episodes by what became of them.", "outcome"),
		refusals:     f.counters("refusals_total", "Episodes refused at the door, by reason.", "reason"),
		batches:      f.counters("refused_batches_total", "Batches refused as a whole, by reason.", "reason"),
		failures:     f.counters("failures_total", "Operations on broker or disk that failed, by operation.", "operation"),
		waiting:      f.counter("waiting_seconds_total", "Time the trainer waited for experience."),
		lag:          f.histogram("lag_versions", "Versions by which the weights that played a consumed episode were behind.", []float64{0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64}),
		update:       f.histogram("update_seconds", "Time of one optimiser step with its gradient.", prometheus.ExponentialBuckets(0.001, 2, 14)),
		iteration:    f.histogram("iteration_seconds", "Time of one iteration.", prometheus.ExponentialBuckets(0.01, 2, 14)),
		publish:      f.histogram("publish_seconds", "Time to publish weights.", prometheus.ExponentialBuckets(0.001, 2, 14)),
		checkpoint:   f.histogram("checkpoint_seconds", "Time to write a checkpoint.", prometheus.ExponentialBuckets(0.001, 2, 14)),
		version:      f.gauge("version", "Newest published version of the weights."),
		stage:        f.gauge("stage", "Stage of the curriculum in training, from 1; after the last stage comes the run's own game."),
		learningRate: f.gauge("learning_rate", "Step size of the optimiser."),
		gradientNorm: f.gauge("gradient_norm", "Global norm of the gradient before clipping, mean."),
		figures:      f.gauges("figure", "The game's figures of the learning agent's seats in the training games of the newest curve point, in the units of the game's page.", "figure"),
	}
	for _, f := range figures {
		m.figures.WithLabelValues(f.Name)
	}
	m.readings = map[string]prometheus.Gauge{
		"entropy":            f.unknown("entropy_nats", "Entropy of the policy over legal actions, mean (PPO)."),
		"kl":                 f.unknown("kl_nats", "KL between the behaviour policy and the policy, mean estimate (PPO)."),
		"policy_loss":        f.unknown("policy_loss", "Clipped surrogate, negated, mean (PPO)."),
		"value_loss":         f.unknown("value_loss", "Half the squared error of the value, mean (PPO)."),
		"explained_variance": f.unknown("explained_variance_ratio", "Part of the variance of results that the value explains."),
		"clip_fraction":      f.unknown("clip_ratio", "Part of the decisions whose probability ratio is outside the clip range (PPO)."),
		"q_loss":             f.unknown("q_loss", "Huber loss of the action values, mean (DQN)."),
		"td_error":           f.unknown("td_error", "Size of the temporal-difference error in units of the largest return, mean (DQN)."),
		"mean_q":             f.unknown("mean_q", "Value of the best action to the target network in units of the largest return, mean (DQN)."),
		"exploration":        f.unknown("exploration_ratio", "Part of the training games' decisions that are drawn from all legal actions alike (DQN)."),
		"replay_games":       f.unknown("replay_games", "Games in the replay buffer (DQN)."),
		"replay_age":         f.unknown("replay_age_versions", "Versions by which the weights that played the drawn games are behind those of the newest game, mean (DQN)."),
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

// observe sets the gauges to what an iteration was like.
func (m *metrics) observe(r report) {
	m.updates.Add(float64(r.updates))
	if r.klStopped {
		m.klStops.Inc()
	}
	if r.updates > 0 {
		m.update.Observe(r.updateTime.Seconds() / float64(r.updates))
	}
	for _, r := range r.readings {
		m.readings[r.series].Set(r.value)
	}
	m.learningRate.Set(r.learningRate)
	m.gradientNorm.Set(r.gradientNorm)
}

// factory makes and registers metrics of the learner.
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
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Subsystem: subsystem, Name: name, Help: help}, []string{label})
	f.MustRegister(c)
	return c
}

func (f factory) gauge(name, help string) prometheus.Gauge {
	g := prometheus.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Subsystem: subsystem, Name: name, Help: help})
	f.MustRegister(g)
	return g
}

func (f factory) gauges(name, help, label string) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Subsystem: subsystem, Name: name, Help: help}, []string{label})
	f.MustRegister(g)
	return g
}

// unknown is a gauge of something that only some algorithms have, NaN until it is set.
func (f factory) unknown(name, help string) prometheus.Gauge {
	g := f.gauge(name, help)
	g.Set(math.NaN())
	return g
}

func (f factory) histogram(name, help string, buckets []float64) prometheus.Histogram {
	h := prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: namespace, Subsystem: subsystem, Name: name, Help: help, Buckets: buckets})
	f.MustRegister(h)
	return h
}
