package bus

import (
	"github.com/prometheus/client_golang/prometheus"

	"croupier/internal/meter"
)

// metrics count what one connection does.
type metrics struct {
	published      *prometheus.CounterVec
	publishedBytes *prometheus.CounterVec
	unacknowledged prometheus.Counter
	reconnects     prometheus.Counter
	refused        prometheus.Counter
}

// newMetrics registers the metrics, unless there is nowhere to register them.
func newMetrics(r prometheus.Registerer) *metrics {
	f := meter.Meter{Registerer: r}
	m := &metrics{
		published:      f.Counters("croupier_bus_published_messages_total", "Messages sent to the broker.", "stream"),
		publishedBytes: f.Counters("croupier_bus_published_bytes_total", "Bytes of messages sent to the broker.", "stream"),
		unacknowledged: f.Counter("croupier_bus_unacknowledged_messages_total",
			"Messages of experience that the broker did not acknowledge."),
		reconnects: f.Counter("croupier_bus_reconnects_total",
			"Times the connection to the broker was lost and found again."),
		refused: f.Counter("croupier_bus_refused_total",
			"Requests that the broker refused because the key does not allow them."),
	}
	for _, s := range Streams {
		m.published.WithLabelValues(s.String())
		m.publishedBytes.WithLabelValues(s.String())
	}
	return m
}
