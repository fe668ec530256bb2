package league

import (
	"github.com/prometheus/client_golang/prometheus"

	"croupier/internal/meter"
)

// Outcomes of a result.
const (
	outcomeApplied   = "applied"
	outcomeDuplicate = "duplicate"
	outcomeRefused   = "refused"
)

type metrics struct {
	results     *prometheus.CounterVec
	games       prometheus.Counter
	matches     *prometheus.CounterVec
	outstanding prometheus.Gauge
	members     prometheus.Gauge
	best        prometheus.Gauge
	rating      *prometheus.GaugeVec
	duplicates  prometheus.Gauge
	stepSeconds prometheus.Histogram
	unsent      prometheus.Gauge
}

func newMetrics(reg prometheus.Registerer) *metrics {
	f := meter.Meter{Registerer: reg}
	m := &metrics{
		results: f.Counters("croupier_league_results_total",
			"Results read since the start by outcome: applied, duplicate or refused.", "outcome"),
		games: f.Counter("croupier_league_games_total",
			"Arena games in the results that were applied since the start."),
		matches: f.Counters("croupier_league_matches_total",
			"Matches published, by whether it was for the first time or again for lack of a result.", "time"),
		outstanding: f.Gauge("croupier_league_outstanding_matches", "Matches that have no result yet."),
		members:     f.Gauge("croupier_league_members", "Frozen versions in the population, retired ones included."),
		best: f.Gauge("croupier_league_best_number",
			"Number of the frozen version that has passed the gate, 0 for none."),
		rating: f.Gauges("croupier_league_rating",
			"Rating of the newest and of the best frozen version by its unit, Elo or money per game; the game's strongest bot has 0.", "version", "unit"),
		duplicates: f.Gauge("croupier_league_set_variance_ratio",
			"Variance of a set's mean share as a part of what as many independent games would have: what playing all seat assignments of a seed saves."),
		stepSeconds: f.Histogram("croupier_league_tick_seconds",
			"Time to rate all agents and to decide what is next, once a second.", prometheus.ExponentialBuckets(0.0001, 4, 9)),
		unsent: f.Gauge("croupier_league_unsent_messages", "Messages that wait for the broker to take them."),
	}
	for _, outcome := range []string{outcomeApplied, outcomeDuplicate, outcomeRefused} {
		m.results.WithLabelValues(outcome)
	}
	for _, time := range []string{"first", "again"} {
		m.matches.WithLabelValues(time)
	}
	return m
}
