package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"croupier/catalog"
	"croupier/messages"
	"croupier/messages/conduct"
)

// RunSummary is a run in a list of runs.
type RunSummary struct {
	ID string `json:"id"` // name of its directory
	Label
	Root    string     `json:"root"` // of the addresses of its pages
	Game    string     `json:"game"`
	Title   string     `json:"title"`          // of the game, for people; its name where nothing else is known
	Kind    string     `json:"kind,omitempty"` // rundir.Tournament; empty for training
	State   string     `json:"state"`          // running, ended or interrupted
	Created time.Time  `json:"created,omitzero"`
	Order   uint64     `json:"-"` // among the runs of its directory, by when they were made; 0: not known
	Ended   time.Time  `json:"ended,omitzero"`
	Seconds float64    `json:"seconds_trained"`
	Games   uint64     `json:"games"`
	Samples uint64     `json:"samples"`
	Best    string     `json:"best,omitempty"` // agent
	Rating  *RunRating `json:"rating,omitempty"`
	Bytes   int64      `json:"bytes"`
	// Deletable says that DELETE would take it away.
	Deletable bool `json:"deletable"`
	// Nameable says that the page can change its name and note.
	Nameable bool `json:"nameable"`
	// Stoppable and Resumable say that the page can stop its training, or continue it.
	Stoppable bool `json:"stoppable"`
	Resumable bool `json:"resumable"`
	// Export is the name of the file in which its best version can be had; "" if there is none.
	Export string `json:"export,omitempty"`
	// Problem says what is wrong with the files of the run.
	Problem string `json:"problem,omitempty"`
}

// Label is the name and note that people give a run.
type Label struct {
	Name string `json:"name,omitempty"`
	Note string `json:"note,omitempty"` // may have several lines
}

// RunRating is the rating of a run's best agent, in the unit of its own ladder.
type RunRating struct {
	messages.Interval
	Unit     string `json:"unit"`
	Zero     string `json:"zero"`
	Decimals int    `json:"decimals"`
}

// View is a run of a directory that is being shown.
type View struct {
	ID    string
	Feed  *Feed
	Pages []Page // besides the usual ones
	// Contributions, unless nil, says what actors have given to the run.
	Contributions func(ctx context.Context) (*conduct.Contributions, error)
	// Label, unless nil, returns what people call the run.
	Label func() Label
	// Closed is closed when the run is no longer what it was when it was opened.
	Closed <-chan struct{}

	made    sync.Once
	handler http.Handler
}

// RunList is a directory of runs. It is used by several goroutines at once.
type RunList interface {
	// List describes all runs, the newest first.
	List(ctx context.Context) ([]RunSummary, error)
	// Open opens a run. The caller releases it.
	Open(id string) (opened *View, release func(), err error)
	// Delete deletes the directory of a run.
	Delete(id string) error
	// Relabel gives a run a name and a note, unless they are no longer what they were before. An error that is about one
	// of them is a [strict.Error] of it.
	Relabel(id string, before, after Label) error
	// Export returns the file of the best version of a run, as croupier export writes it.
	Export(ctx context.Context, id string) ([]byte, error)
}

// Errors of a RunList, which may be wrapped.
var (
	ErrNoSuchRun = errors.New("there is no such run")
	ErrNotNow    = errors.New("not now")  // what was asked contradicts the run's state
	ErrNotHere   = errors.New("not here") // the caller may not do this here
)

// RootOf returns the root of a run's addresses in a directory of runs.
func RootOf(id string) string { return "/runs/" + url.PathEscape(id) }

// runsServer answers about a directory of runs.
type runsServer struct {
	*shell
	list   RunList
	series []messages.Series
}

// NewRunsServer returns the handler of a directory of runs: the pages in home, those of each run under
// /runs/ID/, and the global ones. Of the options, Feed, Pages and Run have no meaning; the files of
// the pages in extra, which some runs have besides the usual ones, are served for all.
func NewRunsServer(o Options, list RunList, home, extra []Page) http.Handler {
	h := &runsServer{shell: newShell(o, home, slices.Concat(runPages, extra)), list: list, series: o.Series}
	mux := http.NewServeMux()
	h.addPages(mux, home, func(*http.Request) (place, error) { return place{}, nil })
	h.addShared(mux, o.Gatherer, h.placeOf)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { tellHealth(w, o.healthy()) })
	mux.HandleFunc("GET /runs/{id}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, RootOf(r.PathValue("id"))+"/", http.StatusSeeOther)
	})
	mux.HandleFunc("/runs/{id}/{rest...}", h.run)
	mux.HandleFunc("/", h.elsewhere(func(*http.Request) (place, error) { return place{}, nil }))
	return h.guard(mux)
}

