package tests

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	gotoken "go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// apiFile has what the public packages export, a line for each name, as [apiOf] writes it.
const apiFile = "api.txt"

// What other modules use of the public packages is in a file, so that each change of it is seen and is a decision
// (-update writes the file). What is broken belongs into the changelog.
func TestAPIIsAsWritten(t *testing.T) {
	public, _ := listedPackages(t)
	var lines []string
	for _, name := range public {
		if !strings.Contains(name, "NAME") { // what a game exports besides its entry is its own affair
			lines = append(lines, apiOf(t, name)...)
		}
	}
	text := strings.Join(lines, "\n") + "\n"
	if *update {
		require.NoError(t, os.WriteFile(apiFile, []byte(text), 0o644))
	}
	written, err := os.ReadFile(apiFile)
	require.NoError(t, err)
	if string(written) != text {
		before := strings.Split(strings.TrimSpace(string(written)), "\n")
		t.Errorf("the exported names are not those of tests/%s.\nbroken:\n%s\nadded:\n%s\nIf that is meant, run with -update, "+
			"and name what is broken in the changelog", apiFile, list(brokenAPI(before, lines)), list(without(lines, before)))
	}
}

// brokenAPI returns the lines without which other modules may not compile any more, and methods that interfaces have
// got.
func brokenAPI(before, now []string) []string {
	broken := without(before, now)
	for _, line := range without(now, before) {
		kind, method, of := strings.Cut(line, " interface, ")
		if of && slices.Contains(before, kind+" interface") {
			broken = append(broken, kind+" interface needs "+method)
		}
	}
	return broken
}

// without returns the lines that are not among others.
func without(lines, others []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return slices.Contains(others, line) })
}

func list(lines []string) string { return "  " + strings.Join(lines, "\n  ") }

// apiOf returns a line for each exported name of a package, "engine, func Share(…) …", in order. Types are written as
// in the source, and parameters have no names.
func apiOf(t *testing.T, name string) (lines []string) {
	t.Helper()
	for _, file := range sourcesOf(t, name) {
		parsed, err := parser.ParseFile(gotoken.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, declared := range parsed.Decls {
			switch d := declared.(type) {
			case *ast.FuncDecl:
				lines = append(lines, functionAPI(d)...)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					lines = append(lines, specAPI(d.Tok.String(), spec)...)
				}
			}
		}
	}
	require.NotEmpty(t, lines, name)
	for i, line := range lines {
		lines[i] = name + ", " + line
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// What public packages name can be named by other modules: a type of an internal package has a public name of its own
// (type Seed = …).
func TestAPINamesNothingInternal(t *testing.T) {
	public, _ := listedPackages(t)
	for _, name := range public {
		if strings.Contains(name, "NAME") {
			continue
		}
		imports := importsOf(t, name)
		for _, line := range apiOf(t, name) {
			if strings.Contains(line, ", type ") && strings.Contains(line, " = ") {
				continue
			}
			for _, used := range qualified.FindAllStringSubmatch(line, -1) {
				require.False(t, under(imports[used[1]], ownPaths("internal")), "%s: %s is internal", line, used[1])
			}
		}
	}
}

// qualified finds names of other packages.
var qualified = regexp.MustCompile(`\b(\w+)\.[A-Z]`)

// importsOf returns what the files of a package import, by the names under which they do.
func importsOf(t *testing.T, name string) map[string]string {
	t.Helper()
	imports := map[string]string{}
	for _, file := range sourcesOf(t, name) {
		parsed, err := parser.ParseFile(gotoken.NewFileSet(), file, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			as := path.Base(imported)
			if spec.Name != nil {
				as = spec.Name.Name
			}
			imports[as] = imported
		}
	}
	return imports
}

// sourcesOf returns the files of a package that are no tests.
func sourcesOf(t *testing.T, name string) (files []string) {
	t.Helper()
	folder := filepath.Join("..", name)
	if name == "croupier" {
		folder = ".."
	}
	all, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	return slices.DeleteFunc(all, func(file string) bool { return strings.HasSuffix(file, "_test.go") })
}

// functionAPI returns the line of an exported function, or of an exported method of an exported type.
func functionAPI(f *ast.FuncDecl) []string {
	if !f.Name.IsExported() {
		return nil
	}
	if f.Recv == nil {
		return []string{"func " + f.Name.Name + typeParameters(f.Type.TypeParams) + signature(f.Type)}
	}
	receiver := source(f.Recv.List[0].Type)
	if !ast.IsExported(strings.TrimLeft(receiver, "*")) {
		return nil
	}
	return []string{"method (" + receiver + ") " + f.Name.Name + signature(f.Type)}
}

// specAPI returns the lines of constants, variables or a type.
func specAPI(kind string, spec ast.Spec) (lines []string) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range s.Names {
			if name.IsExported() {
				lines = append(lines, strings.TrimSpace(kind+" "+name.Name+" "+source(s.Type)))
			}
		}
	case *ast.TypeSpec:
		if s.Name.IsExported() {
			return typeAPI("type "+s.Name.Name+typeParameters(s.TypeParams), s)
		}
	}
	return lines
}

