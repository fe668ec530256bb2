package web

import (
	"net/http"
	"strings"
)

// loginPage is where one logs in. It is about no run, and says of none that it is there.
var loginPage = Page{Name: "login", Path: "/login", Title: "Log in", Hidden: true, Template: ownTemplate("login")}

// loginPages are the pages that a door has.
func (o Options) loginPages() []Page {
	if o.Door == nil {
		return nil
	}
	return []Page{loginPage}
}

// addLogin routes what comes before the pages.
func (s *shell) addLogin(mux *http.ServeMux) {
	s.addPages(mux, []Page{loginPage}, func(*http.Request) (place, error) { return place{}, nil })
	mux.HandleFunc("POST /api/login", s.door.LogIn)
	mux.HandleFunc("POST /api/logout", s.door.LogOut)
}

// needsNoLogin reports which requests are answered to everybody: those of the login itself, files of the program,
// whether it is well, and what guests at a table need. These have a link with a key of their own, which opens one table
// and nothing else, or a code to get one.
func needsNoLogin(r *http.Request) bool {
	path := r.URL.Path
	switch path {
	case "/login", "/api/login", "/api/logout", "/healthz", "/play", "/api/qr", "/api/tables/join":
		return true
	}
	return strings.HasPrefix(path, "/assets/") || strings.HasPrefix(path, "/game/") ||
		strings.HasPrefix(path, "/api/tables/") && r.URL.Query().Get("key") != ""
}
