package engine_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// goFiles calls read for each Go file under a folder except tests.
func goFiles(t *testing.T, root string, read func(folder string, file *ast.File)) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err == nil {
			folder, _ := filepath.Rel(root, filepath.Dir(path))
			read(filepath.ToSlash(folder), file)
		}
		return err
	}))
}

// optional returns the exported interfaces of this package that embed Game, State, or a Redealer, which is one.
func optional(t *testing.T) (names []string) {
	goFiles(t, ".", func(folder string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || folder != "." {
				return true
			}
			if i, ok := spec.Type.(*ast.InterfaceType); ok && slices.ContainsFunc(i.Methods.List, embedsContract) {
				names = append(names, spec.Name.Name)
			}
			return false
		})
	})
	return names
}

func embedsContract(f *ast.Field) bool {
	id, ok := f.Type.(*ast.Ident)
	return ok && len(f.Names) == 0 && slices.Contains([]string{"Game", "State", "Redealer"}, id.Name)
}

// users returns the packages, games aside, that name each identifier of package engine.
func users(t *testing.T) map[string][]string {
	found := map[string]map[string]bool{}
	goFiles(t, "..", func(folder string, file *ast.File) {
		room, below, _ := strings.Cut(folder, "/")
		switch {
		case room == "games" || room == "tests" || room == "engine" && below != "" && below != "conformance":
			return
		case folder == ".":
			folder = "croupier"
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "engine" {
					if found[s.Sel.Name] == nil {
						found[s.Sel.Name] = map[string]bool{}
					}
					found[s.Sel.Name][folder] = true
				}
			}
			return true
		})
	})
	lists := map[string][]string{}
	for name, folders := range found {
		lists[name] = slices.Sorted(maps.Keys(folders))
	}
	return lists
}

// The page about adding a game has a row for each optional interface, with the packages that
// use it.
func TestOptionalInterfacesAreOnThePage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "guide", "add-a-game.md"))
	require.NoError(t, err)
	rows := map[string][]string{}
	quoted := regexp.MustCompile("`([^`]+)`")
	row := regexp.MustCompile("(?m)^\\| `([A-Z][A-Za-z]*)` \\| (?:game|state) \\|.*\\| ([^|]*) \\|$")
	for _, row := range row.FindAllStringSubmatch(string(page), -1) {
		rows[row[1]] = []string{}
		for _, user := range quoted.FindAllStringSubmatch(row[2], -1) {
			rows[row[1]] = append(rows[row[1]], user[1])
		}
	}
	names, used := optional(t), users(t)
	require.NotEmpty(t, names)
	require.ElementsMatch(t, names, slices.Collect(maps.Keys(rows)), "interfaces of the package, rows of the page")
	for _, name := range names {
		require.Equal(t, used[name], rows[name], "packages that ask for %s", name)
	}
}
