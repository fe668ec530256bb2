package web

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"croupier/messages"
	"croupier/messages/conduct"
)

func (s *server) run(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, s.log, s.feed.Snapshot().runView())
}

// declared answers with the learner's curves: what they are called and what they say.
func (s *server) declared(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, s.log, append([]messages.Series{}, s.series...))
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
	writeJSON(w, s.log, curvesView{ID: snapshot.position.String(), Full: full, Curves: snapshot.curvesSince(p)})
}

func (s *server) league(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, s.log, s.feed.Snapshot().leagueView())
}

func (s *server) ladder(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, s.log, s.feed.Snapshot().ladderView())
}

func (s *server) roles(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, s.log, s.feed.Snapshot().roleViews(time.Now()))
}

// actors answers with what each actor has given to the run.
func (s *server) actors(w http.ResponseWriter, r *http.Request) {
	if s.contributions == nil {
		writeJSON(w, s.log, conduct.NewContributions(nil, conduct.Games{}, 0))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), contributionsTimeout)
	defer cancel()
	c, err := s.contributions(ctx)
	if err != nil {
		s.log.Warn("contributions not read", "error", err)
		refuse(w, http.StatusServiceUnavailable,
			errors.New("the contributions cannot be read at the moment: see the server's log"))
		return
	}
	writeJSON(w, s.log, c)
}

// contributionsTimeout bounds the question to a broker that does not answer.
const contributionsTimeout = 10 * time.Second

// health is 200 while the broker can be reached and the roles of this process can do their work,
// else 503.
func (s *server) health(w http.ResponseWriter, _ *http.Request) {
	if !s.feed.Snapshot().Connected {
		http.Error(w, "no connection to the broker", http.StatusServiceUnavailable)
		return
	}
	tellHealth(w, s.healthy)
}

// tellHealth answers "ok" and a warning, or 503 with the error.
func tellHealth(w http.ResponseWriter, healthy func() (warning string, err error)) {
	warning, err := healthy()
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(strings.TrimSuffix("ok\n"+warning, "\n") + "\n"))
}

func writeJSON(w http.ResponseWriter, log *slog.Logger, value any) {
	data, err := json.Marshal(value)
	if err != nil {
		log.Error("Cannot encode an answer", "error", err)
		http.Error(w, "cannot encode the answer", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(append(data, '\n')) // an error here is the client's going away
}
