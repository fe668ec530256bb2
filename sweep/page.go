package sweep

import (
	"embed"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"

	"croupier/catalog"
	"croupier/messages"
	"croupier/web"
)

var (
	//go:embed page.html
	template string
	//go:embed sweeps.js
	assets embed.FS
)

// Shown is a sweep as its page shows it.
type Shown struct {
	Table   *Table `json:"table"`
	Bands   []Band `json:"bands"`             // of the newest round with results
	Damaged int    `json:"damaged,omitempty"` // results that are left out
}

// Show makes what the page shows of the results, next to which that many are damaged.
func (f *File) Show(results Results, damaged int) *Shown {
	return &Shown{Table: f.Tabulate(results), Bands: f.Bands(results), Damaged: damaged}
}

// Page is the page of the sweeps below a directory. What is in it was found out with processes of the user's
// own; the page only reads.
func Page(games *catalog.Catalog, dir string, log *slog.Logger) web.Page {
	a := &api{games, dir, log.With("role", messages.WebRole)}
	return web.Page{
		Name: "sweeps", Path: "/sweeps", Title: "Sweeps", Group: web.Training,
		Topic: "guide/sweep", Template: template, Assets: assets,
		API: map[string]http.Handler{
			"GET /api/sweeps":      http.HandlerFunc(a.all),
			"GET /api/sweeps/{id}": http.HandlerFunc(a.one),
		},
	}
}

type api struct {
	games *catalog.Catalog
	dir   string
	log   *slog.Logger
}

// all lists the sweeps.
func (a *api) all(w http.ResponseWriter, _ *http.Request) {
	entries, err := os.ReadDir(a.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		a.refuse(w, http.StatusInternalServerError, err)
		return
	}
	names := []string{}
	for _, e := range entries {
		if isSweep(filepath.Join(a.dir, e.Name())) {
			names = append(names, e.Name())
		}
	}
	a.write(w, http.StatusOK, names)
}

// isSweep reports whether a directory holds a sweep.
func isSweep(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, sweepFile))
	return err == nil && info.Mode().IsRegular()
}

// one returns what a sweep has found.
func (a *api) one(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	dir := filepath.Join(a.dir, id)
	if filepath.Base(dir) != id || !filepath.IsLocal(id) || !isSweep(dir) {
		a.refuse(w, http.StatusNotFound, errors.New("there is no such sweep"))
		return
	}
	f, results, damaged, err := Load(a.games, dir)
	if err != nil {
		a.refuse(w, http.StatusInternalServerError, err)
		return
	}
	if damaged > 0 {
		a.log.Warn("results of a sweep are damaged and left out", "dir", dir, "results", damaged)
	}
	a.write(w, http.StatusOK, f.Show(results, damaged))
}

func (a *api) refuse(w http.ResponseWriter, status int, err error) {
	a.write(w, status, map[string]string{"error": err.Error()})
}

func (a *api) write(w http.ResponseWriter, status int, answer any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		a.log.Debug("answer not sent", "error", err)
	}
}
