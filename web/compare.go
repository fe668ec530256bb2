package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"croupier/messages"
)

// Comparison reports what runs have in common and not.
type Comparison struct {
	Runs       []ComparedRun     `json:"runs"`
	Settings   []ComparedSetting `json:"settings"`        // where their values differ
	References []string          `json:"references"`      // bots that can take part in a tournament
	Apart      string            `json:"apart,omitempty"` // why agents of these runs cannot meet
}

// ComparedRun is a run that is compared with others.
type ComparedRun struct {
	ID string `json:"id"`
	Label
	Nameable bool     `json:"nameable"` // the page can change name and note
	Root     string   `json:"root"`
	Game     string   `json:"game"`
	Agents   []string `json:"agents"` // trained, the strongest first
	Best     string   `json:"best,omitempty"`
}

// ComparedSetting is a setting in which runs differ.
type ComparedSetting struct {
	Key    string   `json:"key"`
	Values []string `json:"values"` // by run; "" where it has none
}

// RunAgent is an agent of a run; without a run it is one of the game's bots.
type RunAgent struct {
	Run   string `json:"run"`
	Agent string `json:"agent"`
}

// Comparer compares runs. It is used by several goroutines at once; its errors are the caller's fault.
type Comparer interface {
	Compare(ctx context.Context, runs []string) (*Comparison, error)
	// Tournament has agents of runs meet, each pair in at least that many games per seating, and tells how
	// far it is. It ends with ctx.
	Tournament(ctx context.Context, agents []RunAgent, games uint64, progress func(played, matches int)) (*messages.Ladder,
		error)
}

// Limits of comparisons.
const (
	maxCompared      = 12 // runs, and agents of a tournament
	maxCompareGames  = 100_000
	tournamentLimit  = 10 * time.Minute
	tournamentReport = 500 * time.Millisecond
)

// ComparePage is the page on which runs are compared.
func ComparePage(comparer Comparer, log *slog.Logger) Page {
	a := &compareAPI{comparer: comparer, log: log.With("role", messages.WebRole), playing: make(chan struct{}, 1)}
	return Page{
		Name: "compare", Path: "/compare", Title: "Compare", Group: Training,
		Topic: "guide/web#compare-runs", Hidden: true, Template: ownTemplate("compare"),
		API: map[string]http.Handler{
			"GET /api/compare":     http.HandlerFunc(a.compare),
			"POST /api/tournament": http.HandlerFunc(a.tournament),
		},
	}
}

type compareAPI struct {
	comparer Comparer
	log      *slog.Logger
	playing  chan struct{} // a slot for the one tournament at a time
}

func (a *compareAPI) compare(w http.ResponseWriter, r *http.Request) {
	runs := r.URL.Query()["run"]
	if len(runs) < 1 || len(runs) > maxCompared {
		refuse(w, http.StatusBadRequest, fmt.Errorf("%d runs: name 1 to %d as ?run=ID", len(runs), maxCompared))
		return
	}
	comparison, err := a.comparer.Compare(r.Context(), runs)
	switch {
	case errors.Is(err, ErrNoSuchRun):
		refuse(w, http.StatusNotFound, err)
	case err != nil:
		refuse(w, http.StatusUnprocessableEntity, err)
	default:
		writeJSON(w, a.log, comparison)
	}
}

// tournamentLine is a line of the answer to a tournament: how far it is, or how it ended.
type tournamentLine struct {
	Played  int              `json:"played"` // matches
	Matches int              `json:"matches"`
	Ladder  *messages.Ladder `json:"ladder,omitempty"`
	Error   string           `json:"error,omitempty"`
}

// tournament plays while its answer is read: a line of JSON from time to time, the last with the
// ladder or the error. A reader that goes away ends it.
func (a *compareAPI) tournament(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Agents []RunAgent `json:"agents"`
		Games  uint64     `json:"games"`
	}
	if !readQuestion(w, r, &q) {
		return
	}
	if len(q.Agents) < 2 || len(q.Agents) > maxCompared || q.Games < 1 || q.Games > maxCompareGames {
		refuse(w, http.StatusUnprocessableEntity,
			fmt.Errorf("a tournament has 2 to %d agents and 1 to %d games for a pair, not %d and %d",
				maxCompared, maxCompareGames, len(q.Agents), q.Games))
		return
	}
	select {
	case a.playing <- struct{}{}:
		defer func() { <-a.playing }()
	default:
		refuse(w, http.StatusServiceUnavailable, errors.New("another tournament is being played: try again when it is over"))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), tournamentLimit)
	defer cancel()
	t := &tournamentStream{stream: eventStream{w, http.NewResponseController(w), defaultPace.write}, cancel: cancel}
	ladder, err := a.comparer.Tournament(ctx, q.Agents, q.Games, t.progress)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("it was not over within %v: play fewer games or agents", tournamentLimit)
	}
	switch {
	case err != nil && t.told.IsZero():
		refuse(w, http.StatusUnprocessableEntity, err)
	case err != nil:
		t.send(tournamentLine{Error: err.Error()})
	default:
		t.send(tournamentLine{Ladder: ladder})
	}
}

// tournamentStream writes the lines of a tournament, from one goroutine at a time.
type tournamentStream struct {
	stream eventStream
	cancel context.CancelFunc
	told   time.Time // when the last line was sent
}

func (t *tournamentStream) progress(played, matches int) {
	if time.Since(t.told) >= tournamentReport {
		t.send(tournamentLine{Played: played, Matches: matches})
	}
}

func (t *tournamentStream) send(line tournamentLine) {
	if t.told.IsZero() {
		h := t.stream.w.Header()
		h.Set("Content-Type", "application/x-ndjson")
		h.Set("Cache-Control", "no-store")
	}
	t.told = time.Now()
	data, err := json.Marshal(line)
	if err != nil {
		panic(err) // texts and finite numbers always marshal
	}
	if t.stream.send(string(data)+"\n") != nil {
		t.cancel() // nobody reads it
	}
}
