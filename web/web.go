// Package web shows a run in the browser. It reads everything from the run's bus and
// writes nothing to it, so a web process can come and go without the run noticing.
//
//   - A Feed follows the run: learning curves (thinned to bounded memory), the ladder,
//     the population, matchmaking and the heartbeats of all roles. It gives immutable
//     Snapshots and tells subscribers when there is a newer one. The terminal status
//     reads the same Feed.
//   - NewServer makes the pages, the JSON API, one stream of server-sent events and
//     /metrics out of a Feed. Serve runs such a handler on a listener.
//   - A Page is a value: the pages of the run are there always, further ones (AdvicePage, pages
//     of single games) are what the caller puts into Options.
//
// The caller starts Feed.Run, chooses the listener (loopback, unless the user asks
// otherwise) and stops both by their contexts. docs/web.md describes pages, API and
// security.
package web

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"croupier/internal/descriptors"
	"croupier/internal/httpserve"
	"croupier/messages"
)

// connections is how many the page may have open: what browsers keep open and event
// streams, of some dozens of people.
func connections() int { return descriptors.Share(8, 1024) }

// Options are what a server is made of.
type Options struct {
	Feed *Feed // followed by the caller
	Log  *slog.Logger
	// Registerer gets the croupier_web_* metrics; Gatherer is what /metrics shows.
	Registerer prometheus.Registerer
	Gatherer   prometheus.Gatherer
	// AllowedHosts are names or addresses, without port, under which the page may be
	// asked for besides localhost and loopback addresses.
	AllowedHosts []string
	// Series are the learner's curves, in the order of their charts. Curves that are not
	// among them are shown without words.
	Series []messages.Series
	// Pages are those that there are besides the pages of the run, in the order of the navigation.
	// NewServer panics where two pages contradict each other, or one lacks a file.
	Pages []Page
	// MaxStreams bounds the open event streams; 0 means 64, or half of the connections
	// that the page may have, if that is less.
	MaxStreams int
}

type server struct {
	feed    *Feed
	log     *slog.Logger
	metrics *metrics
	series  []messages.Series
	pages   []Page // in the order of the navigation
	site    *site
	hosts   map[string]bool
	streams chan struct{} // a slot for each event stream
	pace    pace
}

// NewServer returns the handler of all pages and of the API.
func NewServer(o Options) http.Handler {
	if o.MaxStreams == 0 {
		o.MaxStreams = min(64, (connections()+1)/2)
	}
	pages := slices.Concat(runPages, o.Pages)
	s := &server{
		feed:    o.Feed,
		log:     o.Log.With("role", messages.WebRole),
		metrics: newMetrics(o.Registerer, o.Feed),
		series:  slices.Clone(o.Series),
		pages:   pages,
		site:    newSite(pages),
		hosts:   allowedHosts(o.AllowedHosts),
		streams: make(chan struct{}, o.MaxStreams),
		pace:    defaultPace,
	}
	return s.routes(o.Gatherer)
}

// routes lists the addresses of the run, beside those of the pages. Another method than a pattern
// names is answered with 405 by the mux.
func (s *server) routes(gatherer prometheus.Gatherer) http.Handler {
	mux := http.NewServeMux()
	s.addPages(mux)
	mux.HandleFunc("GET /api/run", s.run)
	mux.HandleFunc("GET /api/series", s.declared)
	mux.HandleFunc("GET /api/curves", s.curves)
	mux.HandleFunc("GET /api/league", s.league)
	mux.HandleFunc("GET /api/ladder", s.ladder)
	mux.HandleFunc("GET /api/roles", s.roles)
	mux.HandleFunc("GET /api/events", s.events)
	mux.HandleFunc("GET /healthz", s.health)
	mux.Handle("GET /metrics", promhttp.HandlerFor(gatherer, promhttp.HandlerOpts{}))
	guarded := http.NewCrossOriginProtection().Handler(mux)
	return s.measure(s.checkHost(secureHeaders(guarded)))
}

// Serve answers requests on the listener until ctx ends, then closes event streams,
// lets other requests finish and returns nil. It owns the listener.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler, log *slog.Logger) error {
	if err := httpserve.Serve(ctx, listener, connections(), handler, log.With("role", messages.WebRole)); err != nil {
		return fmt.Errorf("the web page: %w", err)
	}
	return nil
}
