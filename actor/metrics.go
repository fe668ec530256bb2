package actor

import "github.com/prometheus/client_golang/prometheus"

// Kinds of games.
const (
	kindTraining = "training"
	kindArena    = "arena"
	kindCut      = "cut" // at the longest history
)

// What becomes of a match.
const (
	matchPlayed    = "played"
	matchDuplicate = "duplicate" // somebody else's result was first
	matchRefused   = "refused"   // it is for other rules, or nonsense
	matchFailed    = "failed"    // given back: no such player, or its result could not be published
	matchReturned  = "returned"  // given back at the end of the actor
)

var (
	gameKinds     = []string{kindTraining, kindArena, kindCut}
	matchOutcomes = []string{matchPlayed, matchDuplicate, matchRefused, matchFailed, matchReturned}
)

type metrics struct {
	games              *prometheus.CounterVec
	decisions          prometheus.Counter
	batchRows          prometheus.Histogram
	published          prometheus.Counter
	publishedBytes     prometheus.Counter
	publishedDecisions prometheus.Counter
	publishErrors      prometheus.Counter
	givenUp            prometheus.Counter
	journalFailing     prometheus.Gauge
	offered            *prometheus.CounterVec
	matches            *prometheus.CounterVec
	paused             *prometheus.GaugeVec
	backlog            *prometheus.GaugeVec
	version            *prometheus.GaugeVec
}

func newMetrics(reg prometheus.Registerer) *metrics {
	m := &metrics{
		games: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "croupier_actor_games_total",
			Help: "Finished games by kind: training, arena, or cut at the longest history.",
		}, []string{"kind"}),
		decisions: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "croupier_actor_decisions_total",
			Help: "Decisions of all seats in all games.",
		}),
		batchRows: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "croupier_actor_step_decisions",
			Help:    "Decisions made in one step of a worker over all its tables.",
			Buckets: prometheus.ExponentialBuckets(1, 2, 11),
		}),
		published: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "croupier_actor_published_episodes_total",
			Help: "Training games handed to the broker.",
		}),
		publishedBytes: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "croupier_actor_published_bytes_total",
			Help: "Bytes of experience handed to the broker.",
		}),
		publishedDecisions: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "croupier_actor_published_decisions_total",
			Help: "Decisions of all seats in the training games handed to the broker.",
		}),
		publishErrors: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "croupier_actor_publish_errors_total",
			Help: "Batches of experience that the broker did not take.",
		}),
		givenUp: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "croupier_actor_given_up_episodes_total",
			Help: "Training games in batches that could not be encoded, entered in the journal or sent: the learner counts them as lost.",
		}),
		journalFailing: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "croupier_actor_journal_failing_workers",
			Help: "Workers that begin no training games because their journal in the run directory cannot be written.",
		}),
		offered: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "croupier_actor_offered_games_total",
			Help: "Games sent for the archive by kind: training or arena.",
		}, []string{"kind"}),
		matches: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "croupier_actor_matches_total",
			Help: "Arena matches by what became of them: played, duplicate, refused, failed or returned.",
		}, []string{"outcome"}),
		paused: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "croupier_actor_paused",
			Help: "1 while no training games are started because the learner is behind, by learning agent.",
		}, []string{"agent"}),
		backlog: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "croupier_actor_backlog_messages",
			Help: "Batches of experience, of all actors, that the learner has not taken yet, by learning agent.",
		}, []string{"agent"}),
		version: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "croupier_actor_weights_version",
			Help: "Version of the weights in new games, by learning agent.",
		}, []string{"agent"}),
	}
	reg.MustRegister(m.games, m.decisions, m.batchRows, m.published, m.publishedBytes, m.publishedDecisions,
		m.publishErrors, m.givenUp, m.journalFailing, m.offered, m.matches, m.paused, m.backlog, m.version)
	for _, kind := range gameKinds {
		m.games.WithLabelValues(kind)
	}
	m.offered.WithLabelValues(kindTraining)
	m.offered.WithLabelValues(kindArena)
	for _, outcome := range matchOutcomes {
		m.matches.WithLabelValues(outcome)
	}
	return m
}
