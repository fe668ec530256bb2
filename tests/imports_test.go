package tests

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// floors are those of docs/architecture.md, from the top down. A package imports only what
// stands on a lower floor, or under its own name. Rooms on one floor never import one
// another.
var floors = [][]string{
	{"cmd"},
	{"bench", "sweep"},
	{"cluster"},
	{"web"},
	{"advice", "dataset", "play", "serve"},
	{"agents", "audit"},
	{"settings"},
	{"actor", "learner", "league", "archive", "search", "solver"},
	{"nn", "messages"},
	{"policy"},
	{"engine"},
	{"internal"},
}

// outside are the rooms that stand beside the house: nothing imports them.
var outside = []string{"tests", "dashboards", "deploy"}

// forbidden are further imports of packages with one of the prefixes.
var forbidden = []struct {
	packages, except, imports []string
}{
	{[]string{"croupier"}, []string{"croupier/learner"}, []string{"gorgonia.org"}},
	{[]string{"croupier"}, []string{"croupier/messages/bus", "croupier/tests"}, []string{"github.com/nats-io"}},
	{[]string{"croupier/cmd"}, nil, []string{"croupier/messages/bus", "croupier/actor", "croupier/learner"}},
	{[]string{"croupier/internal"}, nil, []string{"croupier/engine"}},
	{[]string{"croupier"}, nil, []string{"croupier/messages/bus/memory", "croupier/messages/bus/bustest"}},
}

// floorOf returns where a package of ours stands, and the room that it belongs to.
func floorOf(path string) (floor int, room string) {
	room, _, _ = strings.Cut(strings.TrimPrefix(path, "croupier/"), "/")
	return slices.IndexFunc(floors, func(f []string) bool { return slices.Contains(f, room) }), room
}

// complaint says why a package may not import another, "" if it may.
func complaint(path, imported string) string {
	for _, rule := range forbidden {
		if under(path, rule.packages) && !under(path, rule.except) && under(imported, rule.imports) {
			return "it must not"
		}
	}
	if !under(imported, []string{"croupier"}) {
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

func TestImportsPointDownwards(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "croupier/...").Output()
	require.NoError(t, err)
	dec := json.NewDecoder(bytes.NewReader(out))
	seen := map[string]bool{}
	for {
		var pkg struct {
			ImportPath string
			Imports    []string
		}
		err := dec.Decode(&pkg)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
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

// The rules find what they are for.
func TestImportsThatPointUpwards(t *testing.T) {
	for _, pair := range [][2]string{
		{"croupier/web", "croupier/cluster"},
		{"croupier/learner/graph", "croupier/actor"},
		{"croupier/engine/pig", "croupier/policy"},
		{"croupier/cmd/croupier", "croupier/messages/bus"},
		{"croupier/league", "github.com/nats-io/nats.go"},
		{"croupier/nn", "gorgonia.org/tensor"},
		{"croupier/cmd/croupier", "croupier/attic"},
	} {
		require.NotEmpty(t, complaint(pair[0], pair[1]), "%v", pair)
	}
	require.Empty(t, complaint("croupier/solver/banluck", "croupier/solver"))
	require.Empty(t, complaint("croupier/bench", "croupier/cluster"))
}

// under says whether the import path is one of the prefixes or below one.
func under(path string, prefixes []string) bool {
	for _, p := range prefixes {
		if path == p || strings.HasPrefix(path, p+"/") {
			return true
		}
	}
	return false
}
