package web

import (
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"croupier/catalog"
	"croupier/docs"
)

// helpName is the name of the page of documents.
const helpName = "help"

// HelpPage shows the documents that are part of the program, and those of its games: /help is the map, and /help/NAME
// what croupier help NAME prints.
func HelpPage(games *catalog.Catalog) Page {
	pages := slices.Concat(docs.Pages(), games.Manuals())
	return Page{
		Name: helpName, Path: "/help/{page...}", Title: "Help", Hidden: true, Template: ownTemplate("help"),
		Assets: docs.Images(),
		Content: func(r *http.Request) (Content, error) {
			return document(pages, strings.TrimSuffix(r.PathValue("page"), "/"))
		},
	}
}

// shelf is a document with the list of all.
type shelf struct {
	Text    template.HTML
	Folders []folder
}

// folder are the documents of one kind.
type folder struct {
	Title string
	Pages []link
}

// folders are the kinds of documents in their order, by the first part of their names.
var folders = []struct{ name, title string }{
	{"tutorial", "Tutorial"}, {"guide", "Guides"}, {"games", "Games"}, {"reference", "Reference"},
	{"explain", "Explanations"}, {"lab", "Lab"},
}

// document returns the page of the name; that of no name is the map.
func document(pages []docs.Page, name string) (Content, error) {
	if name == "" {
		name = pages[0].Name
	}
	found := docs.Find(pages, name)
	if len(found) != 1 {
		return Content{}, fmt.Errorf("the documents have no page %q; /help lists them", name)
	}
	text, err := found[0].HTML(func(file string) string { return addressOf(pages, file) })
	if err != nil {
		return Content{}, err
	}
	s := shelf{Text: template.HTML(text)} //nolint:gosec // made of Markdown, whose own HTML is escaped
	for _, f := range folders {
		list := folder{Title: f.title}
		for _, p := range pages {
			if strings.HasPrefix(p.Name, f.name+"/") {
				list.Pages = append(list.Pages, link{"/help/" + p.Name, p.Title, p.Name == found[0].Name})
			}
		}
		if len(list.Pages) > 0 {
			s.Folders = append(s.Folders, list)
		}
	}
	return Content{Title: found[0].Title, Data: s}, nil
}

// addressOf returns where the page shows a file of the tree: "" for what is no document of the program.
func addressOf(pages []docs.Page, file string) string {
	if image, is := strings.CutPrefix(file, "docs/images/"); is {
		return "/assets/" + image
	}
	name := docs.Named(file)
	if strings.HasSuffix(file, ".md") && slices.ContainsFunc(pages, func(p docs.Page) bool { return p.Name == name }) {
		return "/help/" + name
	}
	return ""
}
