package web

import (
	"encoding/json"
	"net/http"
	"time"

	"croupier/messages"
)

func (s *server) run(w http.ResponseWriter, _ *http.Request) {
	s.writeJSON(w, s.feed.Snapshot().runView())
}

// declared answers with the learner's curves: what they are called and what they say.
func (s *server) declared(w http.ResponseWriter, _ *http.Request) {
	s.writeJSON(w, append([]messages.Series{}, s.series...))
}

// curves answers with all points, or with those changed since the position that an
// earlier answer or event gave as its id.
func (s *server) curves(w http.ResponseWriter, r *http.Request) {
	snapshot := s.feed.Snapshot()
	p := parsePosition(r.URL.Query().Get("since"))
	full := !snapshot.follows(p)
	if full {
		p = position{}
	}
	s.writeJSON(w, curvesView{ID: snapshot.position.String(), Full: full, Curves: snapshot.curvesSince(p)})
}

func (s *server) league(w http.ResponseWriter, _ *http.Request) {
	s.writeJSON(w, s.feed.Snapshot().leagueView())
}

func (s *server) ladder(w http.ResponseWriter, _ *http.Request) {
	s.writeJSON(w, s.feed.Snapshot().ladderView())
}

func (s *server) roles(w http.ResponseWriter, _ *http.Request) {
	s.writeJSON(w, s.feed.Snapshot().roleViews(time.Now()))
}

// health is 200 while the broker can be reached and 503 while it cannot.
func (s *server) health(w http.ResponseWriter, _ *http.Request) {
	if !s.feed.Snapshot().Connected {
		http.Error(w, "no connection to the broker", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n"))
}

func (s *server) writeJSON(w http.ResponseWriter, value any) {
	data, err := json.Marshal(value)
	if err != nil {
		s.log.Error("Cannot encode an answer", "error", err)
		http.Error(w, "cannot encode the answer", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(append(data, '\n')) // an error here is the client's going away
}
