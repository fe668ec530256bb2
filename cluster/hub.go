package cluster

import (
	"context"
	"log/slog"
	"net"
	"net/http"

	"golang.org/x/sync/errgroup"

	"croupier/learner"
	"croupier/web"
)

// Hub is a page of all runs below a directory, without a broker: those that are running are followed,
// the others shown from their directories.
type Hub struct {
	Dir  string // of runs; need not be there
	Page Page
	Log  *slog.Logger
}

// Serve serves the page until ctx ends.
func (h Hub) Serve(ctx context.Context) error {
	runs := newDirectory(h.Dir, h.Page.alone(), h.Log)
	handler := h.handler(ctx, runs)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { runs.watch(ctx); return nil })
	group.Go(func() error { return web.Serve(ctx, h.Page.Listener, handler, h.Log) })
	return group.Wait()
}

// handler makes the page; what it does besides answering ends with ctx.
func (h Hub) handler(ctx context.Context, runs *directory) http.Handler {
	registry := newRegistry()
	host := &Host{Runs: runs, Registerer: registry, Log: h.Log, People: h.Page.People}
	var extra []web.Page
	for _, p := range gamePages {
		extra = append(extra, p.page)
	}
	return web.NewHub(web.Options{
		Series: learner.Series(), Log: h.Log, Registerer: registry, Gatherer: registry,
		AllowedHosts: h.Page.AllowedHosts, Global: host.pages(ctx),
	}, runs, []web.Page{web.RunsPage(runs, h.Log), web.ComparePage(comparer{runs}, h.Log)}, extra)
}

// alone reports whether only this machine can open the page.
func (p Page) alone() bool {
	if len(p.AllowedHosts) > 0 || p.Listener == nil {
		return false
	}
	address, ok := p.Listener.Addr().(*net.TCPAddr)
	return ok && address.IP.IsLoopback()
}
