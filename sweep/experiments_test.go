package sweep

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"croupier/games/standard"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the tables and curves of docs/lab/experiments.md")

// experimentTable is a table in docs/lab/experiments.md and the name of its folder.
var experimentTable = regexp.MustCompile("(?s)```text (\\S+)\n(.*?)```")

// TestExperimentsInDocs: every table of docs/lab/experiments.md, and every picture there, is what croupier sweep show
// makes of the runs in its folder.
func TestExperimentsInDocs(t *testing.T) {
	const page, folder = "../docs/lab/experiments.md", "../docs/lab/experiments"
	doc, err := os.ReadFile(page)
	require.NoError(t, err)
	shown := map[string]bool{}
	fresh := experimentTable.ReplaceAllFunc(doc, func(block []byte) []byte {
		name := string(experimentTable.FindSubmatch(block)[1])
		shown[name] = true
		require.Contains(t, string(doc), "](experiments/"+name+"/curve.svg)", "the page shows the curves")
		f, results, damaged, err := Load(standard.Games, filepath.Join(folder, name))
		require.NoError(t, err)
		require.Zero(t, damaged)
		var table bytes.Buffer
		require.NoError(t, f.Tabulate(results).Render(&table, 110))
		lines := bytes.Split(bytes.TrimSpace(table.Bytes()), []byte("\n"))
		for i := range lines {
			lines[i] = bytes.TrimRight(lines[i], " ")
		}
		checkCurve(t, filepath.Join(folder, name, "curve.svg"), f, results)
		return []byte("```text " + name + "\n" + string(bytes.Join(lines, []byte("\n"))) + "\n```")
	})
	if *update {
		require.NoError(t, os.WriteFile(page, fresh, 0o644))
		return
	}
	require.Equal(t, string(fresh), string(doc), "go test ./sweep -run ExperimentsInDocs -update makes the tables again")
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, e := range entries {
		require.True(t, shown[e.Name()], "docs/lab/experiments.md has no table of %s", e.Name())
	}
}

// checkCurve requires that a picture is that of the results, or makes it so.
func checkCurve(t *testing.T, path string, f *File, results Results) {
	picture, err := f.Picture(results)
	require.NoError(t, err)
	var fresh bytes.Buffer
	require.NoError(t, picture.WriteSVG(&fresh))
	if *update {
		require.NoError(t, os.WriteFile(path, fresh.Bytes(), 0o644))
	}
	kept, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, bytes.Equal(kept, fresh.Bytes()), "%s: go test ./sweep -run ExperimentsInDocs -update redraws it",
		path)
}
