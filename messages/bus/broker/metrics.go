package broker

import (
	"github.com/nats-io/nats-server/v2/server"
	"github.com/prometheus/client_golang/prometheus"

	"croupier/messages"
)

// status is what one scrape reads of the server.
type status struct {
	traffic *server.Varz
	storage *server.JSInfo
	healthy bool
}

// metric is one exported number and where it is found.
type metric struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(*status) float64
}

// collector reads the server's own counters at each scrape.
type collector struct {
	prometheus.Collector // of its disk
	broker               *Broker
	metrics              []metric
	refused              *prometheus.Desc
}

// NewCollector exports the broker's state as croupier_broker_*.
func NewCollector(b *Broker) prometheus.Collector {
	c := &collector{broker: b}
	if b.space != nil {
		c.Collector = b.space.Collector(messages.BrokerRole)
	}
	c.refused = prometheus.NewDesc("croupier_broker_refused_total",
		"What clients tried that their keys do not allow, by the name of the key (none: no key that is known); "+
			"operation tls: secure connections that failed, limit: more than a key may take (a line of the server's log each).",
		[]string{"key", "operation"}, nil)
	gauge := func(name, help string, value func(*status) float64) { c.add(prometheus.GaugeValue, name, help, value) }
	counter := func(name, help string, value func(*status) float64) {
		c.add(prometheus.CounterValue, name, help, value)
	}

	gauge("healthy", "Whether all streams can be written and read.", func(s *status) float64 {
		if s.healthy {
			return 1
		}
		return 0
	})
	gauge("connections", "Clients connected now.", func(s *status) float64 { return float64(s.traffic.Connections) })
	gauge("routes", "Connections to other brokers of the cluster.",
		func(s *status) float64 { return float64(s.traffic.Routes) })
	gauge("leaves", "Links to leaf brokers; of a leaf, to its hub.",
		func(s *status) float64 { return float64(s.traffic.Leafs) })
	counter("cache_hits_total", "Pieces of weights that a leaf had.",
		func(*status) float64 { return float64(b.cache.hits.Load()) })
	counter("cache_misses_total", "Pieces of weights for which a leaf asked its hub.",
		func(*status) float64 { return float64(b.cache.misses.Load()) })
	gauge("cache_bytes", "Bytes of weights that a leaf keeps in memory.",
		func(*status) float64 { return float64(b.cache.size()) })
	counter("connections_total", "Clients that ever connected.",
		func(s *status) float64 { return float64(s.traffic.TotalConnections) })
	counter("received_messages_total", "Messages received from clients.",
		func(s *status) float64 { return float64(s.traffic.InMsgs) })
	counter("received_bytes_total", "Bytes received from clients.",
		func(s *status) float64 { return float64(s.traffic.InBytes) })
	counter("sent_messages_total", "Messages sent to clients.", func(s *status) float64 {
		return float64(s.traffic.OutMsgs)
	})
	counter("sent_bytes_total", "Bytes sent to clients.", func(s *status) float64 { return float64(s.traffic.OutBytes) })
	counter("slow_consumers_total", "Clients cut off because they did not read what they asked for.",
		func(s *status) float64 { return float64(s.traffic.SlowConsumers) })
	gauge("jetstream_streams", "Streams, buckets included.", func(s *status) float64 { return float64(s.storage.Streams) })
	gauge("jetstream_consumers", "Consumers of all streams.", func(s *status) float64 {
		return float64(s.storage.Consumers)
	})
	gauge("jetstream_messages", "Messages kept in all streams.",
		func(s *status) float64 { return float64(s.storage.Messages) })
	gauge("jetstream_memory_bytes", "Bytes kept in memory.", func(s *status) float64 { return float64(s.storage.Memory) })
	gauge("jetstream_memory_limit_bytes", "Most bytes kept in memory.",
		func(s *status) float64 { return float64(s.storage.Config.MaxMemory) })
	gauge("jetstream_store_bytes", "Bytes kept on disk.", func(s *status) float64 { return float64(s.storage.Store) })
	gauge("jetstream_store_limit_bytes", "Most bytes kept on disk.",
		func(s *status) float64 { return float64(s.storage.Config.MaxStore) })
	counter("jetstream_requests_total", "Requests to JetStream's API.",
		func(s *status) float64 { return float64(s.storage.API.Total) })
	counter("jetstream_request_errors_total", "Requests to JetStream's API that failed.",
		func(s *status) float64 { return float64(s.storage.API.Errors) })
	return c
}

func (c *collector) add(kind prometheus.ValueType, name, help string, value func(*status) float64) {
	desc := prometheus.NewDesc(prometheus.BuildFQName("croupier", "broker", name), help, nil, nil)
	c.metrics = append(c.metrics, metric{desc, kind, value})
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(out chan<- *prometheus.Desc) {
	if c.Collector != nil {
		c.Collector.Describe(out)
	}
	for _, m := range c.metrics {
		out <- m.desc
	}
	out <- c.refused
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(out chan<- prometheus.Metric) {
	if c.Collector != nil {
		c.Collector.Collect(out)
	}
	c.broker.refusals.each(func(of refusal, count uint64) {
		out <- prometheus.MustNewConstMetric(c.refused, prometheus.CounterValue, float64(count), orElse(of.key, "none"),
			of.kind)
	})
	s := status{healthy: c.broker.Healthy() == nil}
	var err error
	if s.traffic, err = c.broker.server.Varz(nil); err == nil {
		s.storage, err = c.broker.server.Jsz(nil)
	}
	for _, m := range c.metrics {
		if err != nil {
			out <- prometheus.NewInvalidMetric(m.desc, err)
			continue
		}
		out <- prometheus.MustNewConstMetric(m.desc, m.kind, m.value(&s))
	}
}
