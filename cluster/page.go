package cluster

import (
	"crypto/tls"
	"log/slog"
	"net"

	"github.com/prometheus/client_golang/prometheus"

	"croupier/catalog"
	"croupier/internal/login"
	"croupier/learner"
	"croupier/web"
)

// Page is the web page of a process.
type Page struct {
	Listener     net.Listener // nil: no page; closed once the page is no longer served
	AllowedHosts []string     // further host names under which the page may be opened
	TLS          *tls.Config  // nil: none
	Door         *login.Door  // lets in those who log in; nil: everybody is in
	People       string       // folder of what people have played on it; "": it is not kept
}

// URL is where the page can be opened.
func (p Page) URL() string {
	if p.TLS != nil {
		return "https://" + p.address()
	}
	return "http://" + p.address()
}

// beyond says whether other machines reach the page.
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
		Series: learner.Series(), Boards: games.Boards(), Log: log, Registerer: registry, Gatherer: registry,
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