// placeOf finds the run that a global page is about.
func (h *runsServer) placeOf(r *http.Request) (place, error) {
	id := r.URL.Query().Get("run")
	if id == "" {
		return place{}, nil
	}
	opened, release, err := h.list.Open(id)
	if err != nil {
		return place{}, err
	}
	defer release()
	return h.server(opened).place(r)
}

func (h *runsServer) server(o *View) *server {
	return &server{
		shell: h.shell, feed: o.Feed, series: h.series, root: RootOf(o.ID), name: o.ID,
		pages: slices.Concat(runPages, o.Pages), contributions: o.Contributions, label: o.Label,
	}
}

// run has a run answer what is below its root.
func (h *runsServer) run(w http.ResponseWriter, r *http.Request) {
	opened, release, err := h.list.Open(r.PathValue("id"))
	if err != nil {
		h.absent(w, r, statusOf(err), place{}, err)
		return
	}
	defer release()
	opened.made.Do(func() { opened.handler = h.server(opened).routes() })
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	go func() {
		select {
		case <-opened.Closed:
			cancel() // so that a page that follows it comes again
		case <-ctx.Done():
		}
	}()
	below := r.Clone(ctx)
	below.URL.Path, below.URL.RawPath = "/"+r.PathValue("rest"), ""
	opened.handler.ServeHTTP(w, below)
}

// statusOf is the status of an answer that tells an error of a RunList.
func statusOf(err error) int {
	switch {
	case errors.Is(err, ErrNoSuchRun):
		return http.StatusNotFound
	case errors.Is(err, ErrNotNow):
		return http.StatusConflict
	case errors.Is(err, ErrNotHere):
		return http.StatusForbidden
	}
	return http.StatusInternalServerError
}

// RunsPage is the list of the runs. With a trainer, the games of the catalog can be trained on it; nil: none.
func RunsPage(list RunList, games *catalog.Catalog, trainer Trainer, log *slog.Logger) Page {
	a := &runsAPI{list, log.With("role", messages.WebRole)}
	page := Page{
		Name: "runs", Path: "/", Title: "Runs", Group: Training, Topic: "guide/web#one-run-or-all", Template: ownTemplate("runs"),
		Content: func(*http.Request) (Content, error) {
			return Content{Title: "Runs", Data: struct{ Trains bool }{trainer != nil}}, nil
		},
		API: map[string]http.Handler{
			"GET /api/runs":             http.HandlerFunc(a.all),
			"DELETE /api/runs/{id}":     http.HandlerFunc(a.delete),
			"POST /api/runs/{id}/name":  http.HandlerFunc(a.name),
			"GET /api/runs/{id}/export": http.HandlerFunc(a.export),
		},
	}
	if trainer != nil {
		maps.Copy(page.API, (&trainingAPI{a, trainer, games}).requests())
	}
	return page
}

type runsAPI struct {
	list RunList
	log  *slog.Logger
}

func (a *runsAPI) all(w http.ResponseWriter, r *http.Request) {
	runs, err := a.list.List(r.Context())
	if err != nil {
		refuse(w, statusOf(err), err)
		return
	}
	writeJSON(w, a.log, runs)
}

func (a *runsAPI) delete(w http.ResponseWriter, r *http.Request) {
	if err := a.list.Delete(r.PathValue("id")); err != nil {
		refuse(w, statusOf(err), err)
		return
	}
	a.log.Info("run deleted", "run", r.PathValue("id"))
	w.WriteHeader(http.StatusNoContent)
}

// name gives a run a name and a note. A request has those before, so that of two that change them at once the second
// learns of the first.
func (a *runsAPI) name(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Label
		Before Label `json:"before"`
	}
	if !readQuestion(w, r, &q) {
		return
	}
	id := r.PathValue("id")
	if err := a.list.Relabel(id, q.Before, q.Label); err != nil {
		refuse(w, orderStatus(err), err)
		return
	}
	a.log.Info("run named on the page", "run", id)
	w.WriteHeader(http.StatusNoContent)
}

// export answers with the best version of a run as a file.
func (a *runsAPI) export(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	runs, err := a.list.List(r.Context())
	if err != nil {
		refuse(w, statusOf(err), err)
		return
	}
	i := slices.IndexFunc(runs, func(s RunSummary) bool { return s.ID == id })
	if i < 0 || runs[i].Export == "" {
		refuse(w, http.StatusNotFound, fmt.Errorf("run %.80q has no best version that can be exported", id))
		return
	}
	file, err := a.list.Export(r.Context(), id)
	if err != nil {
		refuse(w, statusOf(err), err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": runs[i].Export}))
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(file)
}
