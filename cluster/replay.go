package cluster

import (
	"context"

	"croupier/web"
)

// replayPage is the page on which recorded games are looked at again.
func replayPage(_ context.Context, h *Globals) web.Page { return web.ReplayPage(h.Catalog.New, h.Log) }
