package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// pace is the timing of event streams.
type pace struct {
	gap       time.Duration // least time between two events: changes in between are one
	keepalive time.Duration // longest silence; clients take more for a lost connection
	write     time.Duration // time for a client to take an event
}

var defaultPace = pace{gap: 500 * time.Millisecond, keepalive: 10 * time.Second, write: 10 * time.Second}

// events streams updates. The first is everything, or what the client missed since
// the id it names in Last-Event-ID (browsers do so when they reconnect) or ?since=.
func (s *server) events(w http.ResponseWriter, r *http.Request) {
	select {
	case s.streams <- struct{}{}:
		defer func() { <-s.streams }()
	default:
		w.Header().Set("Retry-After", "5")
		http.Error(w, fmt.Sprintf("All %d event streams are in use. Close another page of this run, "+
			"or poll /api/curves?since= instead.", cap(s.streams)), http.StatusServiceUnavailable)
		return
	}
	s.metrics.clients.Inc()
	defer s.metrics.clients.Dec()
	changed, cancel := s.feed.Subscribe()
	defer cancel()
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	stream := eventStream{w: w, control: http.NewResponseController(w), timeout: s.pace.write}
	if stream.open() != nil || r.Method == http.MethodHead {
		return
	}
	s.follow(r, stream, changed)
}

// follow sends events until the client goes away, is too slow, or the server stops.
func (s *server) follow(r *http.Request, stream eventStream, changed <-chan struct{}) {
	known := clientPosition(r)
	for {
		snapshot := s.feed.Snapshot()
		text := "event: ping\ndata: {}\n\n"
		if u, any := snapshot.since(known, time.Now()); any {
			if u.Full {
				u.Series = s.series
			}
			data, err := json.Marshal(u)
			if err != nil {
				s.log.Error("Cannot encode an event", "error", err)
				return
			}
			text = fmt.Sprintf("id: %s\nevent: update\ndata: %s\n\n", u.ID, data)
		}
		if stream.send(text) != nil {
			return
		}
		known = snapshot.position
		sleep(r.Context(), s.pace.gap)
		select {
		case <-r.Context().Done():
			return
		case <-changed:
		case <-time.After(s.pace.keepalive):
		}
	}
}

func clientPosition(r *http.Request) position {
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		return parsePosition(last)
	}
	return parsePosition(r.URL.Query().Get("since"))
}

// eventStream writes to one client, each time with a deadline of its own.
type eventStream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
}

// open lifts the read deadline, whose passing would end the request, and sends the
// headers with the time after which browsers connect again.
func (e eventStream) open() error {
	if err := e.control.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	return e.send("retry: 1000\n\n")
}

func (e eventStream) send(text string) error {
	if err := e.control.SetWriteDeadline(time.Now().Add(e.timeout)); err != nil {
		return err
	}
	if _, err := e.w.Write([]byte(text)); err != nil {
		return err
	}
	return e.control.Flush()
}
