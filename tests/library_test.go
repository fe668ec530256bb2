package tests

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// inCode finds names in a cell of a table.
var inCode = regexp.MustCompile("`([^`]+)`")

// listedPackages returns the packages of the two tables of docs/guide/library.md: those for others, and those of the
// program itself. NAME stands for one element of a path, and ... for all below.
func listedPackages(t *testing.T) (public, own []string) {
	t.Helper()
	text, err := os.ReadFile("../docs/guide/library.md")
	require.NoError(t, err)
	tables := strings.Split(string(text), "\n| package | ")
	require.Len(t, tables, 3)
	for i, into := range []*[]string{&public, &own} {
		for line := range strings.Lines(tables[i+1]) {
			cells := strings.Split(line, "|")
			if len(cells) < 3 {
				continue
			}
			for _, name := range inCode.FindAllStringSubmatch(cells[1], -1) {
				*into = append(*into, name[1])
			}
		}
	}
	return public, own
}

// fits reports whether a package is meant by a name of the list.
func fits(name, listed string) bool {
	pattern := regexp.QuoteMeta(listed)
	pattern = strings.ReplaceAll(pattern, "NAME", "[^/]+")
	pattern = strings.ReplaceAll(pattern, `/\.\.\.`, "/.+")
	return regexp.MustCompile("^" + pattern + "$").MatchString(name)
}

// Each package is meant for others, or is of the program itself, or is a command or for tests; the list has no other.
func TestLibraryListsEveryPackage(t *testing.T) {
	public, own := listedPackages(t)
	all, err := packages()
	require.NoError(t, err)
	var names []string
	for _, pkg := range all {
		name := strings.TrimPrefix(pkg.ImportPath, module+"/")
		if pkg.ImportPath == module {
			name = "croupier"
		}
		forTests := strings.HasPrefix(name, "tests") || len(pkg.GoFiles) == 0 || strings.HasSuffix(path.Base(name), "test") ||
			strings.Contains(name, "test/")
		if pkg.Name == "main" || forTests && !slices.Contains(public, name) {
			continue
		}
		names = append(names, name)
		meant := func(list []string) bool {
			return slices.ContainsFunc(list, func(listed string) bool { return fits(name, listed) })
		}
		// games/standard is listed, and is no game.
		require.True(t, meant(public) != meant(own), "docs/guide/library.md must have package %s in one of its tables", name)
	}
	for _, listed := range slices.Concat(public, own) {
		require.True(t, slices.ContainsFunc(names, func(name string) bool { return fits(name, listed) }),
			"docs/guide/library.md lists %s, which is no package", listed)
	}
}

// A package for others shows how it is used, unless its own documentation does.
func TestPublicPackagesHaveExamples(t *testing.T) {
	for _, name := range []string{".", "catalog", "engine", "policy", "solver", "nn"} {
		files, err := os.ReadDir(path.Join("..", name))
		require.NoError(t, err)
		found := false
		for _, file := range files {
			if !strings.HasSuffix(file.Name(), "_test.go") {
				continue
			}
			text, err := os.ReadFile(path.Join("..", name, file.Name()))
			require.NoError(t, err)
			found = found || strings.Contains(string(text), "\nfunc Example") && strings.Contains(string(text), "\t// Output:")
		}
		require.True(t, found, "%s has no example", name)
	}
}
