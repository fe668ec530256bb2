package web

import (
	"net/http"
	"strconv"
	"strings"

	"croupier/internal/meter"
	"github.com/prometheus/client_golang/prometheus"
)

type metrics struct {
	clients  prometheus.Gauge
	requests *prometheus.CounterVec
}

func newMetrics(r prometheus.Registerer) *metrics {
	f := meter.Meter{Registerer: r}
	m := &metrics{
		clients: f.Gauge("croupier_web_clients", "Open streams of server-sent events."),
		requests: f.Counters("croupier_web_requests_total",
			"Answered requests by route and HTTP status code.", "route", "code"),
	}
	return m
}

// registerFeed exports how well the one feed of a server follows its run.
func registerFeed(r prometheus.Registerer, feed *Feed) {
	f := meter.Meter{Registerer: r}
	f.Follow("croupier_web_feed_lag_messages", "Messages of learning curves that are published and not yet read.",
		func() float64 { return float64(feed.Lag()) })
	f.Follow("croupier_web_feed_connected", "1 while the broker can be reached, else 0.",
		func() float64 { return gauge(feed.Snapshot().Connected) })
	r.MustRegister(newRefused(feed))
}

func gauge(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// refused exports the feed's own count of what it could not take in.
type refused struct {
	feed *Feed
	desc *prometheus.Desc
}

func newRefused(feed *Feed) *refused {
	return &refused{feed, prometheus.NewDesc("croupier_web_feed_refused_total",
		"Points, documents and heartbeats that cannot be shown, by reason.", []string{"reason"}, nil)}
}

func (c *refused) Describe(out chan<- *prometheus.Desc) { out <- c.desc }

func (c *refused) Collect(out chan<- prometheus.Metric) {
	for reason, count := range c.feed.Refused() {
		out <- prometheus.MustNewConstMetric(c.desc, prometheus.CounterValue, float64(count), reason)
	}
}

// measure counts requests. Routes are the patterns of the mux, so labels are bounded.
func (s *shell) measure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recorder := &statusRecorder{ResponseWriter: w, code: http.StatusOK}
		next.ServeHTTP(recorder, r)
		s.metrics.requests.WithLabelValues(route(r), strconv.Itoa(recorder.code)).Inc()
	})
}

// route is the path of the pattern that matched, "none" where none did but the one of all that is not there.
func route(r *http.Request) string {
	_, path, found := strings.Cut(r.Pattern, " ")
	if !found || path == "/" {
		return "none"
	}
	return strings.TrimSuffix(path, "{$}")
}

// statusRecorder remembers the status code of an answer.
type statusRecorder struct {
	http.ResponseWriter
	code int
}

func (w *statusRecorder) WriteHeader(code int) {
	w.code = code
	w.ResponseWriter.WriteHeader(code)
}

// Unwrap lets http.ResponseController set deadlines and flush.
func (w *statusRecorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
