// Command site writes the documents as a site: go run ./cmd/site DIR, which make site calls. Each page is a file of
// HTML with the map at its side; links between pages, anchors and pictures are relative, so that the site works under
// any address and from a disk. Links to other files of the tree become text.
package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"croupier/docs"
	"croupier/games/standard"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./cmd/site DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

// write writes the site to a directory.
func write(dir string) error {
	files, err := site(slices.Concat(docs.Pages(), standard.Games.Manuals()))
	if err != nil {
		return err
	}
	for name, content := range files {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

//go:embed page.html
var layout string

// sheet is a page of the site.
type sheet struct {
	Title string
	Home  string // the map
	Text  template.HTML
	Map   []section
}

// section is a part of the map with its pages.
type section struct {
	Title string
	Links []entry
}

// entry is a page in the map; To is relative to the page that shows it.
type entry struct {
	Title, To string
	Here      bool
}

// site returns the files of the site by name, with "/" between folders.
func site(pages []docs.Page) (map[string][]byte, error) {
	page, err := template.New("page").Parse(layout)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, p := range pages {
		text, err := p.HTML(func(file string) string { return address(pages, p.Name, file) })
		if err != nil {
			return nil, err
		}
		var out bytes.Buffer
		//nolint:gosec // the text is made of Markdown, whose own HTML is escaped
		if err := page.Execute(&out, sheet{p.Title, relative(p.Name, "index.html"), template.HTML(text),
			sections(pages, p.Name)}); err != nil {
			return nil, err
		}
		files[p.Name+".html"] = out.Bytes()
	}
	images := docs.Images()
	err = fs.WalkDir(images, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files["images/"+name], err = fs.ReadFile(images, name)
		return err
	})
	return files, err
}

// address returns where a file of the tree is, seen from a page; "" for one that is not part of the site.
func address(pages []docs.Page, from, file string) string {
	if image, is := strings.CutPrefix(file, "docs/images/"); is {
		return relative(from, "images/"+image)
	}
	name := docs.Named(file)
	if strings.HasSuffix(file, ".md") && slices.ContainsFunc(pages, func(p docs.Page) bool { return p.Name == name }) {
		return relative(from, name+".html")
	}
	return ""
}

// relative returns the path from a page to a file of the site.
func relative(from, to string) string {
	return strings.Repeat("../", strings.Count(from, "/")) + to
}

// mapped finds the pages in the map.
var mapped = regexp.MustCompile(`\]\(([^)\s#]+\.md)\)`)

// sections returns the map, docs/index.md, as a page shows it: a section for each heading, with its pages.
func sections(pages []docs.Page, from string) (all []section) {
	for _, part := range strings.Split(pages[0].Text, "\n## ")[1:] {
		title, text, _ := strings.Cut(part, "\n")
		s := section{Title: title}
		for _, m := range mapped.FindAllStringSubmatch(text, -1) {
			name := docs.Named(path.Join("docs", m[1]))
			at := slices.IndexFunc(pages, func(p docs.Page) bool { return p.Name == name })
			if at >= 0 {
				s.Links = append(s.Links, entry{pages[at].Title, relative(from, name+".html"), name == from})
			}
		}
		all = append(all, s)
	}
	return all
}
