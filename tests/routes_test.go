package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRoutesAreInReference: docs/reference/http.md has every path that the program answers, and no other.
func TestRoutesAreInReference(t *testing.T) {
	page, err := os.ReadFile("../docs/reference/http.md")
	require.NoError(t, err)
	told := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| .*?\|`).FindAllString(string(page), -1) {
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row, -1) {
			told[m[1]] = true
		}
	}
	routes := routesOf(t)
	require.Greater(t, len(routes), 60)
	delete(routes, "/") // answered as "there is no page" by the next
	delete(routes, "GET /missing")
	for route, where := range routes {
		require.True(t, told[route], "docs/reference/http.md lacks `%s` of %s", route, where)
	}
	for route := range told {
		require.Contains(t, routes, route, "nothing answers what docs/reference/http.md has")
	}
}

var route = regexp.MustCompile(`^(?:(?:GET|POST|PUT|DELETE|PATCH) )?/\S*$`)

// routesOf returns the routes in the sources of the program by pattern, with the files where they are.
func routesOf(t *testing.T) map[string]string {
	routes := map[string]string{}
	for _, root := range []string{"web", "serve", "sweep", "cluster", "games"} {
		require.NoError(t, filepath.WalkDir(filepath.Join("..", root), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.Name() == "webtest" && entry.IsDir() {
				return filepath.SkipDir
			}
			if filepath.Ext(path) == ".go" && !strings.HasSuffix(path, "_test.go") {
				file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
				require.NoError(t, err)
				ast.Inspect(file, func(n ast.Node) bool {
					for _, found := range routesIn(n) {
						routes[strings.ReplaceAll(found, "{$}", "")] = path
					}
					return true
				})
			}
			return nil
		}))
	}
	return routes
}

// routesIn returns the routes that a node itself defines: a call of Handle or HandleFunc, the entries of a map of
// handlers, which may lack the beginning that is put before them, and the path of a page.
func routesIn(n ast.Node) (found []string) {
	add := func(e ast.Expr, before string) {
		if text, ok := literal(e); ok && route.MatchString(before+text) {
			found = append(found, before+text)
		}
	}
	switch n := n.(type) {
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.SelectorExpr); ok && strings.HasPrefix(f.Sel.Name, "Handle") && len(n.Args) == 2 {
			add(n.Args[0], "")
		}
	case *ast.CompositeLit:
		m, isMap := n.Type.(*ast.MapType)
		if !isMap || !handlers(m) {
			break
		}
		for _, e := range n.Elts {
			key := e.(*ast.KeyValueExpr).Key
			text, ok := literal(key)
			if ok && !strings.Contains(text, " ") {
				add(key, "POST /api/tables")
			} else {
				add(key, "")
			}
		}
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Path" {
			add(n.Value, "GET ")
		}
	}
	return found
}

func handlers(m *ast.MapType) bool {
	value, ok := m.Value.(*ast.SelectorExpr)
	return ok && value.Sel.Name == "Handler"
}

func literal(e ast.Expr) (string, bool) {
	text, ok := e.(*ast.BasicLit)
	if !ok || text.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(text.Value)
	return s, err == nil
}
