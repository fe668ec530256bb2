package cluster

import (
	"context"
	"log/slog"
	"net/http"
	"os/exec"

	"golang.org/x/sync/errgroup"

	"croupier/catalog"
	"croupier/web"
)

// RunsServer is a page of all runs below a directory, without a broker: those that are running are followed,
// the others shown from their directories.
type RunsServer struct {
	Catalog *catalog.Catalog
	Dir     string // of runs; need not be there
	Page    Page
	Home    []web.Page // besides the list of the runs and their comparison
	Log     *slog.Logger
	// Train, unless nil, makes the command that calls this program with arguments: people can then begin, stop and
	// resume trainings on the page, one at a time. Each is a process of its own, and ends in order with Serve.
	Train func(args ...string) *exec.Cmd
	// Judge, unless nil, makes such commands as well: games that the best versions of runs have lost, at which people
	// look, are then judged while cores are idle, each time in a process of its own.
	Judge func(args ...string) *exec.Cmd
}

// Serve serves the page until ctx ends.
func (h RunsServer) Serve(ctx context.Context) error {
	runs := newRunList(h.Catalog, h.Dir, h.Page.alone(), h.Log)
	if h.Train != nil {
		runs.trainings = newTrainings(runs, h.Train)
		defer runs.trainings.end()
	}
	judging := newJudging(h.Catalog, h.Judge, runs.lookedAt, h.Log)
	handler := h.handler(ctx, runs, judging)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { runs.watch(ctx); return nil })
	group.Go(func() error { return judging.run(ctx) })
	group.Go(func() error { return web.Serve(ctx, h.Page.Listener, h.Page.TLS(), handler, h.Log) })
	return group.Wait()
}

// handler makes the page; what it does besides answering ends with ctx.
func (h RunsServer) handler(ctx context.Context, runs *runList, judging *judging) http.Handler {
	registry := newRegistry()
	globals := &Globals{Catalog: h.Catalog, Runs: runs, Registerer: registry, Log: h.Log, People: h.Page.People,
		Tables: h.Page.tables(), judging: judging}
	var extra []web.Page
	for _, g := range h.Catalog.Games() {
		for _, p := range g.Pages {
			extra = append(extra, gamePage(p))
		}
	}
	o := h.Page.options(h.Catalog, registry, h.Log)
	o.Global = globals.pages(ctx)
	o.Healthy = func() (string, error) { return warningsOf(h.Page.Unread), nil }
	var trainer web.Trainer
	if runs.trainings != nil {
		trainer = runs.trainings
	}
	list := web.RunsPage(runs, h.Catalog, trainer, h.Log)
	home := append([]web.Page{list, web.ComparePage(comparer{runs}, h.Log)}, h.Home...)
	return web.NewRunsServer(o, runs, home, extra)
}

// alone reports whether only this machine can open the page.
func (p Page) alone() bool {
	return p.Listener != nil && len(p.AllowedHosts) == 0 && !p.beyond()
}
