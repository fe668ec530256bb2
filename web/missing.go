package web

import (
	"bytes"
	"errors"
	"net/http"
	"strings"

	"croupier/internal/login"
)

// missingPage reports that there is nothing under an address. It looks like the other pages, with their navigation.
var missingPage = Page{Name: "missing", Path: "/missing", Title: "Not found", Hidden: true,
	Template: ownTemplate("missing")}

var errNoPage = errors.New("there is no page at this address")

// absent answers a request for what is not there: of the API with JSON, else with a page.
func (s *shell) absent(w http.ResponseWriter, r *http.Request, status int, at place, err error) {
	if strings.Contains(r.URL.Path, "/api/") {
		refuse(w, status, err)
		return
	}
	if !login.Inside(r.Context()) {
		at = place{}
	}
	v := s.view(missingPage, at, r)
	v.Problem = err.Error()
	s.write(w, status, v)
}

// elsewhere answers requests that no pattern matches.
func (s *shell) elsewhere(placeOf func(*http.Request) (place, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
			return
		}
		at, err := placeOf(r)
		if err != nil {
			at = place{}
		}
		s.absent(w, r, http.StatusNotFound, at, errNoPage)
	}
}

// write answers with a page.
func (s *shell) write(w http.ResponseWriter, status int, v view) {
	var out bytes.Buffer
	if err := s.site.templates[v.Page.Name].ExecuteTemplate(&out, "layout.html", v); err != nil {
		s.log.Error("Cannot fill a page", "page", v.Page.Name, "error", err)
		http.Error(w, "cannot fill the page", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes())
}
