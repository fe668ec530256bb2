// Command cover reads a profile that go test -coverprofile has written and prints what
// share of the statements the tests run, for each package and for each of the named
// folders with all below it. It fails where a folder has less than the least share.
//
//	go run ./tests/cover [-least PERCENT] PROFILE FOLDER...
//
// Generated files do not count. It is to be run in the root of the module, where it
// finds the sources. To see what is not run, function by function or line by line:
//
//	go tool cover -func PROFILE
//	go tool cover -html PROFILE
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/cover"
)

const module = "croupier/"

// share counts statements.
type share struct{ run, all int }

func (s share) percent() float64 { return 100 * float64(s.run) / float64(s.all) }

func (s share) add(t share) share { return share{s.run + t.run, s.all + t.all} }

func main() {
	least := flag.Float64("least", 90, "fail where a folder has a smaller share, in `percent`")
	flag.Parse()
	if flag.NArg() < 2 {
		flag.Usage()
		os.Exit(2)
	}
	if err := check(os.Stdout, flag.Arg(0), flag.Args()[1:], *least); err != nil {
		fmt.Fprintln(os.Stderr, "cover:", err)
		os.Exit(1)
	}
}

// check prints the shares and says which folders have too small a one.
func check(out io.Writer, profile string, folders []string, least float64) error {
	packages, err := read(profile)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "statements  run by tests")
	var failures []error
	for _, folder := range folders {
		var total share
		for _, name := range slices.Sorted(maps.Keys(packages)) {
			if s := packages[name]; name == folder || strings.HasPrefix(name, folder+"/") {
				fmt.Fprintf(out, "%10d  %5.1f %%  %s\n", s.all, s.percent(), name)
				total = total.add(s)
			}
		}
		if total.all == 0 {
			failures = append(failures, fmt.Errorf("%s: the profile has no statements of it", folder))
			continue
		}
		fmt.Fprintf(out, "%10d  %5.1f %%  %s in all\n", total.all, total.percent(), folder)
		if total.percent() < least {
			failures = append(failures, fmt.Errorf("%s: tests run %.1f %% of the statements, less than %g %%",
				folder, total.percent(), least))
		}
	}
	return errors.Join(failures...)
}

// read sums up the statements of a profile by package, named without the module.
func read(profile string) (map[string]share, error) {
	files, err := cover.ParseProfiles(profile)
	if err != nil {
		return nil, err
	}
	packages := map[string]share{}
	for _, file := range files {
		name, ok := strings.CutPrefix(file.FileName, module)
		if !ok {
			return nil, fmt.Errorf("%s: not of the module %s", file.FileName, module)
		}
		source, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return nil, err
		}
		if !ast.IsGenerated(source) {
			packages[path.Dir(name)] = packages[path.Dir(name)].add(count(file.Blocks))
		}
	}
	return packages, nil
}

func count(blocks []cover.ProfileBlock) (s share) {
	for _, b := range blocks {
		s = s.add(share{b.NumStmt * cmp.Compare(b.Count, 0), b.NumStmt})
	}
	return s
}
