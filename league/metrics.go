package league

import "github.com/prometheus/client_golang/prometheus"

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
	m := &metrics{
		results: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "croupier_league_results_total",
			Help: "Results read since the start by what became of them: applied, duplicate or refused.",
		}, []string{"outcome"}),
		games: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "croupier_league_games_total",
			Help: "Arena games in the results that were applied since the start.",
		}),
		matches: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "croupier_league_matches_total",
			Help: "Matches published, by whether it was for the first time or again for lack of a result.",
		}, []string{"time"}),
		outstanding: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "croupier_league_outstanding_matches",
			Help: "Matches that have no result yet.",
		}),
		members: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "croupier_league_members",
			Help: "Frozen versions in the population, retired ones included.",
		}),
		best: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "croupier_league_best_number",
			Help: "Number of the frozen version that has passed the gate, 0 for none.",
		}),
		rating: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "croupier_league_rating",
			Help: "Rating of the newest and of the best frozen version by its unit, Elo or money per game; the game's strongest bot has 0.",
		}, []string{"version", "unit"}),
		duplicates: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "croupier_league_set_variance_ratio",
			Help: "Variance of a set's mean share as a part of what as many independent games would have: what playing all seat assignments of a seed saves.",
		}),
		stepSeconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "croupier_league_tick_seconds",
			Help:    "Time to rate all agents and to decide what is next, once a second.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 4, 9),
		}),
		unsent: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "croupier_league_unsent_messages",
			Help: "Messages that wait for the broker to take them.",
		}),
	}
	reg.MustRegister(m.results, m.games, m.matches, m.outstanding, m.members, m.best, m.rating,
		m.duplicates, m.stepSeconds, m.unsent)
	for _, outcome := range []string{outcomeApplied, outcomeDuplicate, outcomeRefused} {
		m.results.WithLabelValues(outcome)
	}
	for _, time := range []string{"first", "again"} {
		m.matches.WithLabelValues(time)
	}
	return m
}
