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
// otherwise) and stops both by their contexts. docs/reference/page.md describes pages,
// docs/reference/api.md the API, docs/guide/operate/security.md who may do what.
package web

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"croupier/internal/descriptors"
	"croupier/internal/httpserve"
	"croupier/internal/login"
	"croupier/messages"
	"croupier/messages/conduct"
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
	// Door lets in those who log in; nil: everybody is in.
	Door *login.Door
	// Addresses has the page answer under all addresses of machines, for a listener beyond loopback.
	Addresses bool
	// Series are the learner's curves, in the order of their charts. Curves that are not
	// among them are shown without words.
	Series []messages.Series
	// Pages are those of the run that there are besides the usual ones, in the order of the navigation.
	// NewServer panics where two pages contradict each other, or one lacks a file.
	Pages []Page
	// Boards are the files of the boards of games, besides what boards share.
	Boards []fs.FS
	// Global pages work without a run, and follow those of the run in the navigation.
	Global []Page
	// Contributions, unless nil, says what actors have given to the run (/api/actors).
	Contributions func(ctx context.Context) (*conduct.Contributions, error)
	// Run, unless nil, describes the run for lists of runs.
	Run func() RunSummary
	// Label, unless nil, returns what people call the run.
	Label func() Label
	// Healthy, unless nil, says what keeps the roles of this process from their work (/healthz), or else a
	// warning, "" for none.
	Healthy func() (warning string, err error)
	// MaxStreams bounds the open event streams; 0 means 64, or half of the connections
	// that the page may have, if that is less.
	MaxStreams int
}

// healthy is Healthy, or says that nothing is wrong.
func (o Options) healthy() func() (warning string, err error) {
	if o.Healthy == nil {
		return func() (string, error) { return "", nil }
	}
	return o.Healthy
}

// hosts are the names under which the page may be asked for.
func (o Options) hosts() httpserve.Hosts {
	hosts := httpserve.NewHosts(o.AllowedHosts, "--allow-host")
	if o.Addresses {
		return hosts.WithAddresses()
	}
	return hosts
}

// shell is what all pages of a server share.
type shell struct {
	log     *slog.Logger
	metrics *metrics
	site    *site
	hosts   httpserve.Hosts
	door    *login.Door   // nil: everybody is in
	home    []Page        // of the directory of runs; none where the server is about one run
	global  []Page        // that work without a run
	streams chan struct{} // a slot for each event stream
	pace    pace
}

// newShell makes what is shared from the options and from all pages whose files are served.
func newShell(o Options, home, runs []Page) *shell {
	if o.MaxStreams == 0 {
		o.MaxStreams = min(64, (connections()+1)/2)
	}
	return &shell{
		log:     o.Log.With("role", messages.WebRole),
		metrics: newMetrics(o.Registerer),
		site:    newSite(slices.Concat(home, runs, o.Global, o.loginPages(), []Page{missingPage}), o.Boards),
		hosts:   o.hosts(),
		door:    o.Door,
		home:    home,
		global:  o.Global,
		streams: make(chan struct{}, o.MaxStreams),
		pace:    defaultPace,
	}
}

// guard has every request checked, counted and answered with strict headers.
func (s *shell) guard(mux http.Handler) http.Handler {
	if s.door != nil {
		mux = s.door.Guard(needsNoLogin, mux)
	}
	guarded := http.NewCrossOriginProtection().Handler(mux)
	return s.measure(s.hosts.Check(secureHeaders(guarded)))
}

// server answers about one run.
type server struct {
	*shell
	feed   *Feed
	series []messages.Series
	root   string // under which it is mounted: "", or "/runs/evening"
	name   string // of the run in addresses; "": as the feed calls it
	pages  []Page // of the run, in the order of the navigation

	contributions func(ctx context.Context) (*conduct.Contributions, error) // nil: not known
	label         func() Label                                              // nil: not known
	healthy       func() (warning string, err error)
}

// NewServer returns the handler of all pages and of the API of one run.
func NewServer(o Options) http.Handler {
	pages := slices.Concat(runPages, o.Pages)
	s := &server{shell: newShell(o, nil, pages), feed: o.Feed, series: slices.Clone(o.Series), pages: pages,
		contributions: o.Contributions, label: o.Label, healthy: o.healthy()}
	registerFeed(o.Registerer, o.Feed)
	mux := s.routes()
	s.addShared(mux, o.Gatherer, s.place)
	mux.HandleFunc("GET /healthz", s.health)
	if o.Run != nil {
		mux.HandleFunc("GET /api/runs", func(w http.ResponseWriter, _ *http.Request) {
			writeJSON(w, s.log, []RunSummary{o.Run()})
		})
	}
	return s.guard(mux)
}

// addShared routes the global pages, the files of all pages, and the metrics. placeOf finds what a
// request for a global page is about.
func (s *shell) addShared(mux *http.ServeMux, gatherer prometheus.Gatherer,
	placeOf func(*http.Request) (place, error)) {
	s.addPages(mux, s.global, placeOf)
	if s.door != nil {
		s.addLogin(mux)
	}
	mux.HandleFunc("GET /assets/{name}", s.asset)
	mux.Handle("GET /metrics", promhttp.HandlerFor(gatherer, promhttp.HandlerOpts{}))
}

// routes lists the addresses of the run, besides those of the pages. Another method than a pattern
// names is answered with 405 by the mux.
func (s *server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	s.addPages(mux, s.pages, s.place)
	mux.HandleFunc("GET /api/run", s.run)
	mux.HandleFunc("GET /api/series", s.declared)
	mux.HandleFunc("GET /api/curves", s.curves)
	mux.HandleFunc("GET /api/league", s.league)
	mux.HandleFunc("GET /api/ladder", s.ladder)
	mux.HandleFunc("GET /api/roles", s.roles)
	mux.HandleFunc("GET /api/actors", s.actors)
	mux.HandleFunc("GET /api/events", s.events)
	mux.HandleFunc("GET /", s.elsewhere(s.place))
	return mux
}

// place is where the run's pages are.
func (s *server) place(*http.Request) (place, error) {
	snapshot := s.feed.Snapshot()
	at := place{root: s.root, run: cmp.Or(s.name, snapshot.Run), game: snapshot.Title, pages: s.pages}
	if s.label != nil {
		at.label = s.label()
	}
	return at, nil
}

// Serve answers requests on the listener until ctx ends, then closes event streams,
// lets other requests finish and returns nil. It owns the listener. With secure, which may be
// nil, it speaks TLS only.
func Serve(
	ctx context.Context, listener net.Listener, secure *tls.Config, handler http.Handler, log *slog.Logger,
) error {
	log = log.With("role", messages.WebRole)
	if err := httpserve.Serve(ctx, listener, connections(), secure, handler, log); err != nil {
		return fmt.Errorf("the web page: %w", err)
	}
	return nil
}
