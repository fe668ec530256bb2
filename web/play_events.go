package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"croupier/play"
)

// events streams what the key's eye sees: an event "show" at once and after every change, and a
// "ping" in silence. Several changes in quick succession may be one event; its list of steps says
// what happened. The stream ends with the table.
func (a *playAPI) events(w http.ResponseWriter, r *http.Request) {
	id, key := r.PathValue("id"), r.URL.Query().Get("key")
	select {
	case a.streams <- struct{}{}:
		defer func() { <-a.streams }()
	default:
		w.Header().Set("Retry-After", "5")
		refuse(w, http.StatusServiceUnavailable,
			fmt.Errorf("all %d connections to tables are in use: try again in a few minutes", cap(a.streams)))
		return
	}
	watch, err := a.hall.Watch(id, key)
	if err != nil {
		refuseTable(w, nil, err)
		return
	}
	defer watch.Close()
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	stream := eventStream{w: w, control: http.NewResponseController(w), timeout: a.pace.write}
	if stream.open() != nil || r.Method == http.MethodHead {
		return
	}
	a.follow(r, stream, watch, id, key)
}

// follow sends what there is to see until the client goes away, is too slow, or the table or the
// server is closed.
func (a *playAPI) follow(r *http.Request, stream eventStream, watch *play.Watch, id, key string) {
	known := -1
	for {
		text := "event: ping\ndata: {}\n\n"
		show, err := a.hall.Show(id, key, false)
		var refusal *play.Refusal
		if errors.As(err, &refusal) { // the seat was given up, or the table is closed
			return
		}
		if show.Table.Revision != known {
			known = show.Table.Revision
			data, err := json.Marshal(show)
			if err != nil {
				a.log.Error("Cannot encode an event", "error", err)
				return
			}
			text = fmt.Sprintf("event: show\ndata: %s\n\n", data)
		}
		if stream.send(text) != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-watch.Closed():
			return
		case <-watch.Changed():
		case <-time.After(a.pace.keepalive):
		}
	}
}
