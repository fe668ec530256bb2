package report

import (
	"context"
	"embed"
	"encoding/json"
	"log/slog"
	"net/http"
	"time"

	"croupier/engine"
	game "croupier/engine/banluck"
)

// What the page of Banluck is made of, which looks hands up in the equilibrium. It is called banluck: that is
// the name of its module, and its API is at /api/banluck.
var (
	// Template is a html/template that defines "content".
	//go:embed page.html
	Template string
	// Assets are the module and the style sheet.
	//go:embed banluck.js banluck.css
	Assets embed.FS
)

// NewAPI returns what answers the page's question, by patterns of http.ServeMux. It is nil unless the game is
// Banluck with one player, of which alone the equilibrium is known.
//
// The first request solves the game, and all further ones get the same answer.
func NewAPI(g engine.Game, log *slog.Logger) map[string]http.Handler {
	b, ok := g.(*game.Game)
	if !ok || b.Rules().(game.Rules).Players != 1 {
		return nil
	}
	solve := func(ctx context.Context) (*Tables, error) { return NewTables(ctx, b) }
	return map[string]http.Handler{"GET /api/banluck": newTablesHandler(log, solveTimeout, solve)}
}

// solveTimeout is how long a request may take, solving included, which takes a second, or a few under
// unusual rules. It is below the time that a server gives an answer.
const solveTimeout = 20 * time.Second

// tablesHandler answers with tables, which it computes once. The request that is there first computes them
// in its own time: when its client leaves, or the server ends, the computing ends with it, and one of the
// requests that wait begins anew.
type tablesHandler struct {
	log     *slog.Logger
	timeout time.Duration
	solve   func(context.Context) (*Tables, error)
	turn    chan struct{} // holds an element while a request computes or reads what follows
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
		_, _ = w.Write(answer) // an error here is the client's going away
	}
}

// get returns the answer, and computes it if it is the first. What ctx has ended is not remembered.
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
