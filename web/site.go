package web

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"time"

	"croupier/internal/login"
	"croupier/web/boards"
)

//go:embed assets templates
var files embed.FS

// Page is an entry of the navigation with all that belongs to it. The server guards it like every other:
// the content policy, the check of the host and the refusal of requests from other origins hold for its
// files and its API as well.
type Page struct {
	Name  string // unique; the page's module is NAME.js, its style sheet, if it has one, NAME.css
	Path  string // where it is served: "/league"
	Title string // in the navigation
	// Group is where the navigation has the page.
	Group Group
	// Hidden pages are reached from others only: the navigation leaves them out.
	Hidden bool
	// Topic is the document that explains the page, by its name, perhaps with a heading: "guide/practice#drill".
	// "" is that about all pages.
	Topic string
	// Template is the text of a html/template that defines "content", the inside of <main>.
	Template string
	// Content, unless nil, makes what the template shows of one request. Its error says that nothing is there.
	Content func(*http.Request) (Content, error)
	// Assets holds the page's module and style sheet, and what else these load. Its files are served next to
	// those that all pages share, as /assets/FILE, so that the module imports "./dom.js". nil: the module is
	// among those shared.
	Assets fs.FS
	// API is what answers the page's questions, by patterns of http.ServeMux: "GET /api/league". All lie
	// under /api/.
	API map[string]http.Handler
}

// Group is a part of the navigation. Its pages are listed while one of them is shown.
type Group int

// Groups, in their order. Pages that name none help to understand.
const (
	Understanding Group = iota
	Training
	Playing
)

// groups are the parts of the navigation in their order.
var groups = []struct {
	group Group
	title string
}{{Training, "Train"}, {Playing, "Play"}, {Understanding, "Understand"}}

// Content is what a template shows of one request.
type Content struct {
	Title string // of the window
	Data  any    // .Data of the template
}

// runPages show the run itself. All of them live on what the server tells of the run.
var runPages = []Page{
	{Name: "training", Path: "/", Title: "Training", Group: Training, Topic: "tutorial/page",
		Template: ownTemplate("training")},
	{Name: "league", Path: "/league", Title: "League", Group: Training, Topic: "explain/truth#training",
		Template: ownTemplate("league")},
	{Name: "cluster", Path: "/cluster", Title: "Cluster", Group: Training, Topic: "tutorial/machines",
		Template: ownTemplate("cluster")},
}

// ownTemplate returns the template of a page of this package.
func ownTemplate(name string) string {
	text, err := files.ReadFile("templates/" + name + ".html")
	if err != nil {
		panic(err)
	}
	return string(text)
}

// pattern is the mux pattern that matches the page's path alone.
func (p Page) pattern() string {
	if p.Path == "/" {
		return "GET /{$}"
	}
	return "GET " + p.Path
}

// site holds the parsed templates and the files of pages.
type site struct {
	templates map[string]*template.Template // by page name
	assets    map[string]asset              // by file name
}

type asset struct {
	content []byte
	tag     string // entity tag: browsers ask again, and load again only what changed
}

// Assets returns the files that all pages share.
func Assets() fs.FS {
	shared, err := fs.Sub(files, "assets")
	if err != nil {
		panic(err)
	}
	return shared
}

// newSite reads the files of the pages. They are part of the program, so an error in them is one of the
// build, and a panic.
func newSite(pages []Page, ofGames []fs.FS) *site {
	s := &site{templates: map[string]*template.Template{}, assets: map[string]asset{}}
	s.addAssets(Assets())
	s.addAssets(boards.Assets())
	for _, board := range ofGames {
		s.addAssets(board)
	}
	layout := template.Must(template.ParseFS(files, "templates/layout.html"))
	for _, p := range pages {
		if p.Assets != nil {
			s.addAssets(p.Assets)
		}
		if _, found := s.assets[p.Name+".js"]; !found {
			panic(fmt.Sprintf("web: page %s has no module", p.Name))
		}
		s.templates[p.Name] = template.Must(template.Must(layout.Clone()).Parse(p.Template))
	}
	return s
}

func (s *site) addAssets(from fs.FS) {
	entries, err := fs.ReadDir(from, ".")
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		content, err := fs.ReadFile(from, e.Name())
		if err != nil {
			panic(err)
		}
		if _, found := s.assets[e.Name()]; found {
			panic(fmt.Sprintf("web: there are two assets %s", e.Name()))
		}
		sum := sha256.Sum256(content)
		s.assets[e.Name()] = asset{content, `"` + hex.EncodeToString(sum[:8]) + `"`}
	}
}

