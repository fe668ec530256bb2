package cluster

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"

	"croupier/engine"
	"croupier/solver/banluck/report"
	"croupier/web"
)

// Host is what the global pages of a server are made of.
type Host struct {
	Runs       Runs
	Registerer prometheus.Registerer
	Log        *slog.Logger
	People     string // folder of what people have played; "": it is not kept
}

// globalPages lists what makes the pages that stand beside those of runs, in the order of the
// navigation: on a server of one run and on one of a whole directory alike. Their paths and API do
// not contain the run, because they work without one; where one matters, the query has its ID
// (?run=evening), which Host.Runs finds. ctx ends with the server.
var globalPages = []func(ctx context.Context, h *Host) web.Page{
	playPage, gamesPage, advicePage, drillPage, companionPage, replayPage, rulesPage,
}

// pages makes the global pages.
func (h *Host) pages(ctx context.Context) (pages []web.Page) {
	for _, make := range globalPages {
		pages = append(pages, make(ctx, h))
	}
	return pages
}

// gamePage is a page that exists only in runs of its game.
type gamePage struct {
	page web.Page
	// api returns the page's API, or nil for a game or rules that the page does not cover.
	api func(engine.Game, *slog.Logger) map[string]http.Handler
}

// gamePages lists every game page.
var gamePages = []gamePage{
	{
		page: web.Page{
			Name: "banluck", Path: "/banluck", Title: "Banluck", Template: report.Template, Assets: report.Assets,
		},
		api: report.NewAPI,
	},
}

// pagesOf returns the pages that runs of a game have besides those of every run.
func pagesOf(g engine.Game, log *slog.Logger) (pages []web.Page) {
	for _, p := range gamePages {
		if api := p.api(g, log); api != nil {
			p.page.API = api
			pages = append(pages, p.page)
		}
	}
	return pages
}

// rulesPage makes the page on which rules are put together.
func rulesPage(_ context.Context, h *Host) web.Page { return web.RulesPage(h.Log) }
