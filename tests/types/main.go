// Command types checks the types of packages and of their tests for another system or processor, without compiling
// anything. go vet compiles all dependencies first, which takes several times as long.
//
//	go run ./tests/types SYSTEM/PROCESSOR PACKAGE...
//
// It is to be run in the root of the module. Bodies of functions are checked in the module's own packages only.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: types SYSTEM/PROCESSOR PACKAGE...")
		os.Exit(2)
	}
	root, err := os.Getwd()
	if err == nil {
		var found []string
		if found, err = check(root, os.Args[1], os.Args[2:]); err == nil && len(found) > 0 {
			err = fmt.Errorf("for %s:\n%s", os.Args[1], strings.Join(found, "\n"))
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "types:", err)
		os.Exit(1)
	}
}

// check returns the errors in the packages of the module in the folder root, as they are for the platform, and in their
// tests.
func check(root, platform string, patterns []string) (found []string, err error) {
	system, processor, ok := strings.Cut(platform, "/")
	if !ok {
		return nil, fmt.Errorf("%q names no system and processor, as windows/amd64 does", platform)
	}
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesSizes | packages.NeedModule,
		Dir: root, Env: append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0"), Tests: true,
		ParseFile: func(set *token.FileSet, file string, text []byte) (*ast.File, error) {
			return parse(root, set, file, text)
		},
	}, patterns...)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{} // a file belongs to a package and to its tests
	for _, p := range loaded {
		if strings.HasSuffix(p.PkgPath, ".test") {
			continue // the program of the tests, which go test writes
		}
		for _, e := range p.Errors {
			if !seen[e.Error()] {
				seen[e.Error()] = true
				found = append(found, e.Error())
			}
		}
	}
	return found, nil
}

// parse reads a file. Other modules' functions lose their bodies, which take most of the time to check.
func parse(root string, set *token.FileSet, file string, text []byte) (*ast.File, error) {
	parsed, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
	if parsed == nil || strings.HasPrefix(file, root+string(filepath.Separator)) {
		return parsed, err
	}
	for _, d := range parsed.Decls {
		if function, ok := d.(*ast.FuncDecl); ok {
			function.Body = nil
		}
	}
	return parsed, err
}
