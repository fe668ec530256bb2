package bus

import "github.com/prometheus/client_golang/prometheus"

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
	m := &metrics{
		published: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "croupier_bus_published_messages_total", Help: "Messages sent to the broker.",
		}, []string{"stream"}),
		publishedBytes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "croupier_bus_published_bytes_total", Help: "Bytes of messages sent to the broker.",
		}, []string{"stream"}),
		unacknowledged: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "croupier_bus_unacknowledged_messages_total",
			Help: "Messages of experience that the broker did not acknowledge.",
		}),
		reconnects: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "croupier_bus_reconnects_total", Help: "Times the connection to the broker was lost and found again.",
		}),
		refused: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "croupier_bus_refused_total", Help: "Requests that the broker refused because the key does not allow them.",
		}),
	}
	for _, s := range Streams {
		m.published.WithLabelValues(s.String())
		m.publishedBytes.WithLabelValues(s.String())
	}
	if r != nil {
		r.MustRegister(m.published, m.publishedBytes, m.unacknowledged, m.reconnects, m.refused)
	}
	return m
}
