package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"io/fs"
	"net/http"
	"slices"
	"time"
)

//go:embed assets templates
var files embed.FS

// page is an entry of the navigation. Its name is that of its template,
// templates/NAME.html, and of its module, assets/NAME.js. To add a page, add both
// files and a line here.
type page struct {
	Name  string
	Path  string
	Title string
}

var pages = []page{
	{"training", "/", "Training"},
	{"league", "/league", "League"},
	{"cluster", "/cluster", "Cluster"},
}

// pattern is the mux pattern that matches the page's path alone.
func (p page) pattern() string {
	if p.Path == "/" {
		return "/{$}"
	}
	return p.Path
}

// site holds the parsed templates and the files of the pages.
type site struct {
	templates map[string]*template.Template // by page name
	assets    map[string]asset              // by file name
}

type asset struct {
	content []byte
	tag     string // entity tag: browsers ask again, and load again only what changed
}

// newSite reads the embedded files; an error in them is an error of the build.
func newSite() *site {
	s := &site{templates: map[string]*template.Template{}, assets: map[string]asset{}}
	for _, p := range append(slices.Clone(pages), advicePage, banluckPage) {
		s.templates[p.Name] = template.Must(template.ParseFS(files, "templates/layout.html", "templates/"+p.Name+".html"))
	}
	entries, err := files.ReadDir("assets")
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		content, err := fs.ReadFile(files, "assets/"+e.Name())
		if err != nil {
			panic(err)
		}
		sum := sha256.Sum256(content)
		s.assets[e.Name()] = asset{content, `"` + hex.EncodeToString(sum[:8]) + `"`}
	}
	return s
}

// view is what templates see.
type view struct {
	Page  page
	Pages []page
	Run   string
	Game  string
}

func (s *server) page(p page) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		snapshot := s.feed.Snapshot()
		var out bytes.Buffer
		err := s.site.templates[p.Name].ExecuteTemplate(&out, "layout.html", view{p, s.pages, snapshot.Run, snapshot.Game})
		if err != nil {
			s.log.Error("Cannot fill a page", "page", p.Name, "error", err)
			http.Error(w, "cannot fill the page", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write(out.Bytes())
	}
}

func (s *server) asset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	a, found := s.site.assets[name]
	if !found {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("ETag", a.tag)
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(a.content))
}
