package cluster

import (
	"log/slog"
	"net/http"

	"croupier/engine"
	"croupier/solver/banluck/report"
	"croupier/web"
)

// gamePage is a page that only runs of its game have.
type gamePage struct {
	page web.Page
	// api returns the page's API, or nil for a game, or rules of it, that the page is not about.
	api func(engine.Game, *slog.Logger) map[string]http.Handler
}

// gamePages lists all of them.
var gamePages = []gamePage{
	{
		page: web.Page{
			Name: "banluck", Path: "/banluck", Title: "Banluck", Template: report.Template, Assets: report.Assets,
		},
		api: report.NewAPI,
	},
}

// pagesOf returns those for a game.
func pagesOf(g engine.Game, log *slog.Logger) (pages []web.Page) {
	for _, p := range gamePages {
		if api := p.api(g, log); api != nil {
			p.page.API = api
			pages = append(pages, p.page)
		}
	}
	return pages
}
