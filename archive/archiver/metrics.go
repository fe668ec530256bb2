package archiver

import (
	"github.com/prometheus/client_golang/prometheus"

	"croupier/archive"
	"croupier/internal/meter"
	"croupier/messages"
)

type metrics struct {
	kept    *prometheus.CounterVec
	refused *prometheus.CounterVec
	lost    prometheus.Counter
	removed *prometheus.CounterVec
	bytes   prometheus.Gauge
	failing prometheus.Gauge

	counted map[archive.Class]int64 // bytes in removed
}

func newMetrics(reg prometheus.Registerer, c archive.Config) *metrics {
	f := meter.Meter{Registerer: reg}
	m := &metrics{
		kept: f.Counters("croupier_archive_games_total",
			"Games taken into the archive by kind: training, arena, or best for games of the arena with the agent that was best.", "kind"),
		refused: f.Counters("croupier_archive_refused_games_total",
			"Games offered to the archive that are not what they say, by reason. Under aside, batches, which are not read.", "reason"),
		lost: f.Counter("croupier_archive_lost_games_total", "Games of the archive that could not be written."),
		removed: f.Counters("croupier_archive_removed_bytes_total",
			"Bytes of the archive thrown away because it was full, by kind of games.", "kind"),
		bytes:   f.Gauge("croupier_archive_bytes", "Bytes of the archive on disk."),
		failing: f.Gauge("croupier_archive_failing", "1 while the archive cannot be written, else 0."),
		counted: map[archive.Class]int64{},
	}
	f.Gauge("croupier_archive_limit_bytes", "Most bytes of the archive on disk, 0 where no games are kept.").
		Set(float64(c.MaxBytes))
	for _, class := range []archive.Class{archive.Training, archive.Arena, archive.Best} {
		m.kept.WithLabelValues(class.String())
		m.removed.WithLabelValues(class.String())
	}
	for _, reason := range messages.Reasons {
		m.refused.WithLabelValues(string(reason))
	}
	return m
}

// countRemoved counts what the writer has thrown away since the last call.
func (m *metrics) countRemoved(w *archive.Writer) {
	for _, class := range []archive.Class{archive.Training, archive.Arena, archive.Best} {
		m.removed.WithLabelValues(class.String()).Add(float64(w.Removed(class) - m.counted[class]))
		m.counted[class] = w.Removed(class)
	}
}
