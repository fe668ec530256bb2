package tests

import (
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/games/standard"
)

// The rules of a game need what other modules can import, too, so that a game of somebody else's needs no fork.
func TestRulesOfGamesNeedNothingInternal(t *testing.T) {
	all, err := packages()
	require.NoError(t, err)
	checked := 0
	for _, pkg := range all {
		if path.Dir(pkg.ImportPath) != module+"/games" || slices.Contains([]string{"standard", "page"}, path.Base(pkg.ImportPath)) {
			continue
		}
		checked++
		for _, imported := range pkg.Imports {
			require.False(t, under(imported, ownPaths("internal")), "%s imports %s", pkg.ImportPath, imported)
		}
	}
	require.Len(t, standard.Games.Names(), checked)
}

// Nothing outside games, cmd and tests spells the name of a game.
func TestNamesOfGamesAreTheirOwn(t *testing.T) {
	names := standard.Games.Names()
	all, err := packages()
	require.NoError(t, err)
	for _, pkg := range all {
		if under(pkg.ImportPath, ownPaths("games", "cmd", "tests")) {
			continue
		}
		for _, file := range pkg.GoFiles {
			requireNoName(t, filepath.Join("..", strings.TrimPrefix(pkg.ImportPath, module), file), names)
		}
	}
}

// requireNoName fails where a literal of a file is one of the names.
func requireNoName(t *testing.T, file string, names []string) {
	t.Helper()
	parsed, err := parser.ParseFile(gotoken.NewFileSet(), file, nil, 0)
	require.NoError(t, err)
	ast.Inspect(parsed, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == gotoken.STRING {
			text, err := strconv.Unquote(literal.Value)
			require.NoError(t, err)
			require.False(t, slices.Contains(names, text), "%s names the game %q", file, text)
		}
		return true
	})
}
