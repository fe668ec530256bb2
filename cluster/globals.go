package cluster

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"croupier/catalog"
	"croupier/engine"
	"croupier/web"
)

// Globals is what the global pages of a server are made of.
type Globals struct {
	Catalog    *catalog.Catalog
	Runs       Runs
	Registerer prometheus.Registerer
	Log        *slog.Logger
	People     string // folder of what people have played; "": it is not kept
	Tables     string // folder that keeps the tables at which people play; "": they end with the server
	judging    *judging
}

// globalPages lists what makes the pages that are next to those of runs, in the order of the
// navigation: on a server of one run and on one of a whole directory alike. Their paths and API do
// not contain the run, because they work without one; where one matters, the query has its ID
// (?run=evening), which Globals.Runs finds. ctx ends with the server.
var globalPages = []func(ctx context.Context, h *Globals) web.Page{
	homePage, playPage, drillPage, companionPage, gamesPage, replayPage, advicePage, rulesPage, helpPage,
}

// pages makes the global pages.
func (h *Globals) pages(ctx context.Context) (pages []web.Page) {
	for _, make := range globalPages {
		pages = append(pages, make(ctx, h))
	}
	return pages
}

// pagesOf returns the pages that runs of a game have besides those of every run, and that cover its rules.
func pagesOf(games *catalog.Catalog, g engine.Game, log *slog.Logger) (pages []web.Page) {
	for _, p := range games.Of(g).Pages {
		if api := p.API(g, log); api != nil {
			page := gamePage(p)
			page.API = api
			pages = append(pages, page)
		}
	}
	return pages
}

// gamePage returns a game's page without what answers its requests.
func gamePage(p catalog.Page) web.Page {
	return web.Page{Name: p.Name, Path: p.Path, Title: p.Title, Topic: p.Topic, Template: p.Template,
		Assets: p.Assets}
}

// rulesPage makes the page on which rules are put together.
func rulesPage(_ context.Context, h *Globals) web.Page { return web.RulesPage(h.Catalog, h.Log) }

// helpPage makes the page of documents.
func helpPage(_ context.Context, h *Globals) web.Page { return web.HelpPage(h.Catalog) }

// homePage makes the homes of the games.
func homePage(_ context.Context, h *Globals) web.Page { return web.HomePage(h.Catalog, h.champion) }

// champion implements web.Champions.
func (h *Globals) champion(ctx context.Context, game engine.Game, run string) (*web.BestOfRun, error) {
	view, err := h.Runs.Find(ctx, run)
	if err == nil && view == nil {
		view, err = h.Runs.Newest(ctx, game)
	}
	if err != nil || view == nil || view.Game.Spec().Name != game.Spec().Name {
		return nil, err
	}
	ladder, err := view.Ladder(ctx)
	if err != nil || ladder == nil {
		return nil, err
	}
	ladder = ladder.InCoin(view.Game.Spec())
	best, found := ladder.Best()
	if !found {
		return nil, nil
	}
	scale := ladder.Scale
	rating := fmt.Sprintf("%s (%s .. %s) %s",
		scale.Write(best.Rating), scale.Write(best.Low), scale.Write(best.High), scale.Unit)
	root := web.RootOf(view.ID) + "/"
	if _, alone := h.Runs.(oneRun); alone {
		root = "/"
	}
	return &web.BestOfRun{
		Run: view.ID, Name: labelOf(view.Dir)().Name, Root: root,
		Agent: best.Name, Rating: rating, Zero: scale.Zero, Games: best.Games,
	}, nil
}
