package cluster

import (
	"context"

	"croupier/web"
)

// replayPage is the page on which recorded games are looked at again.
func replayPage(_ context.Context, h *Globals) web.Page {
	source := &playSource{runs: h.Runs, agents: resolvers{games: h.Catalog}}
	return web.ReplayPage(h.Catalog.New, source.assess, h.Log)
}
