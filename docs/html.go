package docs

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Images are the pictures of the documents: "board-pig.png".
func Images() fs.FS {
	images, err := fs.Sub(files, "images")
	if err != nil {
		panic(err) // the name is a good one
	}
	return images
}

// Address returns where a file of the tree is found: "docs/guide/play.md", "docs/images/board-pig.png",
// "games/pig/README.md". "" says nowhere: links to it become text, and pictures their description.
type Address func(file string) string

// HTML returns the text as HTML. Headings have the anchors that they have on GitHub, and HTML in the text stays text.
// Tables and blocks of code, which may be wider than the page, can be scrolled with the keyboard.
func (p Page) HTML(address Address) (string, error) {
	markdown := goldmark.New(
		goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(
			extension.TableCellAlignAttribute)), extension.Strikethrough),
		goldmark.WithParserOptions(parser.WithAutoHeadingID(),
			parser.WithASTTransformers(util.Prioritized(links{p, address}, 500))),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(own{}, 100))),
	)
	var out bytes.Buffer
	names := parser.NewContext(parser.WithIDs(&anchors{taken: map[string]int{}}))
	if err := markdown.Convert([]byte(p.Text), &out, parser.WithContext(names)); err != nil {
		return "", fmt.Errorf("%s: %w", p.Name, err)
	}
	return out.String(), nil
}

// anchors names headings as GitHub does: letters, digits, "-" and "_" in lower case, "-" for a space, and a number
// where a name is taken.
type anchors struct{ taken map[string]int }

func (a *anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	name := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, link.ReplaceAllString(string(value), "$1"))
	n := a.taken[name]
	a.taken[name]++
	if n > 0 {
		name = fmt.Sprintf("%s-%d", name, n)
	}
	return []byte(name)
}

func (a *anchors) Put(value []byte) { a.taken[string(value)]++ }

// links gives links and pictures of a page their addresses.
type links struct {
	page    Page
	address Address
}

func (l links) Transform(document *ast.Document, reader text.Reader, _ parser.Context) {
	var found []ast.Node
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if kind := n.Kind(); entering && (kind == ast.KindLink || kind == ast.KindImage) {
			found = append(found, n)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range found {
		var target *[]byte
		switch n := n.(type) {
		case *ast.Link:
			target = &n.Destination
		case *ast.Image:
			target = &n.Destination
		}
		to := l.resolve(string(*target))
		if to != "" {
			*target = []byte(to)
			continue
		}
		for inner := n.FirstChild(); inner != nil; inner = n.FirstChild() {
			n.Parent().InsertBefore(n.Parent(), n, inner)
		}
		n.Parent().RemoveChild(n.Parent(), n)
	}
}

// resolve returns the address of what a link of the page names.
func (l links) resolve(target string) string {
	file, anchor, anchored := strings.Cut(target, "#")
	if strings.Contains(file, "://") || file == "" {
		return target
	}
	to := l.address(path.Join(path.Dir(l.page.file()), file))
	if to != "" && anchored {
		to += "#" + anchor
	}
	return to
}

// own renders what Croupier's pages have otherwise.
type own struct{}

func (own) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	html := func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if raw, inline := n.(*ast.RawHTML); entering && inline {
			escape(w, raw.Segments.Value(source))
		} else if entering {
			escape(w, n.Lines().Value(source))
		}
		return ast.WalkSkipChildren, nil
	}
	r.Register(ast.KindHTMLBlock, html)
	r.Register(ast.KindRawHTML, html)
	r.Register(east.KindTable, func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			_, _ = w.WriteString("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\">\n<table>\n")
		} else {
			_, _ = w.WriteString("</table>\n</div>\n")
		}
		return ast.WalkContinue, nil
	})
	code := func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			_, _ = w.WriteString("<pre tabindex=\"0\"><code>")
			_, _ = w.Write(util.EscapeHTML(n.Lines().Value(source)))
			_, _ = w.WriteString("</code></pre>\n")
		}
		return ast.WalkSkipChildren, nil
	}
	r.Register(ast.KindFencedCodeBlock, code)
	r.Register(ast.KindCodeBlock, code)
}

// escape writes HTML as text, and nothing of a comment.
func escape(w util.BufWriter, html []byte) {
	if text := strings.TrimSpace(string(html)); strings.HasPrefix(text, "<!--") && strings.HasSuffix(text, "-->") {
		return
	}
	_, _ = w.Write(util.EscapeHTML(html))
}