// place reports what a page is about.
type place struct {
	root  string // of the run's addresses
	run   string // "": the page is about no run
	label Label
	game  string
	pages []Page // of the run
}

// addPages routes pages and their API. placeOf finds what a request is about; its error is the
// caller's fault.
func (s *shell) addPages(mux *http.ServeMux, pages []Page, placeOf func(*http.Request) (place, error)) {
	for _, p := range pages {
		mux.HandleFunc(p.pattern(), s.page(p, placeOf))
		for pattern, handler := range p.API {
			if !strings.Contains(pattern, " /api/") {
				panic(fmt.Sprintf("web: page %s: %q is not METHOD /api/…", p.Name, pattern))
			}
			mux.Handle(pattern, handler)
		}
	}
}

// link is an entry of the navigation.
type link struct {
	Href, Title string
	Current     bool
}

// view is what templates see.
type view struct {
	Page   Page
	Title  string
	Data   any    // what Page.Content made
	Styled bool   // the page has a style sheet
	Help   string // address of what explains the page; "": this server has no documents
	Nav    []navGroup
	Root   string // under which the run's own pages and API are: "", or "/runs/evening"
	Run    string // "" on a page that is about no run
	Label  Label  // of the run
	Game   string
	Login  *loginView // nil: the page needs none
	// Problem reports what is wrong with the address, on a page that says that nothing is there.
	Problem string
}

// loginView reports how one comes in.
type loginView struct {
	Inside       bool // the client has come in
	Token, Users bool // by what others can
}

// view returns what the template of a page is about. A guest at a table is shown no run and no other pages.
func (s *shell) view(p Page, at place, r *http.Request) view {
	_, styled := s.site.assets[p.Name+".css"]
	v := view{Page: p, Title: p.Title, Styled: styled}
	if s.door != nil {
		v.Login = &loginView{Inside: login.Inside(r.Context())}
		v.Login.Token, v.Login.Users = s.door.Ways()
	}
	if login.Inside(r.Context()) {
		v.Nav, v.Root, v.Run, v.Label, v.Game = s.links(p, at), at.root, at.run, at.label, at.game
		v.Help = s.help(p, at)
	}
	return v
}

// help returns the address of the document that explains a page.
func (s *shell) help(p Page, at place) string {
	if _, found := s.site.templates[helpName]; !found || p.Name == helpName {
		return ""
	}
	name, heading, headed := strings.Cut(cmp.Or(p.Topic, "reference/page"), "#")
	address := "/help/" + name + at.about()
	if headed {
		address += "#" + heading
	}
	return address
}

// about is the query with which pages that work without a run are about that of the place, where there are several.
func (p place) about() string {
	if p.root == "" {
		return ""
	}
	return "?run=" + url.QueryEscape(p.run)
}

// links returns the navigation of a page, in groups. From a run of several, the global pages are about it as well.
func (s *shell) links(current Page, at place) (nav []navGroup) {
	for _, g := range groups {
		part := navGroup{Title: g.title, Current: g.group == current.Group && current.Name != missingPage.Name}
		add := func(pages []Page, before, after string) {
			for _, p := range pages {
				if !p.Hidden && p.Group == g.group {
					part.Pages = append(part.Pages, link{before + p.address() + after, p.Title, p.Name == current.Name})
				}
			}
		}
		add(s.home, "", "")
		add(at.pages, at.root, "")
		add(s.global, "", at.about())
		if len(part.Pages) > 0 {
			nav = append(nav, part)
		}
	}
	return nav
}

// navGroup is a part of the navigation; its title leads to its first page.
type navGroup struct {
	Title   string
	Current bool
	Pages   []link
}

// address is the page's path, without what names one of the things below it.
func (p Page) address() string {
	path, _, _ := strings.Cut(p.Path, "{")
	return path
}

func (s *shell) page(p Page, placeOf func(*http.Request) (place, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var at place
		if login.Inside(r.Context()) {
			var err error
			if at, err = placeOf(r); err != nil {
				s.absent(w, r, http.StatusNotFound, place{}, err)
				return
			}
		}
		v := s.view(p, at, r)
		if p.Content != nil {
			content, err := p.Content(r)
			if err != nil {
				s.absent(w, r, http.StatusNotFound, at, err)
				return
			}
			v.Title, v.Data = content.Title, content.Data
		}
		s.write(w, http.StatusOK, v)
	}
}

func (s *shell) asset(w http.ResponseWriter, r *http.Request) {
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
