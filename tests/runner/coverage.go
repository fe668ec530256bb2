package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/cover"
)

// share counts statements.
type share struct{ run, all int }

func (s share) percent() float64 { return 100 * float64(s.run) / float64(s.all) }

func (s share) add(t share) share { return share{s.run + t.run, s.all + t.all} }

// coverage prints which share of all statements the packages' own tests run, and returns the packages whose share is
// below their limit. A limit holds only for a package whose tests ran, and not where free is set.
func (l *limits) coverage(out io.Writer, covered map[string]share, ran map[string]bool, free bool) (problems []string) {
	var total share
	for _, name := range slices.Sorted(maps.Keys(covered)) {
		s := covered[name]
		total = total.add(s)
		if _, least := l.of(name); ran[name] && !free && s.percent() < least {
			problems = append(problems, fmt.Sprintf(
				"%s: its tests run %.1f %% of its %d statements; tests/limits.yaml asks for %g %%",
				name, s.percent(), s.all, least))
		}
	}
	fmt.Fprintf(out, "The packages' own tests run %.1f %% of %d statements (go tool cover -html %s).\n", total.percent(),
		total.all, profile)
	return problems
}

// readCoverage sums up the statements of a profile by package, named without the module. Generated files and packages
// without statements do not count.
func readCoverage(file string) (map[string]share, error) {
	profiles, err := cover.ParseProfiles(file)
	if err != nil {
		return nil, err
	}
	packages := map[string]share{}
	for _, p := range profiles {
		name, ok := strings.CutPrefix(p.FileName, module)
		if !ok {
			return nil, fmt.Errorf("%s: not of the module %s", p.FileName, module)
		}
		source, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return nil, err
		}
		if s := statements(p.Blocks); !ast.IsGenerated(source) && s.all > 0 {
			packages[path.Dir(name)] = packages[path.Dir(name)].add(s)
		}
	}
	return packages, nil
}

func statements(blocks []cover.ProfileBlock) (s share) {
	for _, b := range blocks {
		s = s.add(share{b.NumStmt * cmp.Compare(b.Count, 0), b.NumStmt})
	}
	return s
}
