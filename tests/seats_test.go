package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Seats count from 1 for people (docs/style.md): what a text prints after "seat" is a number plus one, or that of a
// flag. Towards authors of games seats count from 0, as in the contract, and packages for tests are for authors too.
func TestSeatsOfTextsCountFromOne(t *testing.T) {
	authors := regexp.MustCompile(`^engine/(conformance|described|enginetest)`)
	texts := 0
	for _, folder := range foldersOfGo(t) {
		if authors.MatchString(filepath.ToSlash(folder)) || strings.HasSuffix(folder, "test") {
			continue
		}
		files, err := filepath.Glob(filepath.Join("..", folder, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			set := token.NewFileSet()
			parsed, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			ast.Inspect(parsed, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					for _, seat := range seatsOf(t, call) {
						texts++
						if !countsFromOne(seat) {
							t.Errorf("%s: seats count from 1 for people: print the number plus 1", set.Position(seat.Pos()))
						}
					}
				}
				return true
			})
		}
	}
	require.Greater(t, texts, 20)
}

// seatsOf returns what a call prints after the word "seat".
func seatsOf(t *testing.T, call *ast.CallExpr) (seats []ast.Expr) {
	t.Helper()
	verb := regexp.MustCompile(`(\b[Ss]eat )?%[-+#.\d]*[a-zA-Z]`)
	for i, arg := range call.Args {
		literal, ok := arg.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			continue
		}
		format, err := strconv.Unquote(literal.Value)
		require.NoError(t, err)
		for k, found := range verb.FindAllString(strings.ReplaceAll(format, "%%", ""), -1) {
			if at := i + 1 + k; strings.Contains(found, "eat ") && at < len(call.Args) {
				seats = append(seats, call.Args[at])
			}
		}
	}
	return seats
}

// countsFromOne reports whether an expression is a number plus one, or that of a flag --seat.
func countsFromOne(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		one, ok := e.Y.(*ast.BasicLit)
		return ok && e.Op == token.ADD && one.Value == "1"
	case *ast.SelectorExpr:
		of, ok := e.X.(*ast.Ident)
		return ok && of.Name == "o" && e.Sel.Name == "seat"
	}
	return false
}