// typeAPI returns the line of a type, and one for each exported field or method of an interface.
func typeAPI(name string, s *ast.TypeSpec) []string {
	switch t := s.Type.(type) {
	case *ast.StructType:
		return append([]string{name + " struct"}, fieldsAPI(name+" struct, ", t.Fields)...)
	case *ast.InterfaceType:
		return append([]string{name + " interface"}, fieldsAPI(name+" interface, ", t.Methods)...)
	}
	if s.Assign.IsValid() {
		return []string{name + " = " + source(s.Type)}
	}
	return []string{name + " " + source(s.Type)}
}

// fieldsAPI returns a line for each exported field or method.
func fieldsAPI(prefix string, fields *ast.FieldList) (lines []string) {
	for _, f := range fields.List {
		if f.Names == nil {
			lines = append(lines, prefix+source(f.Type)) // embedded
		}
		for _, name := range f.Names {
			if method, is := f.Type.(*ast.FuncType); is && strings.HasSuffix(prefix, "interface, ") {
				lines = append(lines, prefix+name.Name+signature(method))
			} else if name.IsExported() {
				lines = append(lines, prefix+name.Name+" "+source(f.Type))
			}
		}
	}
	return lines
}

func typeParameters(list *ast.FieldList) string {
	if list == nil {
		return ""
	}
	return "[" + strings.Join(fieldTypes(list), ", ") + "]"
}

// signature writes a function's parameters and results without their names.
func signature(f *ast.FuncType) string {
	results := strings.Join(fieldTypes(f.Results), ", ")
	if f.Results.NumFields() > 1 {
		results = "(" + results + ")"
	}
	return strings.TrimSpace(fmt.Sprintf("(%s) %s", strings.Join(fieldTypes(f.Params), ", "), results))
}

// fieldTypes returns the types of fields, that of several names several times.
func fieldTypes(list *ast.FieldList) (types []string) {
	if list == nil {
		return nil
	}
	for _, f := range list.List {
		types = append(types, slices.Repeat([]string{source(f.Type)}, max(1, len(f.Names)))...)
	}
	return types
}

// source writes an expression on one line, "" for none.
func source(expr ast.Expr) string {
	switch e := expr.(type) {
	case nil:
		return ""
	case *ast.FuncType:
		return "func" + signature(e)
	}
	var b bytes.Buffer
	_ = printer.Fprint(&b, gotoken.NewFileSet(), expr) // a buffer takes everything
	return strings.Join(strings.Fields(b.String()), " ")
}

// What is exported is found, names that mean nothing to others are not, and breaking changes are distinguished from
// others.
func TestAPIOfASource(t *testing.T) {
	of := func(text string) (lines []string) {
		parsed, err := parser.ParseFile(gotoken.NewFileSet(), "x.go", "package x\n"+text, 0)
		require.NoError(t, err)
		for _, declared := range parsed.Decls {
			switch d := declared.(type) {
			case *ast.FuncDecl:
				lines = append(lines, functionAPI(d)...)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					lines = append(lines, specAPI(d.Tok.String(), spec)...)
				}
			}
		}
		return lines
	}
	before := of(`
func F(a, b int, f func(x string) error) (n int, err error) { return }
func hidden() {}
func (t *T) M() T { return *t }
func (u unseen) M() {}
func G[T any](list []T) {}
const C, d = 1, 2
var V map[string]int
type T struct { A, b int; E }
type I interface { fmt.Stringer; Do(what string) }
type Alias = T
type Number int
`)
	require.Equal(t, []string{
		"func F(int, int, func(string) error) (int, error)", "method (*T) M() T", "func G[any]([]T)", "const C",
		"var V map[string]int",
		"type T struct", "type T struct, A int", "type T struct, E",
		"type I interface", "type I interface, fmt.Stringer", "type I interface, Do(string)", "type Alias = T",
		"type Number int",
	}, before)
	now := of(`
func F(first, second int, f func(string) error) (int, error) { return 0, nil }
func (t *T) M() T { return *t }
func G[T any](list []T) {}
func H() {}
const C = 3
var V map[string]int
type T struct { E; B int }
type I interface { fmt.Stringer; Do(string); Undo() }
type Alias = T
type Number int
type J interface { Do() }
`)
	require.Equal(t, []string{"type T struct, A int", "type I interface needs Undo()"}, brokenAPI(before, now))
	require.Contains(t, without(now, before), "func H()")
}
