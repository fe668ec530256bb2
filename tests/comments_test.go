package tests

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// documented are packages whose comments say shapes, units, errors and sources, so that their code need not be read.
var documented = []string{"engine", "nn", "nn/kernel", "policy", "search", "solver", "learner/train"}

// docLink finds links of comments to exported names of their own package: [Game], [State.Apply].
var docLink = regexp.MustCompile(`\[\*?([A-Z]\w*(?:\.[A-Z]\w*)?)\]`)

// All that these packages export has a comment. Those of types and functions begin with the name; instead of a field's
// own comment that of its struct may name it. Links to names of the package lead somewhere.
func TestDocComments(t *testing.T) {
	for _, name := range documented {
		c := commentsOf(t, name)
		require.Greater(t, len(c.names), 10, name)
		for _, fault := range c.faults() {
			t.Errorf("%s: %s", name, fault)
		}
	}
}

// The walk finds what it looks for.
func TestDocCommentsAreChecked(t *testing.T) {
	c := comments{names: map[string]bool{}}
	file, err := parser.ParseFile(gotoken.NewFileSet(), "", `package p
// Sum holds a Value, see [Sum.Add] and [Gone].
type Sum struct{ Value, Weight float64 }
// Adds more.
func (s *Sum) Add() {}
func New() {}
type hidden struct{ Field int }
func (hidden) Method() {}
`, parser.ParseComments)
	require.NoError(t, err)
	c.read(file)
	require.Equal(t, []string{
		`Sum.Weight has no comment`,
		`the comment of Add begins with "Adds more."`,
		`New has no comment`,
		`the comment "Sum holds a Value, see [Sum.Add] and [Gone]." links to Gone, which is not there`,
	}, c.faults())
}

// comments are those of a package.
type comments struct {
	names map[string]bool // all that is declared: "Game", "State.Apply"
	texts []string        // all comments
	wrong []string        // what lacks a comment, or has another one's
}

func commentsOf(t *testing.T, name string) comments {
	t.Helper()
	c := comments{names: map[string]bool{}}
	for _, file := range sourcesOf(t, name) {
		parsed, err := parser.ParseFile(gotoken.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		c.read(parsed)
	}
	return c
}

// faults returns all that is wrong.
func (c *comments) faults() []string {
	faults := c.wrong
	for _, text := range c.texts {
		for _, link := range docLink.FindAllStringSubmatch(text, -1) {
			if !c.names[link[1]] {
				first, _, _ := strings.Cut(text, "\n")
				faults = append(faults, `the comment "`+first+`" links to `+link[1]+", which is not there")
			}
		}
	}
	return faults
}

// read takes in the names and comments of a file.
func (c *comments) read(file *ast.File) {
	for _, group := range file.Comments {
		c.texts = append(c.texts, group.Text())
	}
	for _, declared := range file.Decls {
		switch d := declared.(type) {
		case *ast.FuncDecl:
			c.function(d)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					c.typed(s, d.Doc.Text()+s.Doc.Text())
				case *ast.ValueSpec:
					for _, name := range s.Names {
						c.require(name.Name, d.Doc.Text()+s.Doc.Text()+s.Comment.Text())
					}
				}
			}
		}
	}
}

func (c *comments) function(f *ast.FuncDecl) {
	name := f.Name.Name
	if f.Recv != nil {
		receiver, _, _ := strings.Cut(strings.TrimLeft(source(f.Recv.List[0].Type), "*"), "[")
		c.names[receiver+"."+name] = true
		if !ast.IsExported(receiver) {
			return
		}
	}
	c.named(name, f.Doc.Text())
}

func (c *comments) typed(s *ast.TypeSpec, text string) {
	c.named(s.Name.Name, text)
	list := (*ast.FieldList)(nil)
	switch kind := s.Type.(type) {
	case *ast.StructType:
		list = kind.Fields
	case *ast.InterfaceType:
		list = kind.Methods
	}
	if list == nil {
		return
	}
	for _, f := range list.List {
		for _, name := range f.Names {
			full := s.Name.Name + "." + name.Name
			c.names[full] = true
			if ast.IsExported(s.Name.Name) && name.IsExported() && !regexp.MustCompile(`\b`+name.Name+`\b`).MatchString(text) {
				c.require(full, f.Doc.Text()+f.Comment.Text())
			}
		}
	}
}

// named notes a type or function, whose comment begins with its name.
func (c *comments) named(name, text string) {
	c.require(name, text)
	if first, _, _ := strings.Cut(text, "\n"); ast.IsExported(name) && text != "" &&
		!regexp.MustCompile(`^`+name+`\b`).MatchString(text) {
		c.wrong = append(c.wrong, "the comment of "+name+` begins with "`+first+`"`)
	}
}

// require notes a name, which has a comment if it is exported.
func (c *comments) require(name, text string) {
	c.names[name] = true
	if ast.IsExported(name) && text == "" {
		c.wrong = append(c.wrong, name+" has no comment")
	}
}
