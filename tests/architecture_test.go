package tests

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// room is what the picture of the packages shows of the packages under one name.
type room struct {
	name    string
	lines   int // of Go that is neither test nor generated
	tests   int // of Go that is test
	imports []string
}

// rooms reads the rooms of the house from the code, from the top floor down.
func rooms(t *testing.T) []room {
	t.Helper()
	all, err := packages()
	require.NoError(t, err)
	known := map[string]*room{}
	for _, pkg := range all {
		_, name := floorOf(pkg.ImportPath)
		if slices.Contains(outside, name) {
			continue
		}
		r := known[name]
		if r == nil {
			r = &room{name: name}
			known[name] = r
		}
		r.lines += countLines(t, pkg.Dir, pkg.GoFiles)
		r.tests += countLines(t, pkg.Dir, slices.Concat(pkg.TestGoFiles, pkg.XTestGoFiles))
		for _, imported := range pkg.Imports {
			_, other := floorOf(imported)
			if under(imported, ownPaths()) && other != name && !slices.Contains(r.imports, other) {
				r.imports = append(r.imports, other)
			}
		}
	}
	var list []room
	for _, floor := range floors {
		for _, name := range floor {
			require.Contains(t, known, name)
			list = append(list, *known[name])
		}
	}
	return list
}

func countLines(t *testing.T, dir string, files []string) (lines int) {
	t.Helper()
	for _, file := range files {
		if strings.HasSuffix(file, ".pb.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		lines += bytes.Count(text, []byte("\n"))
	}
	return lines
}

// roomPath returns the import path of the package of a room.
func roomPath(name string) string {
	if name == "croupier" {
		return module
	}
	return module + "/" + name
}

// picture draws the rooms as a table in Markdown; lines are rounded to hundreds.
func picture(list []room) string {
	var b strings.Builder
	b.WriteString("| floor | packages | lines | of tests | imports |\n|---|---|---|---|---|\n")
	hundreds := func(n int) int { return int(math.Round(float64(n)/100)) * 100 }
	for _, r := range list {
		floor, _ := floorOf(roomPath(r.name))
		var imports []string
		for _, lower := range slices.Concat(floors[floor+1:]...) {
			if slices.Contains(r.imports, lower) {
				imports = append(imports, lower)
			}
		}
		fmt.Fprintf(&b, "| %d | %s | %d | %d | %s |\n", len(floors)-floor, r.name, hundreds(r.lines), hundreds(r.tests),
			strings.Join(imports, ", "))
	}
	return b.String()
}

// TestPackagesAreInArchitecture: the list of packages in docs/explain/architecture.md has every package by its path and
// no other. Helpers of tests, assemblers, and what is below games and internal have no line.
func TestPackagesAreInArchitecture(t *testing.T) {
	text, err := os.ReadFile("../docs/explain/architecture.md")
	require.NoError(t, err)
	_, list, _ := strings.Cut(string(text), "\n## Packages\n")
	_, list, _ = strings.Cut(list, "```\n")
	list, _, found := strings.Cut(list, "\n```")
	require.True(t, found)
	listed := map[string]bool{}
	entry := regexp.MustCompile(`(?m)^([a-z/]+)(?:\s|/NAME)|([a-z]+(?:/[a-z]+)+) =`)
	for _, m := range entry.FindAllStringSubmatch(list, -1) {
		listed[m[1]+m[2]] = true
	}
	unlisted := regexp.MustCompile(`^(internal|games)/|(?:cli|wasm|rating|bus|agentfile|nn|offline|web)test$|enginetest/|/inpage$|/kits|/asm`)
	all, err := packages()
	require.NoError(t, err)
	for _, pkg := range all {
		_, name := floorOf(pkg.ImportPath)
		path := strings.TrimPrefix(pkg.ImportPath, module+"/")
		if slices.Contains(outside, name) || path == module || unlisted.MatchString(path) {
			continue
		}
		require.True(t, listed[path], "docs/explain/architecture.md lacks package %s", path)
	}
	for path := range listed {
		require.DirExists(t, filepath.Join("..", path), "docs/explain/architecture.md")
	}
}

var (
	drawn   = regexp.MustCompile(`(?s)(<!-- packages -->\n).*?(<!-- end -->)`)
	numbers = regexp.MustCompile(`\| (\d+) \| (\d+) \|`)
)

// TestPictureOfThePackages: docs/explain/architecture.md shows the packages, and who imports whom,
// as they are. Lines may have grown or shrunk by a quarter since it was drawn.
// "go test ./tests -run Picture -update" draws it again.
func TestPictureOfThePackages(t *testing.T) {
	const path = "../docs/explain/architecture.md"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Regexp(t, drawn, string(text))
	want := picture(rooms(t))
	if *update {
		text = drawn.ReplaceAll(text, []byte("${1}"+want+"${2}"))
		require.NoError(t, os.WriteFile(path, text, 0o644))
	}
	got := drawn.FindString(string(text))
	got = strings.TrimSuffix(strings.TrimPrefix(got, "<!-- packages -->\n"), "<!-- end -->")
	require.Equal(t, numbers.ReplaceAllString(want, "| · |"), numbers.ReplaceAllString(got, "| · |"))
	old, now := numbers.FindAllStringSubmatch(got, -1), numbers.FindAllStringSubmatch(want, -1)
	for i := range now {
		for column := 1; column <= 2; column++ {
			was, err := strconv.ParseFloat(old[i][column], 64)
			require.NoError(t, err)
			is, err := strconv.ParseFloat(now[i][column], 64)
			require.NoError(t, err)
			require.InDelta(t, is, was, max(is/4, 100), "row %d: redraw the picture", i+1)
		}
	}
}
