package cluster

import (
	"log/slog"
	"net/http"

	"croupier/engine"
	"croupier/solver/banluck/report"
	"croupier/web"
)

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

// pagesOf returns the pages for a game.
func pagesOf(g engine.Game, log *slog.Logger) (pages []web.Page) {
	for _, p := range gamePages {
		if api := p.api(g, log); api != nil {
			p.page.API = api
			pages = append(pages, p.page)
		}
	}
	return pages
}
