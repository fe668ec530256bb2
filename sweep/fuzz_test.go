package sweep

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"croupier/games/standard"

	"github.com/stretchr/testify/require"

	"croupier/internal/sealed"
	"croupier/internal/sealed/sealedtest"
)

// A file of a sweep is refused, or has candidates whose settings can be written and a first round.
func FuzzFile(f *testing.F) {
	f.Add([]byte(plain))
	examples, err := filepath.Glob("testdata/*.yaml")
	require.NoError(f, err)
	for _, path := range examples {
		text, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(text)
	}
	f.Add([]byte("game: pig\nvary: {learner.learning_rate_start: {log: [1e-300, 1e300]}}\nsearch: {method: random, candidates: 3}\nbudget: 1s\nobjective: {measure: rating, opponents: [random]}\n"))
	f.Add([]byte("game: kuhn\nvary: {a.b: [[[1]]], a: [1]}\nvariants: {x: {a.b.c: &a [*a]}}\nbudget: 1s\nobjective: {measure: exploitability}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := Parse(standard.Games, text)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.NotEmpty(t, file.Candidates())
		require.LessOrEqual(t, len(file.Candidates()), maxCandidates)
		for _, c := range file.candidates[:min(3, len(file.candidates))] {
			_, err := c.config.Encode()
			require.NoError(t, err)
		}
		rounds, winner := file.Rounds(Results{})
		require.NotEmpty(t, rounds)
		require.Negative(t, winner)
	})
}

// A grid that is too large is refused before it is made.
func TestGridsAreBounded(t *testing.T) {
	list := func(n int) string { return "[" + strings.Repeat("1,", n) + "]" }
	text := "game: pig\nvary: {learner.a: " + list(maxCandidates) + ", learner.b: " + list(2000) +
		"}\nbudget: 1s\nobjective: {measure: exploitability}\n"
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Parse(standard.Games, []byte(text))
	runtime.ReadMemStats(&after)
	require.ErrorContains(t, err, "the grid has more than 1000 candidates")
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20))
}

// Whatever the lines of a file of results hold, the intact ones are read, and a sweep continues and is shown with them.
func FuzzResults(f *testing.F) {
	examples, err := filepath.Glob("../docs/lab/experiments/*/results.jsonl")
	require.NoError(f, err)
	require.NotEmpty(f, examples)
	for _, path := range examples {
		text, err := os.ReadFile(path)
		require.NoError(f, err)
		for line := range bytes.Lines(text[:min(len(text), 4096)]) {
			f.Add(line)
		}
	}
	f.Add([]byte(`{"round":-1,"candidate":99,"seed":1,"value":1e308}` + "\n" +
		`{"round":0,"candidate":0,"seed":1,"value":-1e308,"curve":[]}`))
	f.Add([]byte(`{"round":0,"candidate":1,"seed":3,"name":"x","failed":"y"}` + "\n"))
	file, err := Parse(standard.Games, []byte(plain))
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, lines []byte) {
		dir := t.TempDir()
		text := sealedtest.Seal(lines)
		require.NoError(t, os.WriteFile(filepath.Join(dir, resultsFile), text, 0o600))
		kept, err := readResults(dir)
		require.NoError(t, err)
		results := kept.results
		require.LessOrEqual(t, kept.complete, int64(len(text)))
		rounds, winner := file.Rounds(results)
		require.NotEmpty(t, rounds)
		require.Less(t, winner, len(file.candidates))
		for _, r := range results {
			if _, err := sealed.Line(r); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// Whatever has the place of a sweep's files is refused by name, and is not waited for.
func TestFilesOfASweepThatAreNone(t *testing.T) {
	for _, name := range []string{sweepFile, resultsFile} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, sweepFile), []byte(plain), 0o600))
		path := filepath.Join(dir, name)
		require.NoError(t, os.RemoveAll(path))
		require.NoError(t, os.Symlink("/dev/zero", path))
		_, _, _, err := Load(standard.Games, dir)
		require.ErrorContains(t, err, path+": it is not a regular file")
	}
}
