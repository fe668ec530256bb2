package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"croupier/catalog"
	"croupier/internal/certificate"
	"croupier/internal/login"
	"croupier/learner"
	"croupier/messages"
	"croupier/settings"
	"croupier/web"
)

// Page is the web page of a process.
type Page struct {
	Listener     net.Listener // nil: no page; closed once the page is no longer served
	AllowedHosts []string     // further host names under which the page may be opened
	// Certificate is for TLS; nil: none.
	Certificate *certificate.Certificate
	Door        *login.Door // lets in those who log in; nil: everybody is in
	People      string      // folder of what people have played on it; "": it is not kept
	Tables      string      // folder below which its tables are kept; "": they end with it
}

// TLS is nil where the page has no certificate.
func (p Page) TLS() *tls.Config {
	if p.Certificate == nil {
		return nil
	}
	return p.Certificate.TLS()
}

// Unread reports which files of the page cannot be read again, so that what was in them before counts.
func (p Page) Unread() (err error) {
	if p.Certificate != nil {
		err = p.Certificate.Unread()
	}
	return errors.Join(err, p.Door.Unread())
}

// URL is where the page can be opened.
func (p Page) URL() string {
	if p.Certificate != nil {
		return "https://" + p.address()
	}
	return "http://" + p.address()
}

// beyond reports whether other machines reach the page.
func (p Page) beyond() bool {
	if p.Listener == nil {
		return false
	}
	address, ok := p.Listener.Addr().(*net.TCPAddr)
	return !ok || !address.IP.IsLoopback()
}

// options are those that every server of the page has.
func (p Page) options(games *catalog.Catalog, registry *prometheus.Registry, log *slog.Logger) web.Options {
	return web.Options{
		Series: learner.Series(settings.Algorithms(games)...), Boards: games.Boards(), Log: log, Registerer: registry,
		Gatherer:     registry,
		AllowedHosts: p.AllowedHosts, Addresses: p.beyond(), Door: p.Door,
	}
}

// address is where the page also serves /metrics; "" means nowhere.
func (p Page) address() string {
	if p.Listener == nil {
		return ""
	}
	return p.Listener.Addr().String()
}

// tables is the folder in which the tables of the page are kept, "" for none. Each port has one of its own, because
// links of tables lead to it again when the page is served again.
func (p Page) tables() string {
	if p.Tables == "" || p.Listener == nil {
		return ""
	}
	address, ok := p.Listener.Addr().(*net.TCPAddr)
	if !ok {
		return ""
	}
	return filepath.Join(p.Tables, strconv.Itoa(address.Port))
}

// newWeb returns the feed that follows the run and the page that shows it. What the page does besides
// answering ends with ctx.
func (s *node) newWeb(ctx context.Context, page Page, j *judging) (*web.Feed, http.Handler) {
	feed := web.NewFeed(s.bus, s.config.Run, s.game.Spec(), s.log)
	globals := &Globals{Catalog: s.config.Catalog(), Runs: oneRun{s.view()}, Registerer: s.registry, Log: s.log,
		People: page.People, Tables: page.tables(), judging: j}
	s.unread = append(s.unread, page.Unread)
	o := page.options(s.config.Catalog(), s.registry, s.log)
	o.Feed, o.Healthy, o.Run, o.Contributions = feed, s.alive, s.summary, contributionsOf(s.bus)
	if dir := s.view().Dir; dir != "" {
		o.Label = labelOf(dir)
	}
	o.Pages, o.Global = pagesOf(s.config.Catalog(), s.game, s.log), globals.pages(ctx)
	return feed, web.NewServer(o)
}

// ServeWeb shows a run on the page until ctx ends.
func (p Process) ServeWeb(ctx context.Context, page Page) error {
	return p.serve(ctx, messages.WebRole, func(ctx context.Context, s *node) error {
		s.log.Info("web page", "url", page.URL())
		feed, handler := s.newWeb(ctx, page, nil)
		return s.work(ctx, role{run: feed.Run},
			role{run: func(ctx context.Context) error { return web.Serve(ctx, page.Listener, page.TLS(), handler, s.log) }},
			role{run: func(ctx context.Context) error { return s.beat(ctx, messages.WebRole, webValues(feed)) }})
	})
}
