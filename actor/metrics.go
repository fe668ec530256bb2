package actor

import (
	"github.com/prometheus/client_golang/prometheus"

	"croupier/internal/meter"
)

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
	f := meter.Meter{Registerer: reg}
	m := &metrics{
		games: f.Counters("croupier_actor_games_total",
			"Finished games by kind: training, arena, or cut at the longest history.", "kind"),
		decisions: f.Counter("croupier_actor_decisions_total", "Decisions of all seats in all games."),
		batchRows: f.Histogram("croupier_actor_step_decisions",
			"Decisions made in one step of a worker over all its tables.", prometheus.ExponentialBuckets(1, 2, 11)),
		published:      f.Counter("croupier_actor_published_episodes_total", "Training games handed to the broker."),
		publishedBytes: f.Counter("croupier_actor_published_bytes_total", "Bytes of experience handed to the broker."),
		publishedDecisions: f.Counter("croupier_actor_published_decisions_total",
			"Decisions of all seats in the training games handed to the broker."),
		publishErrors: f.Counter("croupier_actor_publish_errors_total",
			"Batches of experience that the broker did not take."),
		givenUp: f.Counter("croupier_actor_given_up_episodes_total",
			"Training games in batches that could not be encoded, entered in the journal or sent: the learner counts them as lost."),
		journalFailing: f.Gauge("croupier_actor_journal_failing_workers",
			"Workers that begin no training games because their journal in the run directory cannot be written."),
		offered: f.Counters("croupier_actor_offered_games_total",
			"Games sent for the archive by kind: training or arena.", "kind"),
		matches: f.Counters("croupier_actor_matches_total",
			"Arena matches by outcome: played, duplicate, refused, failed or returned.", "outcome"),
		paused: f.Gauges("croupier_actor_paused",
			"1 while no training games are started because the learner is behind, by learning agent.", "agent"),
		backlog: f.Gauges("croupier_actor_backlog_messages",
			"Batches of experience, of all actors, that the learner has not taken yet, by learning agent.", "agent"),
		version: f.Gauges("croupier_actor_weights_version",
			"Version of the weights in new games, by learning agent.", "agent"),
	}
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
