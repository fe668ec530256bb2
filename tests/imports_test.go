package tests

import (
	"errors"
	"go/build"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// floors are those of docs/explain/architecture.md, from the top down. A package imports only what
// is on a lower floor, or under its own name. Rooms on one floor never import one
// another.
var floors = [][]string{
	{"cmd"},
	{"games"},
	{"croupier"},
	{"cli"},
	{"bench", "sweep"},
	{"cluster"},
	{"web"},
	{"advice", "backup", "dataset", "play", "serve"},
	{"agents", "audit"},
	{"settings"},
	{"actor", "learner", "league", "archive", "search", "solver"},
	{"player"},
	{"nn", "messages"},
	{"catalog"},
	{"policy"},
	{"engine"},
	{"internal", "docs"},
}

// outside are the rooms that stand outside the house: nothing imports them.
var outside = []string{"tests", "dashboards", "deploy"}

// forbidden are further imports of packages with one of the prefixes.
var forbidden = []struct {
	packages, except, imports []string
}{
	// The core knows no game.
	{ownPaths(), ownPaths("cmd", "games", "tests"), ownPaths("games")},
	{ownPaths("games"), nil, ownPaths("web", "cluster", "agents", "settings", "cli")},
	{ownPaths(), ownPaths("learner"), []string{"gorgonia.org"}},
	{ownPaths(), ownPaths("messages/bus", "tests"), []string{"github.com/nats-io"}},
	{ownPaths("cmd", "cli"), nil, ownPaths("messages/bus", "actor", "learner")},
	{ownPaths("serve"), nil, ownPaths("actor", "learner")},
	{ownPaths("internal"), nil, ownPaths("engine")},
	{ownPaths(), nil, ownPaths("messages/bus/memory", "messages/bus/bustest")},
}

// module is this module's path. deploy/module-path.sh gives it another one.
const module = "croupier"

// ownPaths returns the import paths of packages of this module, without names that of the module, which is the prefix
// of all.
func ownPaths(names ...string) (paths []string) {
	for _, name := range names {
		paths = append(paths, module+"/"+name)
	}
	if len(names) == 0 {
		return []string{module}
	}
	return paths
}

// floorOf returns where a package of ours stands, and the room that it belongs to.
func floorOf(path string) (floor int, room string) {
	room = "croupier" // the package at the root
	if below, found := strings.CutPrefix(path, module+"/"); found {
		room, _, _ = strings.Cut(below, "/")
	}
	return slices.IndexFunc(floors, func(f []string) bool { return slices.Contains(f, room) }), room
}

// complaint reports why a package may not import another, "" if it may.
func complaint(path, imported string) string {
	for _, rule := range forbidden {
		if under(path, rule.packages) && !under(path, rule.except) && under(imported, rule.imports) {
			return "it must not"
		}
	}
	if !under(imported, ownPaths()) {
		return ""
	}
	from, room := floorOf(path)
	to, other := floorOf(imported)
	switch {
	case to < 0:
		return other + " has no floor"
	case slices.Contains(outside, room), room == other, to > from:
		return ""
	case to == from:
		return "they stand on one floor"
	}
	return "it stands on a higher floor"
}

// packages returns all packages of the module, as they are on this platform, with their import paths. They are read
// from the files: the go tool wants to see modules that none of them needs, and cannot fetch them here.
var packages = sync.OnceValues(func() (all []*build.Package, err error) {
	return packagesBelow("..")
})

// packagesBelow is packages for another folder in the place of the module's.
func packagesBelow(root string) (all []*build.Package, err error) {
	err = filepath.WalkDir(root, func(folder string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); folder != root && (name == "testdata" || name[0] == '.' || name[0] == '_') {
			return filepath.SkipDir
		}
		pkg, err := build.ImportDir(folder, 0)
		var none *build.NoGoError
		if errors.As(err, &none) {
			return nil
		}
		if err != nil {
			return err
		}
		below, err := filepath.Rel(root, folder)
		pkg.ImportPath = path.Join(module, filepath.ToSlash(below))
		all = append(all, pkg)
		return err
	})
	return all, err
}

func TestImportsPointDownwards(t *testing.T) {
	all, err := packages()
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, pkg := range all {
		floor, room := floorOf(pkg.ImportPath)
		if floor < 0 && !slices.Contains(outside, room) {
			t.Errorf("%s has no floor", pkg.ImportPath)
		}
		seen[room] = true
		for _, imported := range pkg.Imports {
			if c := complaint(pkg.ImportPath, imported); c != "" {
				t.Errorf("%s imports %s: %s", pkg.ImportPath, imported, c)
			}
		}
	}
	for _, room := range slices.Concat(floors...) {
		require.True(t, seen[room], "%s is no package any more", room)
	}
}

// Packages are found as the go tool finds them.
func TestPackagesBelow(t *testing.T) {
	root := t.TempDir()
	for file, content := range map[string]string{
		"top.go":                  "package top\nimport \"fmt\"",
		"top_test.go":             "package top\nimport \"os\"",
		"outer_test.go":           "package top_test",
		"elsewhere_plan9.go":      "package top\nimport \"io\"",
		"a/b/only_test.go":        "package b",
		"a/b/testdata/no.go":      "package no",
		"a/.hidden/no.go":         "package no",
		"a/_left/no.go":           "package no",
		"a/notes/notes.md":        "no package",
		"a/notes/elsewhere/no.go": "//go:build nothing\n\npackage no",
	} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, filepath.Dir(file)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, file), []byte(content), 0o644))
	}
	all, err := packagesBelow(root)
	require.NoError(t, err)
	require.Len(t, all, 2)
	top, b := all[0], all[1]
	require.Equal(t, module, top.ImportPath)
	require.Equal(t, []string{"fmt"}, top.Imports)
	require.Equal(t, []string{"top.go", "top_test.go", "outer_test.go"},
		slices.Concat(top.GoFiles, top.TestGoFiles, top.XTestGoFiles))
	require.Equal(t, module+"/a/b", b.ImportPath)
	require.NoError(t, os.WriteFile(filepath.Join(root, "top.go"), []byte("no Go"), 0o644))
	_, err = packagesBelow(root)
	require.ErrorContains(t, err, "top.go")
}

// The rules find what they are for.
func TestImportsThatPointUpwards(t *testing.T) {
	for _, pair := range [][2]string{
		{module + "/web", module + "/cluster"},
		{module + "/learner/train/graph", module + "/actor"},
		{module + "/engine/history", module + "/policy"},
		{module + "/cli", module + "/messages/bus"},
		{module + "/cli", module + "/games/pig"},
		{module + "/games/pig/solve", module + "/cli"},
		{module + "/league", "github.com/nats-io/nats.go"},
		{module + "/nn", "gorgonia.org/tensor"},
		{module + "/cmd/croupier", module + "/attic"},
	} {
		require.NotEmpty(t, complaint(pair[0], pair[1]), "%v", pair)
	}
	require.Empty(t, complaint(module+"/games/banluck/solve", module+"/solver"))
	require.NotEmpty(t, complaint(module+"/agents", module+"/games/pig"))
	require.Empty(t, complaint(module+"/bench", module+"/cluster"))
}

// under reports whether the import path is one of the prefixes or below one.
func under(path string, prefixes []string) bool {
	for _, p := range prefixes {
		if path == p || strings.HasPrefix(path, p+"/") {
			return true
		}
	}
	return false
}
