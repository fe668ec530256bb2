package tests

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

// exportedIn returns the exported names of the package in a folder of the module: types, functions, variables and
// constants, and of types their methods and fields as Type.Name.
func exportedIn(t *testing.T, folder string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", folder, "*.go"))
	require.NoError(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(gotoken.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range parsed.Decls {
			names = append(names, exportedBy(d)...)
		}
	}
	return names
}

// exportedBy returns what a declaration exports.
func exportedBy(d ast.Decl) (names []string) {
	add := func(owner string, ids ...*ast.Ident) {
		for _, id := range ids {
			if id.IsExported() {
				names = append(names, owner+id.Name)
			}
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		owner := ""
		if d.Recv != nil {
			owner = receiver(d.Recv.List[0].Type) + "."
		}
		if owner == "" || ast.IsExported(owner) {
			add(owner, d.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				add("", s.Names...)
			case *ast.TypeSpec:
				add("", s.Name)
				if of, ok := s.Type.(*ast.StructType); ok && s.Name.IsExported() {
					for _, f := range of.Fields.List {
						add(s.Name.Name+".", f.Names...)
					}
				}
			}
		}
	}
	return names
}

// receiver names the type of a method.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// The names in the glossary are names in the code, and each of its terms is there once, in one line.
func TestGlossaryNamesWhatExists(t *testing.T) {
	text, err := os.ReadFile("../docs/reference/glossary.md")
	require.NoError(t, err)
	terms := map[string]bool{}
	exported := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || strings.HasPrefix(cells[1], "-") || strings.TrimSpace(cells[1]) == "term" {
			continue
		}
		term := strings.TrimSpace(cells[1])
		require.False(t, terms[term], "%s stands there twice", term)
		terms[term] = true
		names := inCode.FindAllStringSubmatch(cells[3], -1)
		require.NotEmpty(t, names, term)
		for _, name := range names {
			folder, what, ok := cutName(name[1])
			if exported[folder] == nil {
				exported[folder] = exportedIn(t, folder)
				require.NotEmpty(t, exported[folder], "%s: there is no package %s", term, folder)
			}
			if ok {
				require.Contains(t, exported[folder], what, "%s: %s does not exist", term, name[1])
			}
		}
	}
	require.Greater(t, len(terms), 50)
}

// cutName splits "league/rating.Sums" into the folder of a package and what it exports; false for a package alone.
func cutName(name string) (folder, what string, ok bool) {
	slash := strings.LastIndex(name, "/") + 1
	short, what, ok := strings.Cut(name[slash:], ".")
	return name[:slash] + short, what, ok
}

// retired are words that the code once had for what the glossary calls otherwise. Words that others use in another
// sense are gone from some packages only.
var retired = []struct {
	word, now string
	from      []string // packages; nil: all
}{
	{"aside", "quarantine", nil},
	{"book", "monitor, ledger or results", []string{"messages/conduct", "league", "league/rating", "league/tournament",
		"audit"}},
	{"diviner", "control variate", nil},
	{"errand", "background task", nil},
	{"folded", "merged", nil},
	{"hub", "server of runs", []string{"cluster", "web"}},
	{"keeper", "archiver", nil},
	{"lane", "link", []string{"actor"}},
	{"lesson", "teacher target", nil},
	{"lobby", "policy pool", []string{"actor"}},
	{"opened", "view", []string{"cluster", "web"}},
	{"shown", "view", []string{"cluster", "web"}},
	{"site", "node", []string{"cluster"}},
	{"told", "sent, datagram or reported", nil},
	{"stake", "control variate", []string{"audit", "league", "league/rating", "search", "messages"}},
}

// words splits a name in camel case, in small letters.
func words(name string) (list []string) {
	for _, w := range regexp.MustCompile(`[A-Z]*[^A-Z.]*`).FindAllString(name, -1) {
		list = append(list, strings.TrimRightFunc(strings.ToLower(w), unicode.IsDigit))
	}
	return list
}

// Words that went do not come back in exported names.
func TestWordsThatWentStayAway(t *testing.T) {
	require.Equal(t, []string{"set", "aside", "error"}, slices.DeleteFunc(words("SetAsideError"), func(w string) bool {
		return w == ""
	}))
	for _, folder := range foldersOfGo(t) {
		for _, name := range exportedIn(t, folder) {
			for _, g := range retired {
				if g.from != nil && !slices.Contains(g.from, folder) {
					continue
				}
				back := slices.ContainsFunc(words(name), func(w string) bool { return w == g.word || w == g.word+"s" })
				require.False(t, back, "%s exports %s: say %s", folder, name, g.now)
			}
		}
	}
}

// foldersOfGo lists the folders of the program's packages.
func foldersOfGo(t *testing.T) (folders []string) {
	all, err := packages()
	require.NoError(t, err)
	for _, pkg := range all {
		folder := strings.TrimPrefix(strings.TrimPrefix(pkg.ImportPath, module), "/")
		if info, err := os.Stat(filepath.Join("..", folder)); err == nil && info.Mode()&fs.ModeDir != 0 &&
			!strings.HasPrefix(folder, "tests") {
			folders = append(folders, folder)
		}
	}
	require.NotEmpty(t, folders)
	return folders
}
