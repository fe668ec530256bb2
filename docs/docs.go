// Package docs has the documents as part of the program, so that a program without its sources explains itself.
package docs

import (
	"embed"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

//go:embed *.md guide reference explain images/*.png lab/*.md lab/decisions tutorial
var files embed.FS

// Page is a document. Its text is Markdown.
type Page struct {
	Name  string // "guide/play"
	Title string
	Text  string
}

// New returns a page of this text, whose first heading is its title.
func New(name, text string) Page {
	first, _, _ := strings.Cut(text, "\n")
	return Page{Name: name, Title: strings.TrimPrefix(first, "# "), Text: text}
}

// Pages returns all documents: the map, then those of each folder in turn, by name.
func Pages() (pages []Page) {
	for _, pattern := range []string{"*.md", "tutorial/*.md", "guide/*.md", "guide/*/*.md", "reference/*.md", "explain/*.md",
		"explain/*/*.md", "lab/*.md", "lab/*/*.md"} {
		names, _ := fs.Glob(files, pattern) // the patterns are good ones
		for _, name := range names {
			text, _ := files.ReadFile(name) // it is there
			pages = append(pages, New(strings.TrimSuffix(name, ".md"), string(text)))
		}
	}
	return pages
}

// file is the path of the page in the tree: those of games lie with the games.
func (p Page) file() string {
	if strings.HasPrefix(p.Name, "games/") {
		return p.Name + "/README.md"
	}
	return "docs/" + p.Name + ".md"
}

// Named returns the name of the page that a file of the tree has: "guide/play" of "docs/guide/play.md".
func Named(file string) string {
	return strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(file, "docs/"), ".md"), "/README")
}

// Find returns the pages that are meant by a name: that of the page, or its last element.
func Find(pages []Page, name string) (found []Page) {
	for _, p := range pages {
		if p.Name == name {
			return []Page{p}
		}
		if path.Base(p.Name) == name {
			found = append(found, p)
		}
	}
	return found
}

var (
	link    = regexp.MustCompile(`!?\[([^\]]*)\]\(([^)\s]*)\)`)
	picture = regexp.MustCompile(`!\[[^\]]*\]\([^)\s]*\)`)
	fence   = regexp.MustCompile("(?m)^ *```.*\n")
)

// Plain returns the text for a terminal, and the names of the pages that it refers to, in order. Addresses of the
// network stay in it.
func (p Page) Plain() (text string, others []string) {
	text = picture.ReplaceAllString(p.Text, "")
	text = link.ReplaceAllStringFunc(text, func(found string) string {
		m := link.FindStringSubmatch(found)
		if strings.Contains(m[2], "://") {
			return m[1] + " (" + m[2] + ")"
		}
		file, _, _ := strings.Cut(m[2], "#")
		name := Named(path.Join(path.Dir(p.file()), file))
		if strings.HasSuffix(file, ".md") && !slices.Contains(others, name) {
			others = append(others, name)
		}
		if strings.HasSuffix(m[1], ".md") {
			return name
		}
		return m[1]
	})
	return fence.ReplaceAllString(text, ""), others
}
