package report

import (
	"context"
	"embed"
	"encoding/json"
	"log/slog"
	"net/http"
	"time"

	"croupier/engine"
	game "croupier/games/banluck"
)

// The parts of the page of Banluck, which looks hands up in the equilibrium. The page is called
// banluck, which is the name of its module; its API is at /api/banluck.
var (
	//go:embed page.html
	pageTemplate string
	//go:embed banluck.js banluck.css
	assets embed.FS
)

// newAPI returns the handlers that answer the page's requests, by http.ServeMux pattern. It is
// nil unless the game is Banluck with one player: with more, what a choice is worth depends on what is
// seen of the others, and advice answers that.
//
// The first request solves the game, and later ones get the same answer.
func newAPI(g engine.Game, log *slog.Logger) map[string]http.Handler {
	b, ok := g.(*game.Game)
	if !ok || b.Rules().(game.Rules).Players != 1 {
		return nil
	}
	solve := func(ctx context.Context) (*Tables, error) { return NewTables(ctx, b) }
	return map[string]http.Handler{"GET /api/banluck": newTablesHandler(log, solveTimeout, solve)}
}

// solveTimeout is how long a request may take. Solving takes a second, or a few under unusual
// rules. The limit is below the time that a server allows for an answer.
const solveTimeout = 20 * time.Second

// tablesHandler answers with tables that it computes once. The first request computes them in
// its own time: when its client leaves or the server stops, the computation ends, and one of
// the waiting requests starts over.
type tablesHandler struct {
	log     *slog.Logger
	timeout time.Duration
	solve   func(context.Context) (*Tables, error)
	turn    chan struct{} // holds an element while a request computes or reads the fields below
	answer  []byte        // nil: not computed yet
	failed  error         // why the game cannot be solved
}

func newTablesHandler(
	log *slog.Logger, timeout time.Duration, solve func(context.Context) (*Tables, error),
) *tablesHandler {
	return &tablesHandler{log: log.With("role", "web"), timeout: timeout, solve: solve, turn: make(chan struct{}, 1)}
}

func (t *tablesHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), t.timeout)
	defer cancel()
	answer, err := t.get(ctx)
	h := w.Header()
	switch {
	case ctx.Err() != nil && err != nil:
		h.Set("Retry-After", "5")
		http.Error(w, "the game is still being solved: try again in a few seconds", http.StatusServiceUnavailable)
	case err != nil:
		t.log.Error("Cannot solve Banluck", "error", err)
		http.Error(w, "cannot solve the game", http.StatusInternalServerError)
	default:
		h.Set("Content-Type", "application/json")
		h.Set("Cache-Control", "no-store")
		_, _ = w.Write(answer) // an error here means that the client has left
	}
}

// get returns the answer, computing it if nobody has yet. A computation that ctx ends is not
// remembered.
func (t *tablesHandler) get(ctx context.Context) ([]byte, error) {
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if t.answer != nil || t.failed != nil {
		return t.answer, t.failed
	}
	tables, err := t.solve(ctx)
	if err == nil {
		t.answer, err = json.Marshal(tables)
	}
	if ctx.Err() == nil {
		t.failed = err
	}
	return t.answer, err
}
